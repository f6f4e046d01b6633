import BunnyMedia

/// Which of a camera's modes suit a broadcast, best first. Asks no device.
///
/// The size and rate that are wanted come first: what is missing of the size counts once, of the rate
/// twice, so that 640x480 at 30 fps goes before 1280x720 at 10. Among equals the shape that is wanted,
/// then no more pixels and no more frames than needed, then the format that costs least to take: where
/// it is passed on as it is, H.264. Colour goes before all of it. Of a camera that hangs sideways, what
/// counts of a size is how much is seen of it in the end.
package struct CameraNegotiation {
  /// At least one, best first.
  package let modes: [CameraMode]
  private let wanted: WantedPicture
  private let settings: CameraSettings

  /// - Parameters:
  ///   - offers: what can be captured; not empty.
  ///   - wanted: by the broadcast; what `settings` say goes before it.
  package init(
    _ offers: [CameraOffer], wanted: WantedPicture, settings: CameraSettings = CameraSettings()
  ) throws(CameraProblem) {
    var wanted = wanted
    wanted.size = settings.size ?? wanted.size
    wanted.framesPerSecond = settings.framesPerSecond ?? wanted.framesPerSecond
    let all = offers.flatMap { Self.modes($0, wanted, settings) }
    let allowed = all.filter { Self.suits($0, settings) }
    guard !allowed.isEmpty else {
      throw .modeNotOffered(asked: Self.asked(settings), offered: Self.nearest(all, settings))
    }
    modes = allowed.enumerated().map {
      (Rank($0.element, settings.cost(of: $0.element.format), wanted, place: $0.offset), $0.element)
    }
    .sorted { $0.0 < $1.0 }.map(\.1)
    self.wanted = wanted
    self.settings = settings
  }

  private static func modes(
    _ offer: CameraOffer, _ wanted: WantedPicture, _ settings: CameraSettings
  ) -> [CameraMode] {
    guard settings.cost(of: offer.format) != nil else { return [] }
    return offer.sizes.flatMap { sizes in
      let (width, height) = sizes.nearest(width: wanted.size.width, height: wanted.size.height)
      return sizes.rates.candidates(for: wanted.framesPerSecond).map {
        CameraMode(offer.format, width, height, $0)
      }
    }
  }

  private static func suits(_ mode: CameraMode, _ settings: CameraSettings) -> Bool {
    (settings.format ?? mode.format) == mode.format && (settings.size ?? mode.size) == mode.size
      && hasRate(mode, settings.framesPerSecond)
  }

  private static func hasRate(_ mode: CameraMode, _ wanted: Double?) -> Bool {
    guard let wanted, let rate = mode.rate else { return true }
    return abs(rate.value / wanted - 1) < Rank.tolerance
  }

  /// What was asked for, as the options write it.
  private static func asked(_ settings: CameraSettings) -> String {
    let parts = [
      settings.size.map(\.description), settings.format.map(\.description),
      settings.framesPerSecond.map { "at \(Timebase.frameRate($0).decimal) fps" },
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  /// What it does offer where as much as possible of what was asked is kept.
  private static func nearest(_ modes: [CameraMode], _ settings: CameraSettings) -> String {
    let inFormat = modes.filter { (settings.format ?? $0.format) == $0.format }
    guard !inFormat.isEmpty else { return words(modes.map(\.format.description)) }
    let inSize = inFormat.filter { (settings.size ?? $0.size) == $0.size }
    guard !inSize.isEmpty else { return words(inFormat.map(\.size.description)) }
    return words(inSize.compactMap { $0.rate?.decimal }) + " fps"
  }

  private static func words(_ all: [String]) -> String {
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }.joined(separator: ", ")
  }

  /// What to try when `mode` cannot be had: where the bus has no room for it, the best of those that need
  /// less; where the driver refuses what it offers, the next one.
  ///
  /// - Returns: nil when there is none, or another would help no more.
  package func next(after mode: CameraMode, refusedFor problem: CameraProblem) -> CameraMode? {
    switch problem {
    case .noRoom: modes.first { $0.bitsPerSecond < mode.bitsPerSecond * 0.95 }
    case .modeRefused: modes.drop { $0 != mode }.dropFirst().first
    default: nil
    }
  }

  /// Why the first one was chosen, in words that follow its name.
  package var reason: String {
    let best = modes[0]
    let goal =
      "\(wanted.size) at \(Timebase.frameRate(wanted.framesPerSecond).decimal) fps"
      + (wanted.sideways == nil ? "" : " before it is turned")
    let rank = Rank(best, settings.cost(of: best.format), wanted, place: 0)
    var words = rank.covers ? "enough for \(goal)" : "of what it offers, the nearest to \(goal)"
    if rank.isExact { words = "as wanted" }
    let cheaper = cheaperFormats(than: best)
    return cheaper.isEmpty ? words : "\(words); \(cheaper.joined(separator: "; "))"
  }

  /// What keeps formats from being chosen that would cost less.
  private func cheaperFormats(than best: CameraMode) -> [String] {
    guard let cost = settings.cost(of: best.format) else { return [] }
    var seen: Set<FourCC> = []
    return modes.filter {
      settings.cost(of: $0.format)! < cost && seen.insert($0.format).inserted
    }.map {
      "\($0.format) reaches only \($0.size)" + ($0.rate.map { " at \($0.decimal) fps" } ?? "")
    }
  }
}

/// How well a mode suits; the least is the best.
private struct Rank: Comparable {
  /// 29.97 counts as 30.
  static let tolerance = 0.005

  private let keys: [Double]
  /// Has all pixels and frames that are wanted.
  let covers: Bool
  /// Has just them.
  let isExact: Bool

  init(_ mode: CameraMode, _ cost: FourCC.Cost?, _ wanted: WantedPicture, place: Int) {
    let width = Double(mode.size.width) / Double(wanted.size.width)
    let height = Double(mode.size.height) / Double(wanted.size.height)
    let speed = mode.rate.map { $0.value / wanted.framesPerSecond } ?? 1
    let rate = abs(speed - 1) < Self.tolerance ? 1 : speed
    let share = wanted.share(of: mode.size) * min(1, rate) * min(1, rate)
    let hasShape = abs(width / height - 1) < 0.01
    covers = share == 1
    isExact = covers && width == 1 && height == 1 && rate == 1
    keys = [
      cost == .grey ? 1 : 0, -share, hasShape ? 0 : 1, width * height, rate,
      Double((cost ?? .grey).rawValue), Double(place),
    ]
  }

  static func < (left: Rank, right: Rank) -> Bool {
    left.keys.lexicographicallyPrecedes(right.keys)
  }
}

extension CameraSettings {
  /// nil: it cannot be captured.
  fileprivate func cost(of format: FourCC) -> FourCC.Cost? {
    passthrough && format == "H264" ? .coded : format.cost
  }
}
