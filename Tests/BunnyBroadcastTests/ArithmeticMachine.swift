import BunnyBroadcast
import BunnyMedia
import BunnySystem

/// A machine that takes so long for a picture of cost 1, and obeys.
struct ArithmeticMachine {
  static let quality = VideoEncoder.Settings(
    width: 1280, height: 720, frameRate: Timebase(30, 1), bitrate: 2_500_000)

  var rule: ProcessorRule
  var plan: EncodingPlan
  let orders = EncodingOrders(Self.quality)
  var now = MonotonicTime(nanoseconds: 0)
  var milliseconds: Double
  var processors: Double
  var others = 0.0
  var waiting = 0.0
  /// The camera's own pictures pass, and none is encoded.
  var isPassing = false
  private var encoded = 0.0

  /// - Parameters:
  ///   - expected: what the rule expects of it, milliseconds.
  ///   - threads: that a quality file insists on.
  init(
    _ wish: EncodingStep.Wish, milliseconds: Double, expected: Double? = nil,
    processors: Double = 4, remembered: EncoderEffort? = nil, threads: Int? = nil
  ) {
    rule = ProcessorRule(
      wish, remembered: remembered,
      .init(
        framesPerSecond: 30, height: 720, processors: processors,
        expected: (expected ?? milliseconds) * 1e6, threads: threads))
    (self.milliseconds, self.processors) = (milliseconds, processors)
    plan = EncodingPlan(Self.quality)
    obey(rule.beginning)
    plan = orders.current.plan
  }

  private mutating func obey(_ order: ProcessorRule.Order) {
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.frameDivisor) = (order.step.effort, order.step.frameDivisor)
    (limit.size, limit.threads) = (order.step.size, order.threads)
    orders.limit(limit, by: .processor, atOnce: order.atOnce)
    guard order.atOnce else { return }
    plan = orders.current.plan
    orders.obeyed()
  }

  /// What happened, and after how many seconds.
  mutating func run(_ seconds: Double) -> [(after: Double, verdict: ProcessorRule.Verdict)] {
    var verdicts: [(Double, ProcessorRule.Verdict)] = []
    let began = now
    for quarter in 1...Int(seconds * 4) {
      now = began + .milliseconds(250) * Int64(quarter)
      if quarter.isMultiple(of: 8) { plan = orders.current.plan }  // a keyframe is due
      guard let sample = sample() else { continue }  // the lane still encodes
      let verdict = rule.look(sample, plan)
      if let order = verdict.order { obey(order) }
      if verdict != .init() { verdicts.append((Double(quarter) / 4, verdict)) }
    }
    return verdicts
  }

  private mutating func sample() -> ProcessorRule.Sample? {
    var sample = ProcessorRule.Sample(time: now)
    sample.processors = processors
    if isPassing {
      sample.idle = processors - others
      return sample
    }
    let side = Double(plan.size.rawValue) / 4
    let needs = milliseconds * (plan.effort?.cost ?? 1) * side * side
    let slowed = max(1, (others + 1) / processors)
    let wall = needs / EncoderThreads.speed(plan.threads ?? 1) * slowed
    let due = 7.5 / Double(plan.frameDivisor)
    let done = min(due + waiting, 250 / wall)
    let left = due + waiting - done
    waiting = min(6, left)
    sample.waiting = Int(waiting.rounded())
    sample.leftOut = Int(left - waiting)
    encoded += done
    guard encoded >= 1 else { return nil }
    sample.frames = Int(encoded)
    encoded -= Double(sample.frames)
    sample.encoding = Int64(Double(sample.frames) * wall * 1e6)
    sample.processorTime = Int64(Double(sample.frames) * needs * 1e6)
    sample.idle = max(0, processors - others - Double(sample.processorTime) / 250e6)
    return sample
  }
}
