import BunnyInspect
import Foundation
import Support
import Testing

/// The real process with `--passthrough`, and a program whose H.264 goes to a real ingest.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct PassthroughTests {
  private let small: SmallPublish
  private let nginx: NginxIngest
  private let fifo: String

  init() async throws {
    (small, nginx) = (try SmallPublish(), try await NginxIngest())
    fifo = small.folder.file("camera")
    #expect(mkfifo(fifo, 0o600) == 0)
  }

  private func start(_ more: [String] = []) throws -> ChildProcess {
    let arguments = small.arguments(to: nginx.url(), "--events", "json", "--passthrough").map {
      $0 == "test" ? "pipe:\(fifo)" : $0
    }
    return try Command.start(arguments + more)
  }

  /// Main profile, CABAC and 20 frames to a GOP: none of it is ours, so that whoever keeps the wrong
  /// parameter sets cannot decode it.
  private func writer(
    size: String = "320x180", gop: Int = 20, bFrames: Int = 0, bitrate: String = "250k"
  ) throws -> ChildProcess {
    try ChildProcess(
      "ffmpeg",
      [
        "-v", "error", "-y", "-re", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=15",
        "-c:v", "libx264", "-preset", "superfast", "-profile:v", "main", "-pix_fmt", "yuv420p",
        "-bf", "\(bFrames)", "-g", "\(gop)", "-b:v", bitrate, "-maxrate", bitrate, "-bufsize",
        bitrate, "-f", "h264", fifo,
      ])
  }

  private func says(_ text: String, _ command: ChildProcess) async throws {
    _ = try await command.waitForLine(in: .output) { $0.contains(text) }
  }

  /// Waits until it has gone on for three to six seconds since it said `text`.
  private func goesOn(after text: String, _ command: ChildProcess) async throws {
    try await command.waitForOutput(in: .output) { output in
      guard let said = output.firstRange(of: text) else { return false }
      return output[said.upperBound...].ranges(of: #""event":"statistics""#).count > 1
    }
  }

  private func end(_ command: ChildProcess) async throws -> (EventLog, VideoReport, String) {
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    #expect(log.all("ended").first?.connections == 1 && log.all("failed").isEmpty)
    #expect(log.all("ended").first?.droppedFrames == 0)
    let path = try await nginx.recordings()[0]
    let video = try #require(try inspect(path).video)
    #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0)
    let decoded = try await ChildProcess.run(
      "ffmpeg",
      // In milliseconds: of a busy machine's pictures two may come within one tick of their rate.
      ["-v", "error", "-i", path, "-map", "0:v", "-enc_time_base", "1:1000", "-f", "null", "-"])
    #expect(decoded.exitStatus == 0 && decoded.standardError == "", "\(decoded)")
    return (log, video, path)
  }

  @Test(arguments: [[], ["--slate", "freeze"]])
  func `what suits is passed on; when its writer dies the slate takes over, and it comes back`(
    _ slate: [String]
  ) async throws {
    let first = try writer()
    let command = try start(slate)
    try await says("goes to the ingest as it is", command)
    try await says(#""event":"statistics""#, command)
    try await command.saysAgain("cameraLost") { first.send(SIGKILL) }
    let second = try writer()
    try await command.saysAgain("cameraBack") {}
    try await command.saysAgain("statistics") {}
    try await command.saysAgain("statistics") {}
    let (log, video, _) = try await end(command)
    second.send(SIGKILL)
    #expect(log.all("cameraLost").count == log.all("cameraBack").count)
    // The camera's GOPs are not ours: this is what it has coded, before and after.
    let camera = video.keyframeFrames.indices.filter { video.keyframeFrames[$0] == 20 }
    let isBroken = zip(camera, camera.dropFirst()).contains { $1 > $0 + 1 }
    #expect(camera.count >= 2 && isBroken, "\(video.keyframeFrames)")
  }

  @Test func `the backup gets the headers of what it is sent`() async throws {
    let backup = try await NginxIngest()
    let writer = try writer()
    let command = try start(["--backup", backup.url()])
    try await goesOn(after: "goes to the ingest as it is", command)
    nginx.send(SIGKILL)
    try await goesOn(after: #""event":"reconnected""#, command)
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    writer.send(SIGKILL)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    #expect(log.all("ended").first?.droppedFrames == 0)
    let video = try #require(try inspect(try await backup.recordings()[0]).video)
    #expect(video.startsWithKeyframe && video.decodeErrors == 0)
    #expect(video.packets.dtsNotRising == 0)
    #expect(video.keyframeFrames.first == 20, "\(video.keyframeFrames)")
  }

  @Test func `what does not suit is encoded anew, and why is said`() async throws {
    let writer = try writer(size: "640x360")
    let command = try start(["--duration", "3"])
    try await says(
      "the camera's own H.264 is encoded anew: it is 640x360, and the quality 320x180", command)
    try await says(#""event":"statistics""#, command)
    let (_, video, _) = try await end(command)
    writer.send(SIGKILL)
    #expect(video.width == 320 && video.keyframeFrames.allSatisfy { $0 == 15 })
  }

  @Test func `what turns out not to suit is encoded anew from there on`() async throws {
    let writer = try writer(gop: 1000)
    let command = try start()
    try await says("goes to the ingest as it is", command)
    let late = "encoded anew: it has had no keyframe for more than 4 s"
    try await goesOn(after: late, command)
    let (_, video, _) = try await end(command)
    writer.send(SIGKILL)
    let passed = video.keyframeFrames.firstIndex { $0 >= 60 }
    #expect(passed.map { video.keyframeFrames.dropFirst($0 + 1).contains(15) } == true)
  }

  @Test(arguments: [
    (
      ["--video", "test"],
      "--passthrough is for a camera or pipe:, and --video is neither; leave it out"
    ),
    (
      [
        "--video", "pipe:", "--camera-format", "YUYV", "--camera-size", "64x64", "--camera-fps",
        "5",
      ],
      "--video pipe: of raw frames has nothing to pass through; leave out --passthrough"
    ),
  ])
  func `it needs H.264 to pass through`(_ source: [String], _ why: String) async throws {
    let refusal = try await Refusal(
      ["publish", "--to", "rtmp://127.0.0.1:9/live/x", "--passthrough"] + source)
    #expect(refusal == Refusal(64, why))
  }
}
