import Glibc

/// The wall clock, which may step: for people to read, and for nothing else.
package enum WallClock {
  /// Nanoseconds since 1970.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
