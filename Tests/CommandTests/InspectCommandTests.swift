import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

/// `inspect` as the real process.
struct InspectCommandTests {
  @Test func `a silent address lets go at the first Ctrl-C`() async throws {
    let ingest = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let command = try Command.start(["inspect", ingest.url(key: Refusal.secret)])
    try await ingest.waitUntil { $0.first.map { $0.bytesReceived > 0 } ?? false }
    let asked = MonotonicTime.now
    command.send(SIGINT)
    let outcome = try await command.outcome()
    #expect(outcome.signal == SIGINT, "\(outcome)")  // nothing came that could be reported
    #expect(outcome.endedAt - asked < .seconds(3))  // it would give up after 10
    #expect(outcome.standardError == "" && outcome.standardOutput == "")
  }

  @Test func `a silent address is given up`() async throws {
    let ingest = try ScriptedIngest(IngestScript(.silence, at: .accept))
    #expect(
      try await Refusal(["inspect", ingest.url(key: Refusal.secret)])
        == Refusal(
          66,
          "rtmp://127.0.0.1:\(ingest.port)/live/••• cannot be read: nothing came for 10 s; "
            + "check that it is there and may be read"))
  }
}
