import BunnyMedia
import BunnySystem

/// Where sound goes on the broadcast's unbroken line of samples: gaps are filled with silence,
/// overlaps left out.
///
/// Counts in samples at 48 kHz, and nanoseconds, since the broadcast's first picture.
package struct SampleGrid {
  /// What to do with one run.
  package struct Placement: Equatable {
    /// Samples of silence before it.
    package var silence: Int
    /// Samples to leave out at its beginning.
    package var skipped: Int
    /// The line jumps to here first: a hole too long to fill.
    package var jump: Int64?

    package init(silence: Int = 0, skipped: Int = 0, jump: Int64? = nil) {
      self.silence = silence
      self.skipped = skipped
      self.jump = jump
    }
  }

  private static let timebase = Timebase(1, Int32(broadcastSampleRate))

  /// The first sample that is not there yet.
  package private(set) var next: Int64 = 0
  /// Whether what comes next follows sound, and not silence or the beginning.
  private var followsSound = false

  package init() {}

  /// When sample `index` is heard.
  package static func time(of index: Int64) -> Int64 { timebase.convert(index, to: .nanoseconds) }

  /// The sample heard at `time`.
  package static func index(at time: Int64) -> Int64 {
    Timebase.nanoseconds.convert(time, to: timebase)
  }

  /// Gives `count` samples that begin at `time` their place.
  ///
  /// - Parameter tolerance: nanoseconds that `time` may be off what the sound before it says, before
  ///   anything is mended. Sound that follows none goes exactly where its time says.
  package mutating func place(_ time: Int64, count: Int, tolerance: Int64) -> Placement {
    let off = Self.index(at: time) - next
    let tolerated = followsSound ? Self.index(at: tolerance) : 0
    followsSound = true
    var placement = Placement()
    if off > Self.index(at: FrameGrid.longestFill) {
      next += off
      placement.jump = next
    } else if off > tolerated {
      placement.silence = Int(off)
    } else if off < -tolerated {
      placement.skipped = min(count, Int(-off))
    }
    next += Int64(placement.silence + count - placement.skipped)
    return placement
  }

  /// Silence that is due because nothing has come by `now`.
  ///
  /// - Parameter grace: how long, in nanoseconds, sound may be late.
  package mutating func missed(at now: Int64, grace: Int64) -> Placement {
    let due = Self.index(at: now - grace)
    guard due > next else { return Placement() }
    defer { next = due }
    followsSound = false
    return due - next > Self.index(at: FrameGrid.longestFill)
      ? Placement(jump: due) : Placement(silence: Int(due - next))
  }
}
