package import BunnySystem

/// How the last bytes of a connection have come through. A value, which reads no clock.
package struct DeliveryPace: Sendable, Hashable {
  /// Bytes of a write that counts as a burst, and those of it that must be measured, for how many nanoseconds:
  /// a peer acknowledges every four thousand, and threads wake some milliseconds late.
  private static let burst = (
    least: Int64(10_000), measured: Int64(6000), time: Int64.milliseconds(20), plenty: Int64(16_000)
  )

  /// When the newest byte that is known to have arrived became known; nil: none has.
  package private(set) var confirmedAt: MonotonicTime?
  /// How long before that the kernel had taken it, in nanoseconds.
  package private(set) var delay: Int64 = 0
  /// Bytes a second at which the last burst came through: what the kernel had been given at once, so that
  /// the line's pace is seen and not ours. nil: there was none.
  package private(set) var burstRate: Double?
  package private(set) var burstAt: MonotonicTime?
  private var begun: Begun?

  private struct Begun: Sendable, Hashable {
    let write: Int64
    let confirmed: Int64
    let at: MonotonicTime
  }

  package init() {}

  /// All up to `total` is known to have arrived.
  ///
  /// - Parameter write: the bytes that went to the kernel together with the last of these.
  mutating func note(
    _ total: Int64, ofWrite write: Range<Int64>, at written: MonotonicTime,
    confirmedAt now: MonotonicTime
  ) {
    confirmedAt = now
    delay = now - written
    guard write.upperBound - write.lowerBound >= Self.burst.least else {
      begun = nil
      return
    }
    guard let first = begun, first.write == write.lowerBound else {
      begun = Begun(write: write.lowerBound, confirmed: total, at: now)
      return
    }
    let (bytes, time) = (total - first.confirmed, now - first.at)
    guard time > 0, bytes >= Self.burst.measured,
      time >= Self.burst.time || bytes >= Self.burst.plenty
    else { return }
    burstRate = Double(bytes) * 1e9 / Double(time)
    burstAt = now
  }
}
