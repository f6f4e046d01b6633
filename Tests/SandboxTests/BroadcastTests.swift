import BunnyInspect
import Foundation
import Support
import Testing

/// Real encoders at a running sandbox.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct SandboxBroadcastTests {
  @Test func `preview, running, ended: and viewers have seen every frame of it`() async throws {
    let folder = try TemporaryDirectory()
    let sandbox = try await SandboxProcess.start("--ready-after", "0", "--keep", folder.path)
    let publish = try SmallPublish()
    let publisher = try Command.start(
      publish.arguments(to: url(sandbox, \.primaryIngestUrl), "--duration", "7"))
    try await sandbox.logs("media flows into the primary ingest")
    #expect(try await sandbox.api("GET")["status"] as? Int == 3)
    let status = try await sandbox.api("GET", "/status")
    #expect(status["readyToStart"] as? Bool == true && status["primaryLive"] as? Bool == true)
    #expect(status["backupLive"] == nil, "nothing was ever seen there")
    #expect(try await sandbox.api("PUT", "/start")["success"] as? Bool == true)
    #expect(try await sandbox.api("GET")["status"] as? Int == 4)
    #expect(try await publisher.outcome().exitStatus == 0)
    let playlist = try await sandbox.http("GET", sandbox.facts.hlsUrl)
    #expect(playlist.type == "application/vnd.apple.mpegurl")
    let segment = sandbox.facts.hlsUrl.replacing("live.m3u8", with: "segment-00000.ts")
    #expect(try await sandbox.http("GET", segment).type == "video/mp2t")
    #expect(try await sandbox.api("PUT", "/stop")["success"] as? Bool == true)
    #expect(
      try await sandbox.calls() == [
        "publish 200", "get 200", "status 200", "start 200", "get 200", "publish_done 200",
        "stop 200",
      ])
    try await sandbox.end()
    let report = try inspect(folder.file("live.m3u8"))  // kept
    let test = try #require(report.testPicture)
    #expect(test.framesRead >= 5 * 15 && test.lost == 0 && test.shownTwice == 0)
    #expect(report.audio?.gaps == 0 && report.video?.startsWithKeyframe == true)
    #expect(report.problems == [])
  }

  @Test func `a wrong key is refused, an ended stream cuts its encoder and takes no other`()
    async throws
  {
    let sandbox = try await SandboxProcess.start()
    let publish = try SmallPublish()
    let wrong = try await Command.run(
      publish.arguments(to: sandbox.facts.backupIngestUrl + "/wrong", "--retry", "never"))
    #expect(wrong.exitStatus == 77)
    let right = publish.arguments(to: url(sandbox, \.backupIngestUrl), "--retry", "never")
    let publisher = try Command.start(right)
    try await sandbox.logs("media flows into the backup ingest")
    #expect(try await sandbox.api("PUT", "/stop")["success"] as? Bool == true)
    #expect(try await publisher.outcome().exitStatus == 69)
    #expect(try await Command.run(right).exitStatus == 77)
    #expect(
      try await sandbox.calls().filter { !$0.hasPrefix("publish_done") }
        == ["publish 403", "publish 200", "stop 200", "publish 403"])
    try await sandbox.end()
  }

  @Test(arguments: [SIGKILL, SIGSTOP])
  func `when the primary ingest fails, viewers go on from the backup without a break`(
    signal: Int32
  ) async throws {
    let folder = try TemporaryDirectory()
    let clip = try Clip(frames: 8 * 30).make(in: folder)
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let slaves = [\SandboxProcess.Facts.primaryIngestUrl, \.backupIngestUrl].map {
      "[f=flv:onfail=ignore]\(url(sandbox, $0))"
    }
    let publisher = try ChildProcess(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-progress", "pipe:1", "-stats_period", "0.1", "-re", "-i", clip,
        "-c", "copy", "-map", "0", "-f", "tee", slaves.joined(separator: "|"),
      ])
    try await sandbox.logs("media flows into the primary ingest")
    _ = try await sandbox.api("PUT", "/start")
    try await sandbox.logs("viewers see the primary ingest")
    _ = try await publisher.waitForLine(in: .output) { line in
      line.hasPrefix("frame=") && (Int(line.dropFirst(6)) ?? 0) >= 100
    }
    kill(sandbox.facts.primaryPid, signal)
    try await sandbox.logs("viewers see the backup ingest")
    if signal == SIGSTOP { kill(sandbox.facts.primaryPid, SIGCONT) }
    _ = try await publisher.outcome()
    _ = try await sandbox.api("PUT", "/stop")
    let report = try inspect(sandbox.facts.recording)
    let test = try #require(report.testPicture)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
    #expect(test.lastNumber >= 225)
    #expect(report.audio?.gaps == 0 && report.video?.packets.dtsNotRising == 0)
    let playlist = try String(contentsOfFile: sandbox.facts.recording, encoding: .utf8)
    #expect(!playlist.contains("DISCONTINUITY") && playlist.hasSuffix("#EXT-X-ENDLIST\n"))
    try await sandbox.end()
  }

  private func url(
    _ sandbox: SandboxProcess, _ ingest: KeyPath<SandboxProcess.Facts, String>
  ) -> String {
    "\(sandbox.facts[keyPath: ingest])/\(sandbox.facts.streamKey)"
  }
}
