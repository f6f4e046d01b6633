package import BunnySystem

/// What is asked at a terminal before a live stream is ended for good, and what an answer means.
/// Reads no key and no clock itself.
package struct EndQuestion: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    /// Show this sentence and wait for a key.
    case ask(String)
    /// End the stream for good.
    case end
    /// End the broadcast and leave the stream running.
    case leave
    /// Go on as before.
    case goOn
    case nothing
  }

  private enum Asked: Equatable {
    case byKey, byInterrupt
  }

  /// Nanoseconds for an answer.
  package static let patience = Int64.seconds(10)

  private var asked: Asked?
  private var deadline = MonotonicTime.distantFuture

  package init() {}

  /// Ctrl-C: asks; a second one leaves.
  package mutating func interrupted(at now: MonotonicTime) -> Step {
    if asked == .byInterrupt { return close(.leave) }
    open(.byInterrupt, now)
    return .ask(
      "e: end it for good; l: leave it running (in 10 s); g: go on")
  }

  /// A key; nil when it is none of this question's.
  package mutating func pressed(_ key: Character, at now: MonotonicTime) -> Step? {
    switch (asked, key.lowercased()) {
    case (nil, "q"):
      open(.byKey, now)
      return .ask("y: end it for good, never to run again; n: go on (in 10 s)")
    case (nil, _): return nil
    case (.byKey, "y"), (.byInterrupt, "e"): return close(.end)
    case (.byKey, "n"), (.byInterrupt, "g"): return close(.goOn)
    case (.byInterrupt, "l"): return close(.leave)
    default: return nil
    }
  }

  /// Called now and then: nobody answered.
  package mutating func passed(_ now: MonotonicTime) -> Step {
    guard let asked, now >= deadline else { return .nothing }
    return close(asked == .byInterrupt ? .leave : .goOn)
  }

  /// The broadcast ends for another reason: there is nothing to answer any more.
  package mutating func withdraw() { _ = close(.nothing) }

  private mutating func open(_ asked: Asked, _ now: MonotonicTime) {
    self.asked = asked
    deadline = now + Self.patience
  }

  private mutating func close(_ step: Step) -> Step {
    asked = nil
    deadline = .distantFuture
    return step
  }
}
