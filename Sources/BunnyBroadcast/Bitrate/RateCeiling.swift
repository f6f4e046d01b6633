package import BunnySystem

/// What a line is known not to carry, and when to ask again. A value, which reads no clock.
package struct RateCeiling: Sendable {
  package enum Advice: Equatable, Sendable {
    /// So many bit/s, sound included, are what the line carries.
    case hold(Double)
    /// So many may be tried for a while.
    case tries(Double)
    /// Nothing is known to fail.
    case rises
  }

  /// In nanoseconds: from a failure to a try, each time at the same rate, and how long a try lasts.
  private static let patience = [Int64.seconds(60), .seconds(180), .seconds(540)]
  private static let trial = Int64.seconds(4)
  /// How much faster than what failed a burst comes through on another line.
  private static let another = 1.2
  /// How many bursts in a row show another line: a peer that is held up tells of much at once.
  private static let bursts = (least: 2, most: 5)

  /// Bit/s, sound included, that the line carried when it failed; nil: it has not.
  package private(set) var rate: Double?
  private var failedAt = MonotonicTime(nanoseconds: 0)
  private var patience = Self.patience[0]
  private var triesSince: MonotonicTime?
  /// What failed before, or was refuted since.
  private var lastRate: Double?
  private var bursts: [BitrateRule.Burst] = []
  private var distrustsBurstsUntil = MonotonicTime(nanoseconds: 0)
  /// Failures in a row at the same rate.
  private var sameFailures = 0

  package init() {}

  package mutating func note(_ burst: BitrateRule.Burst) {
    let since = bursts.last.map { burst.at - $0.at } ?? .max
    guard since > 0 else { return }
    // The same one, measured over more of it.
    if since < .milliseconds(500) { bursts.removeLast() }
    bursts = bursts.suffix(Self.bursts.most - 1) + [burst]
  }

  /// The line carried less than it was given.
  ///
  /// - Parameter wasUsed: the encoder made what it was asked for, so that this was a try and not a surprise.
  package mutating func failed(at bitrate: Double, wasUsed: Bool, now: MonotonicTime) {
    let isSame = lastRate.map { abs(bitrate - $0) < 0.15 * $0 } ?? false
    sameFailures = isSame ? sameFailures + (wasUsed ? 1 : 0) : 0
    patience = Self.patience[min(sameFailures, Self.patience.count - 1)]
    distrustsBurstsUntil = now + .seconds(1)
    (rate, lastRate, failedAt, triesSince, bursts) = (bitrate, bitrate, now, nil, [])
  }

  /// What it carried can be told better now.
  package mutating func measured(_ bitrate: Double) { (rate, lastRate) = (bitrate, bitrate) }

  /// So much came through while something waited.
  package mutating func carried(_ bitrate: Double) {
    if let rate, bitrate > 1.05 * rate { measured(bitrate) }
  }

  /// - Parameters:
  ///   - isUsed: the encoder makes what it may: otherwise a try would show nothing.
  ///   - isCalm: nothing to speak of waits.
  package mutating func take(isUsed: Bool, isCalm: Bool, at now: MonotonicTime) -> Advice {
    guard let rate else { return .rises }
    if let since = triesSince {
      guard now - since >= Self.trial, isCalm else { return .tries(1.1 * rate) }
      (self.rate, triesSince) = (nil, nil)
      return .rises
    }
    if now >= distrustsBurstsUntil, let burst = burst(at: now), burst > Self.another * rate {
      self.rate = nil
      return .rises
    }
    guard isUsed, isCalm, now - failedAt >= patience else { return .hold(rate) }
    triesSince = now
    return .tries(1.1 * rate)
  }

  /// Bit/s of the slowest of the last ones: of one more each time that they misled.
  private func burst(at now: MonotonicTime) -> Double? {
    let needed = min(Self.bursts.least + sameFailures, Self.bursts.most)
    let last = bursts.suffix(needed)
    guard last.count == needed, last.allSatisfy({ now - $0.at < .seconds(3) * Int64(needed) })
    else { return nil }
    return last.map(\.bytesPerSecond).min().map { $0 * 8 }
  }
}

/// How much of what the encoders may make they do make. A value, which reads no clock.
package struct UsageMeter: Sendable {
  /// Nanoseconds that are kept.
  private static let span = Int64.seconds(2)
  private var marks: [(at: MonotonicTime, made: Int64)] = []

  package init() {}

  package mutating func note(made: Int64, at now: MonotonicTime) {
    marks.append((now, made))
    let first = marks.lastIndex { now - $0.at >= Self.span } ?? 0
    marks.removeFirst(first)
  }

  /// - Parameters:
  ///   - bitrate: bit/s.
  ///   - span: nanoseconds, two seconds at most.
  package func share(of bitrate: Double, within span: Int64) -> Double {
    guard let last = marks.last, let first = marks.first(where: { last.at - $0.at <= span }),
      last.at > first.at
    else { return 0 }
    return Double(last.made - first.made) * 8e9 / Double(last.at - first.at) / bitrate
  }
}
