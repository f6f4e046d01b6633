package import BunnySystem

/// How long a step has to hold before a better one is tried: longer each time that did not hold. Counts only.
package struct ClimbPatience: Equatable, Sendable {
  package static let first: Int64 = .seconds(20)
  package static let longest: Int64 = .seconds(900)

  /// Nanoseconds; none as long as nothing failed.
  package private(set) var wait: Int64 = 0
  private var climbed: MonotonicTime?  // nil: something failed since
  private var failed: MonotonicTime?

  package init() {}

  /// A better step is being encoded to.
  package mutating func climbed(at now: MonotonicTime) { climbed = now }

  /// A step did not hold. Soon after a climb it was the climb; soon after another failure it is the same
  /// one, going on; else it is the first of its kind.
  package mutating func failed(at now: MonotonicTime) {
    let soon = 3 * max(wait, Self.first)
    func isRecent(_ time: MonotonicTime?) -> Bool { time.map { now - $0 < soon } ?? false }
    if isRecent(climbed) {
      wait = min(max(2 * wait, Self.first), Self.longest)
    } else if !isRecent(failed) {
      wait = Self.first
    }
    (climbed, failed) = (nil, now)
  }
}
