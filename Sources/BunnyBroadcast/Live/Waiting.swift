package import BunnySystem
package import FoundationEssentials

/// What a broadcast waits for while it sends nothing.
package struct Waiting: Equatable, Sendable {
  /// In words that follow "waiting for".
  package let what: String
  /// When that comes, by the server's clock and by ours; nil: nobody knows.
  package let until: (date: Date, time: MonotonicTime)?

  package init(_ what: String, until: (date: Date, time: MonotonicTime)? = nil) {
    (self.what, self.until) = (what, until)
  }

  static let api = Waiting("Bunny's API")

  package static func == (one: Waiting, other: Waiting) -> Bool {
    one.what == other.what && one.until?.date == other.until?.date
      && one.until?.time == other.until?.time
  }

  /// - Parameter began: since when the broadcast counts as lasting.
  package func statistics(since began: MonotonicTime, at now: MonotonicTime) -> BroadcastStatistics
  {
    var statistics = BroadcastStatistics()
    statistics.state = MediaState.waiting.rawValue
    statistics.elapsedSeconds = Double(now - began) / 1e9
    statistics.waitingFor = what
    statistics.waitingUntil = until?.date
    statistics.waitingSeconds = until.map { max(0, Double($0.time - now) / 1e9) }
    return statistics
  }
}
