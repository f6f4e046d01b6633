package import BunnyMedia
import BunnySystem

/// Where pictures go on the broadcast's even grid of frames: late is repeated, early is dropped.
///
/// Counts in nanoseconds since the broadcast's first picture. Waits for nothing.
package struct FrameGrid {
  package enum Placement: Equatable {
    /// The place of this picture is taken already.
    case tooEarly
    /// It becomes frame `slot`; the frame before it is shown in the `repeats` places up to there.
    case frame(slot: Int64, repeats: Int)
    /// It becomes frame `slot` after a hole in time: the process was held up for too long to fill.
    case afterHole(slot: Int64)
  }

  /// What is to be done about places whose picture did not come.
  package enum Missed: Equatable {
    /// They repeat the last one. May be none.
    case frames(Range<Int64>)
    /// Time has moved on too far to fill: the last one is shown again in this place.
    case hole(slot: Int64)
  }

  /// How long a place waits for its picture before the last one is repeated.
  package static let grace: Int64 = .milliseconds(150)
  /// Holes longer than this stay holes.
  package static let longestFill: Int64 = .seconds(2)
  /// In frames. More than a half, so that a source whose frames come just between two places of
  /// the grid does not flicker between dropping and repeating.
  package static let slack = 0.75

  /// Frames a second.
  package let rate: Timebase
  /// The first place that is free.
  package private(set) var next: Int64 = 0

  package init(rate: Timebase) { self.rate = rate }

  /// When frame `slot` is due.
  package func time(of slot: Int64) -> Int64 { rate.reciprocal.convert(slot, to: .nanoseconds) }

  /// When the next place is filled with a repetition, if nothing comes.
  package var deadline: Int64 { time(of: next) + Self.grace }

  /// Gives a picture captured at `time` its place.
  package mutating func place(_ time: Int64) -> Placement {
    let late = time - self.time(of: next)
    let frames = Double(late) * rate.value / 1e9
    if frames < -Self.slack { return .tooEarly }
    let repeats = frames > Self.slack ? Int64(frames.rounded()) : 0
    let slot = next + repeats
    next = slot + 1
    return late > Self.longestFill
      ? .afterHole(slot: slot) : .frame(slot: slot, repeats: Int(repeats))
  }

  /// Gives up places whose picture did not come by `now`.
  package mutating func missed(at now: Int64) -> Missed {
    let from = next
    if now - deadline > Self.longestFill {
      let slot = Timebase.nanoseconds.convert(now - Self.grace, to: rate.reciprocal)
      next = slot + 1
      return .hole(slot: slot)
    }
    while deadline <= now { next += 1 }
    return .frames(from..<next)
  }
}
