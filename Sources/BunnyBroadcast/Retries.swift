package import BunnySystem

/// When an ingest may be tried again: at once, then after 0.5, 1, 2, 5, 10, 15, 15 … s, each anywhere
/// from nothing to that much, so that a thousand boxes do not come back in the same instant; six times a
/// minute at most. A value, which reads no clock.
package struct Retries: Equatable, Sendable {
  /// Seconds.
  package static let steps: [Double] = [0, 0.5, 1, 2, 5, 10, 15]
  /// The same for an ingest that remembers a dead session of our own under the stream's name.
  package static let memorySteps: [Double] = [1, 2, 5, 10, 20, 40, 80, 120]
  package static let mostAMinute = 6

  /// Failures in a row, since media was last known to arrive.
  package private(set) var failures = 0
  private var memories = 0
  private var tries: [MonotonicTime] = []
  private var earliest = MonotonicTime(nanoseconds: 0)

  package init() {}

  /// It is being tried.
  package mutating func tried(at now: MonotonicTime) {
    tries = Array((tries + [now]).suffix(Self.mostAMinute))
  }

  /// It has failed.
  ///
  /// - Parameters:
  ///   - chance: from 0 to 1, drawn anew each time.
  ///   - remembers: it refused because of our own dead session.
  package mutating func failed(at now: MonotonicTime, chance: Double, remembers: Bool = false) {
    let seconds: Double
    if remembers {
      // Not less than half: asking early is in vain.
      seconds = Self.memorySteps[min(memories, Self.memorySteps.count - 1)] * (0.5 + chance / 2)
      memories += 1
    } else {
      seconds = Self.steps[min(failures, Self.steps.count - 1)] * chance
    }
    failures += 1
    earliest = now + .seconds(seconds)
  }

  /// Media is known to have arrived there.
  package mutating func proven() {
    failures = 0
    memories = 0
    tries = []
    earliest = MonotonicTime(nanoseconds: 0)
  }

  /// The network has come up: no wait that was for it, and no count of tries in vain.
  package mutating func linkUp() {
    if memories == 0 { earliest = MonotonicTime(nanoseconds: 0) }
    tries = []
  }

  /// When it may be tried next; in the past when now.
  package var next: MonotonicTime {
    guard tries.count == Self.mostAMinute else { return earliest }
    return max(earliest, tries[0] + .seconds(60))
  }
}
