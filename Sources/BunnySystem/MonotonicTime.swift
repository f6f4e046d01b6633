import Glibc

/// A moment of this machine's `CLOCK_MONOTONIC`, in nanoseconds: the clock of every frame and sample.
///
/// Never steps, and stands still while the machine is suspended. V4L2 and ALSA stamp with it.
/// (`ContinuousClock` is `CLOCK_BOOTTIME` on Linux; `SuspendingClock` is this one.)
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary moment, usually the boot.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Later than anything that will happen.
  public static let distantFuture = MonotonicTime(nanoseconds: Int64.max / 2)

  /// This moment.
  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (time: Self, nanoseconds: Int64) -> Self {
    Self(nanoseconds: time.nanoseconds + nanoseconds)
  }

  /// Nanoseconds from `earlier` to `later`.
  public static func - (later: Self, earlier: Self) -> Int64 {
    later.nanoseconds - earlier.nanoseconds
  }
}

extension Int64 {
  /// This many milliseconds, in nanoseconds.
  public static func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }
  /// This many seconds, in nanoseconds.
  public static func seconds(_ count: Double) -> Int64 { Int64(count * 1_000_000_000) }
}
