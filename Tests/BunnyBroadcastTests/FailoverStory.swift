import BunnyBroadcast
import BunnySystem
import Testing

/// Tells a ``Failover`` what happens and when, like the publish lane does, and expects what it answers.
/// In between it looks in at each of its deadlines, and expects nothing.
struct FailoverStory {
  private(set) var failover: Failover
  private(set) var now: Int64 = 0

  /// - Parameter chance: what each wait is multiplied with.
  init(
    ingests: Int = 2, chance: Double = 1, publishedBefore: [Int: MonotonicTime] = [:],
    _ change: (inout Failover.Rules) -> Void = { _ in }
  ) {
    var rules = Failover.Rules()
    rules.ingests = ingests
    change(&rules)
    failover = Failover(rules, publishedBefore: publishedBefore) { chance }
  }

  /// The primary carries the stream, as 1, since 100 ms; the backup is ready beside it, as 2.
  static func live(_ change: (inout Failover.Rules) -> Void = { _ in }) -> FailoverStory {
    var story = FailoverStory(change)
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(50, .ready(1), .publish(1, .replay))
    story.at(60, .ready(2))
    story.at(100, .publishing(1))
    return story
  }

  /// The only ingest carries the stream, as 1, since 100 ms.
  static func single() -> FailoverStory {
    var story = FailoverStory(ingests: 1)
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(50, .ready(1), .publish(1, .replay))
    story.at(100, .publishing(1))
    return story
  }

  /// The primary carries the stream, as 1, since 100 ms; nothing is kept ready.
  static func cold(_ change: (inout Failover.Rules) -> Void = { _ in }) -> FailoverStory {
    var story = FailoverStory {
      $0.keepsStandby = false
      change(&$0)
    }
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(50, .ready(1), .publish(1, .replay))
    story.at(100, .publishing(1))
    return story
  }

  static func moment(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: .seconds(1000) + .milliseconds(milliseconds))
  }

  /// - Parameter time: milliseconds, since the beginning of the story.
  mutating func at(
    _ time: Int64, _ input: Failover.Input, _ expected: Failover.Action...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    quiet(until: time, sourceLocation: sourceLocation)
    if input == .tick, time > 0 {
      #expect(
        failover.deadline(after: Self.moment(now)) == Self.moment(time),
        "nobody would look at \(time) ms", sourceLocation: sourceLocation)
    }
    let actions = failover.take(input, at: Self.moment(time))
    now = time
    #expect(
      actions == expected, "at \(time) ms, after \(input)", sourceLocation: sourceLocation)
  }

  /// Nothing is to be done before `time`.
  mutating func quiet(
    until time: Int64, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    precondition(time >= now)
    while let deadline = failover.deadline(after: Self.moment(now)),
      deadline < Self.moment(time)
    {
      now = (deadline - Self.moment(0)) / .milliseconds(1)
      let actions = failover.take(.tick, at: deadline)
      #expect(actions == [], "at \(now) ms", sourceLocation: sourceLocation)
    }
  }

  /// Until just before `time`: pings of the standby `id` as they come, each answered at once.
  mutating func idle(
    standby id: Failover.LegID, until time: Int64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    while let deadline = failover.deadline(after: Self.moment(now)),
      deadline < Self.moment(time)
    {
      now = (deadline - Self.moment(0)) / .milliseconds(1)
      let actions = failover.take(.tick, at: deadline)
      #expect(
        actions == [] || actions == [.ping(id)], "at \(now) ms", sourceLocation: sourceLocation)
      if !actions.isEmpty { at(now, .ponged(id), sourceLocation: sourceLocation) }
    }
    now = time - 1
  }
}
