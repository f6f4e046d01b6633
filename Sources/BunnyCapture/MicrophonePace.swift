import BunnyMedia
package import BunnySystem

/// Keeps sound in step with the clock by making it a little longer or shorter, never by a jump that can
/// be avoided.
///
/// Sound is handed on at 48 kHz without a gap, so where its next sample goes is a matter of counting.
/// Where it belongs is what ``MicrophoneClock`` says. The difference is worked off in five seconds, by at
/// most 1000 parts per million: a sixtieth of a semitone, which nobody hears.
package struct MicrophonePace: Sendable {
  /// How much longer sound is to be made, from now on.
  package private(set) var partsPerMillion = 0.0
  /// How far what was placed last is off where it belongs, nanoseconds; positive is too early.
  package private(set) var error: Int64 = 0

  private var start: (time: MonotonicTime, samples: Int64)?

  package static let most = 1000.0
  private static let worksOffIn = 5.0
  /// Nanoseconds: an error that is too large to be worked off.
  package static let largestError = Int64.milliseconds(200)
  /// Nanoseconds: what is missing after a hole, and less than this, is worked off.
  private static let smallestHole = Int64.milliseconds(2)

  package init() {}

  /// Gives a run its place: where the one before it ended, if that can be.
  ///
  /// - Parameters:
  ///   - count: samples at 48 kHz.
  ///   - truth: when its first sample was captured.
  ///   - clock: parts per million by which the card is fast.
  ///   - afterHole: samples are missing before it.
  /// - Returns: The time of its first sample.
  package mutating func place(
    _ count: Int, captured truth: MonotonicTime, clock: Double, afterHole: Bool
  ) -> MonotonicTime {
    let next = start.map { $0.time + Self.timebase.convert($0.samples, to: .nanoseconds) }
    error = next.map { truth - $0 } ?? 0
    let jumps = abs(error) > (afterHole ? Self.smallestHole : Self.largestError)
    if jumps { error = 0 }
    let time = jumps ? truth : next ?? truth
    start = jumps || start == nil ? (time, 0) : start
    start?.samples += Int64(count)
    let needed = Double(error) / Self.worksOffIn / 1000 - clock
    partsPerMillion = min(Self.most, max(-Self.most, needed))
    return time
  }

  private static let timebase = Timebase(1, Int32(broadcastSampleRate))
}
