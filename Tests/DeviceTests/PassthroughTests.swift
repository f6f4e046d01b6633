import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// A camera that codes its picture itself, whose H.264 is passed on.
  @Suite struct Passthrough {
    private func feeder() throws -> ChildProcess {
      try ChildProcess(
        "ffmpeg",
        [
          "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=15",
          "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-profile:v", "main",
          "-bf", "0", "-g", "20", "-x264-params", "repeat-headers=1", "-b:v", "250k", "-maxrate",
          "250k", "-bufsize", "250k", "-f", "v4l2", DeviceLab.loopbackCamera,
        ])
    }

    private func says(_ text: String, _ command: ChildProcess) async throws {
      _ = try await command.waitForLine(in: .output, atMost: 60) { $0.contains(text) }
    }

    @Test func `a camera's H.264 is passed on, before its feeder dies and after`() async throws {
      let (nginx, small) = (try await NginxIngest(), try SmallPublish())
      try await DeviceLab.reloadLoopback()
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=1")
      let first = try feeder()
      defer { first.send(SIGKILL) }
      while try await !DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "--info")
        .contains("Video Capture")
      {
        try #require(first.isRunning, "\(first.standardError)")
      }
      let command = try Command.start(
        small.arguments(to: nginx.url(), "--events", "json", "--passthrough").map {
          $0 == "test" ? DeviceLab.loopbackCamera : $0
        })
      try await says("goes to the ingest as it is", command)
      try await says(#""event":"statistics""#, command)
      first.send(SIGKILL)
      try await says("cameraLost", command)
      let second = try feeder()
      defer { second.send(SIGKILL) }
      try await command.waitForOutput(in: .output, atMost: 60) { output in
        guard let back = output.firstRange(of: "cameraBack") else { return false }
        return output[back.upperBound...].ranges(of: #""event":"statistics""#).count > 1
      }
      command.send(SIGTERM)
      let outcome = try await command.outcome()
      #expect(outcome.exitStatus == 0, "\(outcome)")
      #expect(outcome.standardOutput.contains(#""connections":1,"#), "\(outcome)")
      let path = try await nginx.recordings()[0]
      let video = try #require(try inspect(path).video)
      #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0)
      // The camera's GOPs are not ours: this is what it has coded, before and after.
      let camera = video.keyframeFrames.indices.filter { video.keyframeFrames[$0] == 20 }
      let isBroken = zip(camera, camera.dropFirst()).contains { $1 > $0 + 1 }
      #expect(camera.count >= 2 && isBroken, "\(video.keyframeFrames)")
      // In milliseconds: pictures of an emulated machine may come closer than the ticks of their rate.
      let decoded = try await DeviceLab.run(
        "sh", "-c", "ffmpeg -v error -i \(path) -map 0:v -enc_time_base 1:1000 -f null - 2>&1")
      #expect(decoded == "")
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=0")
    }
  }
}
