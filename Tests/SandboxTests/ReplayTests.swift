import BunnyInspect
import BunnyRTMP
import Foundation
import Support
import Testing

@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct ReplayTests {
  /// What `bunny-broadcast` does when it fails over: the pictures since the last keyframe that had
  /// arrived go first, squeezed to 1 ms steps just before the splice and without their sound.
  @Test func `a replay at the backup ingest is neither missed nor seen twice`() async throws {
    let folder = try TemporaryDirectory()
    var clip = Clip(frames: 150)
    clip.options = [
      "-c:v", "libx264", "-preset", "ultrafast", "-g", "60", "-flvflags", "no_duration_filesize",
    ]
    let tags = try FLVFile.tags(of: clip.make(in: folder, "clip.flv"))
    let splice: Int64 = 3000
    let sandbox = try await SandboxProcess.start()
    _ = try await sandbox.http("POST", "/sandbox/status?value=4")

    let before = tags.filter { $0.timestamp < splice }
    let first = ListFeed(before, end: .stay)
    let primary = try ingest(sandbox, sandbox.facts.primaryIngestUrl)
    async let ended = publish(first, to: primary)
    try await first.taken.reach("the first part") { $0.count >= before.count }
    try await sandbox.logs("viewers see the primary ingest")
    first.finish()  // one that is killed before may not have passed all on, see ViewerTests
    _ = try await ended
    kill(sandbox.facts.primaryPid, SIGKILL)

    let backup = try ingest(sandbox, sandbox.facts.backupIngestUrl)
    let after = replay(of: tags, before: splice)
    let rest = ListFeed(after, end: .stay)
    async let published = publish(rest, to: backup)
    try await sandbox.logs("viewers see the backup ingest")
    try await rest.taken.reach("the rest") { $0.count >= after.count }
    rest.finish()
    _ = try await published
    _ = try await sandbox.api("PUT", "/stop")
    let report = try inspect(sandbox.facts.recording)
    let test = try #require(report.testPicture)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
    #expect(test.firstNumber == 0 && test.lastNumber == 149)
    #expect(report.audio?.gaps == 0 && report.video?.packets.dtsNotRising == 0)
    try await sandbox.end()
  }

  private func ingest(_ sandbox: SandboxProcess, _ url: String) throws -> Ingest {
    try Ingest("\(url)/\(sandbox.facts.streamKey)")
  }

  private func replay(of tags: [RTMPTag], before splice: Int64) -> [RTMPTag] {
    let keyframe = tags.last { $0.isKeyframe && $0.timestamp < splice }!.timestamp
    var seen = tags.filter {
      $0.kind == .video && !$0.isSequenceHeader && (keyframe..<splice).contains($0.timestamp)
    }
    for index in seen.indices { seen[index].timestamp = splice - Int64(seen.count - index) }
    return tags.filter { $0.kind == .data || $0.isSequenceHeader } + seen
      + tags.filter { $0.timestamp >= splice }
  }
}
