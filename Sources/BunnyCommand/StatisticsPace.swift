package import BunnySystem

/// When statistics are worth a line in a log that is read later: not every 3 s.
package struct StatisticsPace: Sendable {
  private var next: MonotonicTime?

  package init() {}

  /// The first are, then those that come 30 s after the last that were.
  package mutating func isDue(at now: MonotonicTime) -> Bool {
    if let next, now < next { return false }
    next = now + .seconds(29.5)  // they come every 3 s, and not to the millisecond
    return true
  }
}
