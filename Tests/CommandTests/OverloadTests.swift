import BunnyInspect
import Foundation
import Support
import Testing

@Suite struct OverloadTests {
  /// Far more than one processor can do, beside somebody who wants it as well.
  @Test func `a processor that cannot keep up costs frames and effort, not the session`()
    async throws
  {
    let nginx = try await NginxIngest()
    let script = """
      timeout 40 taskset -c 0 sh -c 'while :; do :; done' & hog=$!
      taskset -c 0 "$0" "$@"; status=$?
      kill $hog; exit $status
      """
    let arguments = [
      "publish", "--to", nginx.url(), "--video", "test", "--audio", "tone", "--quality",
      "fullHd1080p60", "--cpu", "best", "--duration", "14", "--events", "json", "--retry", "never",
      "--log-level", "debug",
    ]
    let outcome = try await Command.startInShell(script, arguments).outcome(atMost: 90)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    log.check()
    let told = log.all("processorOverloaded")
    let started = try #require(log.all("started").first)
    let ended = try #require(log.all("ended").first)
    #expect(told.count >= 1 && log.all("processorRecovered").count <= told.count)
    #expect(ended.connections == 1 && ended.droppedFrames == 0)
    // A queue that grew would be sent after the end.
    #expect(ended.monotonicMs - started.monotonicMs < 14_000 + 8_000)
    let path = try #require(try await nginx.recordings().first)
    let video = try #require(try inspect(path).video)
    #expect(video.decodeErrors == 0 && video.packets.dtsNotRising == 0)
    #expect(video.startsWithKeyframe && video.frames == ended.publishedFrames)
    let decoded = try await ChildProcess.run(
      "ffmpeg",
      [
        "-v", "error", "-i", path, "-vsync", "passthrough", "-enc_time_base",
        "1:1000", "-f", "null", "-",
      ], atMost: 120)
    #expect(decoded.exitStatus == 0 && decoded.standardError.isEmpty, "\(decoded)")
  }
}
