import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Cameras that go and come while they are broadcast.
  @Suite struct ComingAndGoing {
    private let nginx: NginxIngest
    private let small: SmallPublish

    init() async throws {
      (nginx, small) = (try await NginxIngest(), try SmallPublish())
    }

    /// Small and slow: the lab's machine is emulated, perhaps on one that has more to do.
    private func start(_ camera: String) throws -> ChildProcess {
      try Command.start(
        small.arguments(to: nginx.url(), "--events", "json").map { $0 == "test" ? camera : $0 })
    }

    private func feeder() throws -> ChildProcess {
      try ChildProcess(
        "ffmpeg",
        [
          "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=15",
          "-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-f", "v4l2", DeviceLab.loopbackCamera,
        ])
    }

    private func says(_ event: String, _ command: ChildProcess) async throws -> Saying {
      let line = try await command.waitForLine(in: .output) {
        $0.contains(#""event":"\#(event)""#)
      }
      return try JSONDecoder().decode(Saying.self, from: Data(line.utf8))
    }

    private struct Saying: Decodable {
      let event: String
      let monotonicMs: Int64
      var reason: String?
      var connections: Int?
      var droppedFrames: Int?
    }

    private static var now: Int64 { MonotonicTime.now.nanoseconds / 1_000_000 }

    /// Ends it: one connection, rising times, a keyframe each second, each event once.
    private func expectNothingSeen(_ command: ChildProcess) async throws {
      command.send(SIGTERM)
      let outcome = try await command.outcome()
      #expect(outcome.exitStatus == 0, "\(outcome)")
      let said = try outcome.standardOutput.split(separator: "\n").map {
        try JSONDecoder().decode(Saying.self, from: Data($0.utf8))
      }
      let end = try #require(said.last)
      #expect(end.connections == 1 && end.droppedFrames == 0, "\(outcome)")
      let turns = said.map(\.event).filter { $0.hasPrefix("camera") }
      #expect(turns == ["cameraLost", "cameraBack"], "\(outcome)")
      let video = try #require(try inspect(try await nginx.recordings()[0]).video)
      #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0)
      #expect(video.keyframeFrames.allSatisfy { $0 == 15 }, "\(video.keyframeFrames)")
    }

    @Test func `a loopback camera whose feeder dies is back when it is fed again`() async throws {
      try await DeviceLab.reloadLoopback()
      // Else v4l2loopback 0.12.7 takes no second feeder that writes, once somebody has asked in between.
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=1")
      let first = try feeder()
      defer { first.send(SIGKILL) }
      while try await !DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "--info")
        .contains("Video Capture")
      {
        try #require(first.isRunning, "\(first.standardError)")
      }
      let command = try start(DeviceLab.loopbackCamera)
      _ = try await says("statistics", command)
      first.send(SIGKILL)
      let killed = Self.now
      let lost = try await says("cameraLost", command)
      #expect(lost.monotonicMs - killed < 1000, "\(lost)")
      let second = try feeder()
      defer { second.send(SIGKILL) }
      _ = try await says("cameraBack", command)
      try await expectNothingSeen(command)
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=0")
    }

    @Test func `a camera that is unplugged is back when it is plugged in`() async throws {
      let driver = "/sys/bus/platform/drivers/vivid"
      try await DeviceLab.run(
        "v4l2-ctl", "-d", DeviceLab.camera, "-c", "horizontal_movement=5",
        "--set-fmt-video=width=320,height=180,pixelformat=YUYV")
      let command = try start(DeviceLab.camera)
      _ = try await says("statistics", command)
      let unplugged = Self.now
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/unbind")
      let lost = try await says("cameraLost", command)
      #expect(lost.monotonicMs - unplugged < 1000, "\(lost)")
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/bind")
      _ = try await says("cameraBack", command)
      try await expectNothingSeen(command)
    }
  }
}
