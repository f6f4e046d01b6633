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

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `Ctrl-C ends the reading of a live stream with a report`() async throws {
    let nginx = try await NginxIngest()
    let small = try SmallPublish()
    let publisher = try Command.start(small.arguments(to: nginx.url(), "--events", "json"))
    _ = try await publisher.waitForLine(in: .output) { $0.contains(#""event":"started""#) }
    let command = try Command.start(["inspect", "--json", nginx.url()])
    // Four times three seconds are enough to find out what there is, and to read some of it.
    try await publisher.waitForOutput(in: .output) {
      $0.split(separator: #""event":"statistics""#).count > 4
    }
    let asked = MonotonicTime.now
    command.send(SIGINT)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(3))
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.isLive && report.readError == nil)
    #expect((report.video?.frames ?? 0) > 10)
    publisher.send(SIGTERM)
    #expect(try await publisher.outcome().exitStatus == 0)
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
