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

  @Test func `Ctrl-C ends the reading of a live stream with a report`() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("clip.ts")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=640x360:r=25:d=12,noise=alls=100:allf=t", "-c:v",
      "mpeg2video", "-qscale:v", "1", path,
    ]) { _ in }
    // What is sent is read, but for what the sockets hold; probing takes 5 MB at most.
    let size = try Data(contentsOf: URL(filePath: path)).count
    try #require(size > 40_000_000)
    let server = try ByteServer(sending: path, thenStaying: true)
    let command = try Command.start(["inspect", "--json", server.address()])
    try await server.progress.reach("everything to be sent") { $0.served == 1 }
    let asked = MonotonicTime.now
    command.send(SIGINT)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(3))
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.isLive && report.readError == nil)
    #expect((report.video?.frames ?? 0) > 10)
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
