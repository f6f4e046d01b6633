import BunnySystem

/// Whether media is left out because an ingest takes it too slowly. A value, which reads no clock.
package struct DropRule: Equatable, Sendable {
  /// Nanoseconds that the oldest unsent tag may have waited.
  package static let longestAge = Int64.milliseconds(1500)

  /// All there was had been sent, once, and nothing has held it up since: until then, what waits is to
  /// be caught up with.
  private var hasCaughtUp = false
  /// The rest of a GOP is being left out.
  package private(set) var isSkipping = false

  package init() {}

  /// All there was has been sent.
  package mutating func caughtUp() { hasCaughtUp = true }

  /// Something is known to have arrived.
  ///
  /// - Parameter pause: nanoseconds since the last time. A peer, or a line, that stood still for the
  ///   stall limit is not slow: what piled up meanwhile is caught up with like a replay.
  package mutating func confirmed(after pause: Int64, stallLimit: Int64) {
    if pause >= stallLimit { hasCaughtUp = false }
  }

  /// - Parameters:
  ///   - age: nanoseconds for which the next tag has waited.
  ///   - confirmedAgo: nanoseconds since something was last known to have arrived: a peer that takes
  ///     nothing is to be left, not to be spared.
  /// - Returns: Whether a video frame is to be left out.
  package mutating func leavesOut(
    isKeyframe: Bool, age: Int64, confirmedAgo: Int64, stallLimit: Int64
  ) -> Bool {
    if isKeyframe {
      isSkipping = false
      return false
    }
    confirmed(after: confirmedAgo, stallLimit: stallLimit)
    if hasCaughtUp, age > Self.longestAge { isSkipping = true }
    return isSkipping
  }
}
