package import BunnyStreamAPI
package import FoundationEssentials

/// The wait for a scheduled stream's time, so that it is not opened to the public early.
package enum Countdown {
  /// The schedule may be changed meanwhile: it is looked at again after so many seconds at most.
  package static let look = 30.0

  /// How many seconds it is to the stream's time.
  ///
  /// - Parameter now: by the server's clock.
  /// - Returns: nil when viewers see it already, when it has no time, and when that has come.
  package static func seconds(to stream: BunnyLiveStream, now: Date) -> Double? {
    guard stream.status != .running, let start = stream.scheduledStartTime, start > now else {
      return nil
    }
    return start.timeIntervalSince(now)
  }

  /// How many seconds are left when it is said next: whole hours, then whole minutes, tens of seconds, and
  /// each of the last ten.
  ///
  /// - Parameter left: seconds.
  package static func mark(below left: Double) -> Double {
    let step = [(3600.0, 3600.0), (60, 60), (10, 10)].first { left > $0.0 }?.1 ?? 1
    return max(0, ((left / step).rounded(.up) - 1) * step)
  }
}
