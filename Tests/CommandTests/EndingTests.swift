import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// The real process, ended as asked: exit code 0.
struct EndingTests {
  private let small: SmallPublish

  init() throws { small = try SmallPublish() }

  @Test func `a broadcast whose duration is over ends with 0`() async throws {
    let ingest = try ScriptedIngest()
    let outcome = try await Command.run(small.arguments(to: ingest.url(), "--duration", "2"))
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput == "")
    #expect(outcome.standardError.contains("info ended (its duration was over): 30 frames"))
    let visit = try await ingest.visit()
    #expect(visit.media.filter { $0.kind == .video }.count == 30)
    #expect(visit.commandNames.suffix(2) == ["FCUnpublish", "deleteStream"])
  }

  @Test(arguments: [("SIGINT", SIGINT), ("SIGTERM", SIGTERM), ("SIGHUP", SIGHUP)])
  func `a signal ends a live broadcast with 0, and the ingest is told`(
    _ name: String, _ signal: Int32
  ) async throws {
    let ingest = try ScriptedIngest()
    let command = try Command.start(small.arguments(to: ingest.url()))
    try await ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    command.send(signal)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("info ending: \(name)\n"))
    #expect(outcome.standardError.contains("info ended (\(name)): "))
    #expect(try await ingest.visit().commandNames.last == "deleteStream")
  }

  @Test func `a signal between two tries ends it at once, with 0`() async throws {
    let port = FreePort.next()
    let command = try Command.start(small.arguments(to: "rtmp://127.0.0.1:\(port)/live/key"))
    // The wait after the fourth failure is 2 s at least.
    _ = try await command.waitForLine { $0.contains("(attempt 4)") }
    let asked = MonotonicTime.now
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(0.9))
  }

  @Test func `a signal while a silent ingest is waited for ends it at once, with 0`() async throws {
    let ingest = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let command = try Command.start(small.arguments(to: ingest.url()))
    try await ingest.waitUntil { $0.first.map { $0.bytesReceived > 0 } ?? false }
    let asked = MonotonicTime.now
    command.send(SIGINT)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(0.9))
  }

  @Test func `a duration that passes without an ingest is a failure`() async throws {
    let ingest = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let refusal = try await Refusal(
      small.arguments(to: ingest.url(key: Refusal.secret), "--duration", "1"))
    #expect(refusal.status == 69)
    #expect(
      refusal.sentence.contains("kept us waiting for the handshake longer than"), "\(refusal)")
  }

  @Test func `two signals at once are one, and the ingest is told`() async throws {
    let ingest = try ScriptedIngest()
    let command = try Command.start(small.arguments(to: ingest.url()))
    try await ingest.waitUntil { $0.first.map { $0.media.count >= 3 } ?? false }
    // Both wait for it when it goes on, so that it has no time to end before the second.
    for signal in [SIGSTOP, SIGINT, SIGTERM, SIGCONT] { command.send(signal) }
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(try await ingest.visit().commandNames.last == "deleteStream")
  }

  @Test func `a source that hangs while it is opened is given up`() async throws {
    let silent = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let refusal = try await Refusal([
      "publish", "--to", "rtmp://127.0.0.1:9/live/key", "--video", "file:\(silent.url())",
    ])
    #expect(refusal.status == 66)
    #expect(refusal.sentence.contains("cannot be opened: nothing came for 10 s; check the address"))
  }

  @Test func `a signal ends the opening of a source that hangs`() async throws {
    let silent = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let command = try Command.start([
      "publish", "--to", "rtmp://127.0.0.1:9/live/key", "--video", "file:\(silent.url())",
    ])
    _ = try await command.waitForLine { $0.contains("opening the sources") }
    try await silent.waitUntil { !$0.isEmpty }
    command.send(SIGTERM)
    let outcome = try await command.outcome(atMost: 8)
    #expect(outcome.exitStatus == 0, "\(outcome)")
  }

  @Test func `an ignored hang-up stays ignored`() async throws {
    let ingest = try ScriptedIngest()
    let command = try Command.startInShell(
      #"trap '' HUP; exec "$0" "$@""#, small.arguments(to: ingest.url()))
    try await ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    command.send(SIGHUP)
    let before = ingest.visits[0].media.count
    try await ingest.waitUntil { $0[0].media.count > before + 60 }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("ended (SIGTERM)"))
    #expect(!outcome.standardError.contains("SIGHUP"))
  }
}
