import BunnySystem
import Foundation
import Support
import Testing

/// One stream, one publisher; and a broadcast that outlives its process.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveOwnershipTests {
  @Test func `after SIGKILL the next start resumes the same stream in under two seconds`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    try await first.sends("ingestStatusChanged")
    first.send(SIGKILL)
    #expect(try await first.outcome().signal == SIGKILL)
    let second = try live.start()
    try await second.sends("started")
    #expect(MonotonicTime.now - second.startedAt < .seconds(2))
    try await second.sends("ingestStatusChanged")
    second.send(SIGTERM)
    let outcome = try await second.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("is running: resuming it"))
    try await live.expectTold(try await first.outcome(), outcome)
    let attributes = try FileManager.default.attributesOfItem(atPath: live.record)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let record = try String(contentsOfFile: live.record, encoding: .utf8)
    #expect(record.contains(#""hasLeft": true"#), "\(record.count) characters")
    try await live.end()
  }

  @Test func `a second process of this machine is refused, and told who is there`() async throws {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    let second = try await live.start("--takeover").outcome()
    #expect(second.exitStatus == 80, "\(second)")
    #expect(
      second.standardError.contains(
        "process \(first.processID) of this machine broadcasts to the live stream "
          + "\(live.facts.streamId) already; end that one first\n"))
    #expect(second.sent("preparing") == 0 && second.sent("left") == 0)
    first.send(SIGTERM)
    #expect(try await first.outcome().sent("lost") == 0)
    try await live.expectTold(try await first.outcome(), second)
    try await live.end()
  }

  @Test func `another machine is refused while somebody publishes, unless it takes over`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    let refused = try await Command.run(live.arguments(), live.settingsElsewhere)
    #expect(refused.exitStatus == 80, "\(refused)")
    let words =
      #/somebody else publishes to the live stream .*: an ingest heard of them [0-9.]+ s ago; end that/#
    #expect(refused.standardError.contains(words), "\(refused)")
    #expect(refused.sent("connection") == 0, "no socket to an ingest")
    let other = try Command.start(live.arguments("--takeover"), live.settingsElsewhere)
    try await other.sends("started")
    _ = try await other.waitForLine { $0.contains(" s ago; taking it over") }
    _ = try await other.waitForLine { $0.contains("somebody else publishes to the stream too: ") }
    for command in [other, first] {
      command.send(SIGTERM)
      let outcome = try await command.outcome()
      #expect(outcome.exitStatus == 0, "\(outcome)")
    }
    #expect(try await live.stops() == [])
    try await live.end()
  }
}
