import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// The real process and ingests that come and go, with the default `--retry always`.
struct RetryTests {
  private let small: SmallPublish

  init() throws { small = try SmallPublish() }

  @Test func `an ingest that is not there at first is gone live to when it comes`() async throws {
    let port = FreePort.next()
    let command = try Command.start(
      small.arguments(to: "rtmp://127.0.0.1:\(port)/live/key", "--events", "json"))
    _ = try await command.waitForLine(in: .output) { $0.contains(#""attempt":2"#) }
    let ingest = try ScriptedIngest(port: port)
    try await ingest.waitUntil { $0.first.map { $0.media.count > 20 } ?? false }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(ingest.visits[0].media.first { $0.kind == .video }?.tag.isKeyframe == true)
    let log = try EventLog(outcome.standardOutput)
    log.check()
    let waits = log.all("reconnecting")
    #expect(waits.map(\.attempt) == Array(1...waits.count))
    #expect(waits[0].afterMs == 0)
    for wait in waits { #expect((0...60_000).contains(wait.afterMs ?? -1)) }
    #expect(log.all("started").count == 1)
    #expect(log.all("failed").isEmpty && log.all("lost").isEmpty)
  }

  @Test func `an ingest that dies and comes back is gone live to again, and time runs on`()
    async throws
  {
    let first = try ScriptedIngest()
    let command = try Command.start(small.arguments(to: first.url(), "--events", "json"))
    try await first.waitUntil { $0.first.map { $0.media.count > 60 } ?? false }
    first.close()
    try await first.waitUntilClosed()
    _ = try await command.waitForLine(in: .output) { $0.contains(#""event":"reconnecting""#) }
    let second = try ScriptedIngest(port: first.port)
    try await second.waitUntil { $0.first.map { $0.media.count > 60 } ?? false }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")

    let log = try EventLog(outcome.standardOutput)
    log.check()
    let story = ["started", "lost", "reconnecting", "reconnected", "ended"]
    #expect(log.names.filter(story.contains).uniqued == story)
    #expect(log.lines.last?.connections == 2)
    let before = try #require(first.visits[0].media.last)
    let after = second.visits[0].media
    #expect(after.first { $0.kind == .video }?.tag.isKeyframe == true)
    // From the keyframe before what was not sent: they come every second.
    let step = try #require(after.first).timestamp - before.timestamp
    #expect((-1200...1000).contains(step), "\(step)")
    for kind in [RTMPTag.Kind.audio, .video] {
      let times = after.filter { $0.kind == kind }.map(\.timestamp)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func `a server that accepts and drops us is asked six times a minute at most`() async throws
  {
    let ingest = try ScriptedIngest(IngestScript(.close, at: .tags(3)))
    let command = try Command.start(small.arguments(to: ingest.url(), "--events", "json"))
    // The fourth failure within some seconds: two tries more are spread over what is left of the minute.
    _ = try await command.waitForLine(in: .output, atMost: 60) { $0.contains(#""attempt":4"#) }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let waits = try EventLog(outcome.standardOutput).all("reconnecting").compactMap(\.afterMs)
    #expect(waits.first == 0 && waits.count == 4, "\(waits)")
    #expect(waits.last.map { $0 > 15_000 } == true, "\(waits)")
    #expect(ingest.visits.count == 4)
  }
}

extension [String] {
  /// Without repetitions of what stood just before.
  fileprivate var uniqued: [String] {
    enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
  }
}
