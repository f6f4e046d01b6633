import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// vivid and v4l2loopback, in turn.
  @Suite struct SeveralCameras {
    private let nginx: NginxIngest
    private let small: SmallPublish
    private let feeder: ChildProcess

    init() async throws {
      (nginx, small) = (try await NginxIngest(), try SmallPublish())
      try await DeviceLab.run(
        "v4l2-ctl", "-d", DeviceLab.camera, "-c", "horizontal_movement=5",
        "--set-fmt-video=width=320,height=180,pixelformat=YUYV")
      try await DeviceLab.reloadLoopback()
      feeder = try ChildProcess(
        "ffmpeg",
        [
          "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=15",
          "-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-f", "v4l2", DeviceLab.loopbackCamera,
        ])
      while try await !DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "--info")
        .contains("Video Capture")
      {
        try #require(feeder.isRunning, "\(feeder.standardError)")
      }
    }

    private func arguments(_ videos: String..., more: [String] = []) -> [String] {
      let given = small.arguments(to: nginx.url()).map { $0 == "test" ? videos[0] : $0 }
      return given + videos.dropFirst().flatMap { ["--video", $0] } + more
    }

    private func says(_ text: String, _ command: ChildProcess) async throws {
      try await command.waitForOutput(in: .output) { $0.contains(text) }
    }

    /// Waits until the command does not hold the device any more.
    private func isFree(_ device: String, of command: ChildProcess) async throws {
      try await DeviceLab.run(
        "sh", "-c",
        "for i in $(seq 100); do ls -l /proc/\(command.processID)/fd | grep -q '\(device)$' || exit 0; "
          + "sleep 0.1; done; exit 1")
    }

    private func expectNothingSeen(_ outcome: ChildProcess.Outcome) async throws {
      #expect(
        outcome.exitStatus == 0 && outcome.standardOutput.contains("1 connection,"), "\(outcome)")
      let video = try #require(try inspect(try await nginx.recordings()[0]).video)
      #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0)
      #expect(video.keyframeFrames.allSatisfy { $0 == 15 }, "\(video.keyframeFrames)")
    }

    @Test func `c goes on to the next; only one is open, and by one name`() async throws {
      let command = try Command.startOnTerminal(
        arguments(DeviceLab.camera, DeviceLab.loopbackCamera, "v4l2:vivid"))
      try await says(" info live at ", command)
      command.write("c")
      try await says("the picture comes from \(DeviceLab.loopbackCamera) now", command)
      try await isFree(DeviceLab.camera, of: command)
      command.write("c")
      try await says("the picture comes from v4l2:vivid now", command)
      try await isFree(DeviceLab.loopbackCamera, of: command)
      command.write("c")
      try await says(
        "the picture cannot come from \(DeviceLab.camera): \(DeviceLab.camera) is on air already, by "
          + "another name; choose another camera", command)
      command.write("c")
      try await command.waitForOutput(in: .output) {
        $0.matches(of: /picture comes from \/dev\/video9 now/).count == 2
      }
      command.write("q")
      try await expectNothingSeen(try await command.outcome())
    }

    @Test func `a spare takes the place of one that is unplugged, and keeps it`() async throws {
      let driver = "/sys/bus/platform/drivers/vivid"
      let command = try Command.startOnTerminal(
        arguments(
          DeviceLab.camera, DeviceLab.loopbackCamera, more: ["--on-camera-loss", "next"]))
      try await says(" info live at ", command)
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/unbind")
      try await says("the picture comes from \(DeviceLab.loopbackCamera) now", command)
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/bind")
      try await DeviceLab.run(
        "sh", "-c", "until v4l2-ctl -d \(DeviceLab.camera) --info >/dev/null; do sleep 0.1; done")
      command.write("c")
      try await says("the picture comes from \(DeviceLab.camera) now", command)
      command.write("q")
      let outcome = try await command.outcome()
      #expect(!outcome.standardOutput.contains("the picture is back"))
      try await expectNothingSeen(outcome)
    }
  }
}
