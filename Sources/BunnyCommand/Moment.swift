import BunnyBroadcast
import BunnySystem
import Glibc

/// A moment by both clocks: the one people read, and the one that never steps.
package struct Moment: Equatable, Sendable {
  /// Milliseconds since 1970, UTC.
  package var unixMs: Int64
  /// Milliseconds of `CLOCK_MONOTONIC`.
  package var monotonicMs: Int64

  package init(unixMs: Int64, monotonicMs: Int64) {
    self.unixMs = unixMs
    self.monotonicMs = monotonicMs
  }

  package static var now: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(
      unixMs: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000,
      monotonicMs: MonotonicTime.now.nanoseconds / 1_000_000)
  }

  /// `2026-01-31T23:59:59.123Z`.
  package var iso8601: String {
    var seconds = time_t(unixMs / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date =
      "\(parts.tm_year + 1900)-\(twoDigits(Int(parts.tm_mon) + 1))-\(twoDigits(Int(parts.tm_mday)))"
    let milliseconds = String(unixMs % 1000)
    let zeros = String(repeating: "0", count: 3 - milliseconds.count)
    return "\(date)T\(Self.time(parts)).\(zeros)\(milliseconds)Z"
  }

  /// `23:59:59`, by this machine's own time zone.
  package var localTime: String {
    var seconds = time_t(unixMs / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return Self.time(parts)
  }

  private static func time(_ parts: tm) -> String {
    "\(twoDigits(Int(parts.tm_hour))):\(twoDigits(Int(parts.tm_min))):\(twoDigits(Int(parts.tm_sec)))"
  }
}
