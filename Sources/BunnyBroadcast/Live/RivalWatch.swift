package import BunnySystem

/// Whether somebody else publishes to the stream beside us, by what Bunny says of the ingest that we do not
/// publish to. A value.
package struct RivalWatch: Equatable, Sendable {
  /// Nanoseconds for which that must be said: two polls.
  static let leastLasting = Int64.seconds(8)
  /// For so long after we came to an ingest the other one may still speak of a session of our own.
  static let settling = Int64.seconds(60)

  private var since: MonotonicTime?
  private var hasSaid = false

  package init() {}

  /// - Parameters:
  ///   - isBesides: the other ingest has the stream.
  ///   - arrival: when we came to ours; nil: what was there before us is known to be somebody else's.
  /// - Returns: Whether it is to be said: once, until they have gone.
  package mutating func saw(
    _ isBesides: Bool, arrival: MonotonicTime?, at now: MonotonicTime
  ) -> Bool {
    guard isBesides else {
      self = RivalWatch()
      return false
    }
    let since = since ?? now
    self.since = since
    let isSettled = arrival.map { now - $0 >= Self.settling } ?? true
    guard !hasSaid, isSettled, now - since >= Self.leastLasting else { return false }
    hasSaid = true
    return true
  }
}
