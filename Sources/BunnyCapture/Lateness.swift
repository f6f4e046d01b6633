import BunnySystem

/// From when on what a source owes is late: the one rule for cameras, pipes and all that is waited for.
package enum Lateness {
  package static let least: Int64 = .milliseconds(500)

  /// Half a second, or three times as long as it takes from one delivery to the next, which is `interval`
  /// nanoseconds.
  package static func limit(interval: Int64) -> Int64 { max(least, 3 * interval) }
}
