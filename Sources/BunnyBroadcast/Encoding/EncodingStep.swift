package import BunnyMedia

/// One of the ways to encode, between what is wanted and what costs least.
package struct EncodingStep: Equatable, Sendable {
  /// nil: the preset of the quality file, or none.
  package let effort: EncoderEffort?
  package var frameDivisor = 1
  package var size = EncodingPlan.Size.whole
  /// Processor time for encoding, as in ``EncoderEffort/cost`` for the whole rate and size.
  package let cost: Double

  init(
    _ effort: EncoderEffort?, frameDivisor: Int = 1, size: EncodingPlan.Size = .whole,
    ownCost: Double
  ) {
    (self.effort, self.frameDivisor, self.size) = (effort, frameDivisor, size)
    let side = Double(size.rawValue) / 4
    cost = (effort?.cost ?? ownCost) * side * side / Double(frameDivisor)
  }

  /// Viewers get all pictures, and all of each.
  package var isWhole: Bool { frameDivisor == 1 && size == .whole }

  package func limits(_ plan: EncodingPlan) -> Bool {
    plan.effort == effort && plan.frameDivisor >= frameDivisor && plan.size <= size
  }

  /// What somebody wants, which is where the ladder begins.
  package enum Wish: Equatable, Sendable {
    /// Whatever the processor can do.
    case auto
    case effort(EncoderEffort)
    /// A quality file's own preset, of that cost.
    case preset(cost: Double)
    /// It is not x264 that encodes.
    case hardware
  }

  /// From the most expensive to the cheapest: lighter effort, half the pictures, smaller pictures.
  package static func ladder(_ wish: Wish) -> [EncodingStep] {
    let efforts = Array(EncoderEffort.allCases.reversed())
    let (whole, ownCost): ([EncoderEffort?], Double) =
      switch wish {
      case .auto: (efforts, 1)
      case .effort(let most): (efforts.filter { $0 <= most }, 1)
      case .preset(let cost): ([nil] + efforts.filter { $0.cost < cost }, cost)
      case .hardware: ([nil], 1)
      }
    let last = whole[whole.count - 1]
    let less: [(Int, EncodingPlan.Size)] = [(2, .whole), (2, .threeQuarters), (2, .half)]
    return whole.map { EncodingStep($0, ownCost: ownCost) }
      + less.map { EncodingStep(last, frameDivisor: $0, size: $1, ownCost: ownCost) }
  }

  /// What encoding to `plan` costs.
  static func cost(of plan: EncodingPlan, ownCost: Double) -> Double {
    EncodingStep(
      plan.effort, frameDivisor: plan.frameDivisor, size: plan.size, ownCost: ownCost
    ).cost
  }

  /// For people: "effort light, 15 pictures a second of 960x540".
  package func words(_ quality: VideoEncoder.Settings) -> String {
    var plan = EncodingPlan(quality)
    (plan.effort, plan.frameDivisor, plan.size) = (effort, frameDivisor, size)
    let settings = plan.settings(quality)
    let rate = (settings.frameRate.value * 100).rounded() / 100
    let how = effort.map { "effort \($0), " } ?? ""
    return how
      + "\(JSONValue.shown(rate)) pictures a second of \(settings.width)x\(settings.height)"
  }
}
