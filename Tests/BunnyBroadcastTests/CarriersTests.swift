import BunnyBroadcast
import BunnyRTMP
import Testing

/// Which ingests carry a stream, by what is told of media.
struct CarriersTests {
  private static let (a, b) = (ControllerRulesTests.primary, ControllerRulesTests.backup)

  /// Those that carry it after each event.
  private func story(isDual: Bool = false, _ events: BunnyBroadcastEvent...) -> [[Ingest]] {
    var carriers = Carriers(isDual: isDual)
    return events.map { event in
      carriers.take(event)
      return carriers.ingests
    }
  }

  @Test func `one that is lost and comes back`() {
    #expect(
      story(.published(Self.a), .started(Self.a), .lost(Self.a, reason: "x"), .reconnected(Self.a))
        == [[Self.a], [Self.a], [], [Self.a]])
  }

  @Test func `the other one takes over when one is lost`() {
    #expect(
      story(.started(Self.a), .lost(Self.a, reason: "x"), .reconnected(Self.b))
        == [[Self.a], [], [Self.b]])
  }

  @Test func `who takes over without a loss carries it alone, and is the one to lose`() {
    #expect(
      story(
        .started(Self.a), .reconnected(Self.b), .lost(Self.a, reason: "late"),
        .lost(Self.b, reason: "x"))
        == [[Self.a], [Self.b], [Self.b], []])
  }

  @Test func `of two each comes and goes by itself, and the one that stayed is the first`() {
    #expect(
      story(
        isDual: true, .published(Self.a), .published(Self.b), .started(Self.a),
        .lost(Self.a, reason: "x"), .reconnected(Self.a), .lost(Self.b, reason: "x"),
        .lost(Self.a, reason: "x"), .reconnected(Self.b))
        == [
          [Self.a], [Self.a, Self.b], [Self.a, Self.b], [Self.b], [Self.b, Self.a], [Self.a], [],
          [Self.b],
        ])
  }

  @Test func `what is only tried, or told of something else, changes nothing`() {
    var carriers = Carriers()
    carriers.take(.started(Self.a))
    let before = carriers
    for event in [
      BunnyBroadcastEvent.connection(Self.b, .connecting), .running,
      .standbyLost(Self.b, reason: "x"),
      .reconnecting(attempt: 1, usingBackup: true, after: .zero, reason: "x"),
    ] {
      carriers.take(event)
    }
    #expect(carriers == before && carriers.changes == 1)
    #expect(carriers.only == Self.a && carriers.first == Self.a && !carriers.isEmpty)
  }

  @Test func `who carries it alone is one, not one of two`() {
    var carriers = Carriers(isDual: true)
    carriers.take(.started(Self.a))
    #expect(carriers.only == Self.a)
    carriers.take(.started(Self.b))
    #expect(carriers.only == nil && carriers.first == Self.a && carriers.changes == 2)
  }
}
