package import BunnySystem

/// When an ingest may be tried again: at once, then after 0.5, 1, 2, 5, 10, 15, 15 … s, each anywhere
/// from nothing to that much, so that a thousand boxes do not come back in the same instant. A server that
/// answers is tried six times a minute at most, unless it has carried the stream for a while: one that
/// accepts and hangs up makes no storm, and one that was good is asked at once. A value, which reads no
/// clock.
package struct Retries: Equatable, Sendable {
  /// Seconds.
  package static let steps: [Double] = [0, 0.5, 1, 2, 5, 10, 15]
  /// The same for an ingest that remembers a dead session of our own under the stream's name.
  package static let memorySteps: [Double] = [1, 2, 5, 10, 20, 40, 80, 120]
  package static let mostAMinute = 6
  /// So many of them may follow each other as the steps say; the others are spread over the minute, or an
  /// outage of some seconds would cost all of it.
  package static let quickTries = 4
  /// How long, in nanoseconds, an ingest must have carried the stream, and media have arrived, to be ``proven()``.
  package static let proof = Int64.seconds(5)
  /// How long, in nanoseconds, lies between two tries that are made only to see whether anybody answers.
  package static let probePause = Int64.seconds(10)

  /// Failures in a row, since it last carried the stream for a while.
  package private(set) var failures = 0
  private var memories = 0
  private var waitsForMemory = false
  private var tries: [MonotonicTime] = []
  private var forgiven: MonotonicTime?
  private var earliest = Self.longAgo
  private static let longAgo = MonotonicTime(nanoseconds: 0)

  package init() {}

  /// It is being tried.
  package mutating func tried(at now: MonotonicTime) {
    tries = Array((tries + [now]).suffix(Self.mostAMinute))
  }

  /// A try was in vain that nobody was there to be bothered by.
  package mutating func reachedNobody(triedAt time: MonotonicTime) {
    tries.removeAll { $0 == time }
  }

  /// It has failed.
  ///
  /// - Parameters:
  ///   - chance: from 0 to 1, drawn anew each time.
  ///   - remembers: it refused because of our own dead session.
  package mutating func failed(
    at now: MonotonicTime, chance: Double, remembers: Bool = false
  ) {
    let seconds: Double
    if remembers {
      // Not less than half: asking early is in vain.
      seconds = Self.memorySteps[min(memories, Self.memorySteps.count - 1)] * (0.5 + chance / 2)
      memories += 1
    } else {
      seconds = Self.steps[min(failures, Self.steps.count - 1)] * chance
    }
    failures += 1
    waitsForMemory = remembers
    earliest = now + .seconds(seconds)
  }

  /// It is needed more than before: what kept it waiting was that another one did well.
  package mutating func isNeeded() {
    if !waitsForMemory { earliest = Self.longAgo }
  }

  /// It has carried the stream for a while.
  package mutating func proven() {
    failures = 0
    memories = 0
    tries = []
    earliest = Self.longAgo
  }

  /// The network has come up: no wait that was for it, and no count of tries that it made vain; that
  /// once a minute, since a link may flap.
  package mutating func linkUp(at now: MonotonicTime) {
    if !waitsForMemory { earliest = Self.longAgo }
    if forgiven.map({ now - $0 < .seconds(60) }) ?? false { return }
    forgiven = now
    tries = []
  }

  /// When it may be tried next; in the past when now.
  package var next: MonotonicTime {
    guard let last = tries.last else { return earliest }
    let recent = tries.filter { last - $0 < .seconds(60) }
    guard recent.count >= Self.quickTries, let first = recent.first else { return earliest }
    let triesLeft = Int64(Self.mostAMinute - recent.count)
    let pause = (first + .seconds(60) - last) / (triesLeft + 1)
    return max(earliest, last + (pause + 999_999) / 1_000_000 * 1_000_000)  // whole milliseconds
  }

  /// The same for a try that only shows whether anybody answers.
  package var nextProbe: MonotonicTime {
    max(next, tries.last.map { $0 + Self.probePause } ?? Self.longAgo)
  }
}
