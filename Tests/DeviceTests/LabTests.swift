import Foundation
import Support
import Testing

extension DeviceTests {
  /// The lab itself: without these, no other test here means anything.
  @Suite struct Lab {
    @Test func `it has a camera, a loopback camera and a sound card`() async throws {
      let camera = try await DeviceLab.run(
        "v4l2-ctl", "-d", DeviceLab.camera, "--info", "--list-formats-ext")
      #expect(camera.contains("Driver name      : vivid") && camera.contains("'YUYV'"))
      #expect(camera.contains("Size: Discrete 640x360") && camera.contains("(30.000 fps)"))
      let cards = try await DeviceLab.run("arecord", "--list-devices")
      #expect(cards.contains("card 0: Loopback"))
    }

    @Test func `the loopback camera shows the JPEGs that are written to it`() async throws {
      let folder = try TemporaryDirectory()
      let feeder = try ChildProcess(
        "ffmpeg",
        [
          "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=30",
          "-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-f", "v4l2", DeviceLab.loopbackCamera,
        ])
      defer { feeder.send(SIGKILL) }
      // Without a writer it is an output device, and no camera.
      while try await !DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "--info")
        .contains("Video Capture")
      {
        try #require(feeder.isRunning, "\(feeder.standardError)")
      }
      try await DeviceLab.run(
        "v4l2-ctl", "-d", DeviceLab.loopbackCamera, "--stream-mmap", "--stream-count=5",
        "--stream-to=\(folder.file("frames"))")
      let frames = try Data(contentsOf: URL(filePath: folder.file("frames")))
      #expect(frames.starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test func `a driver is unplugged and plugged in again`() async throws {
      func nodes() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/dev").filter {
          $0.hasPrefix("video")
        }.sorted()
      }
      let driver = "/sys/bus/platform/drivers/vivid"
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/unbind")
      #expect(try nodes() == ["video9"])
      try await DeviceLab.run("sh", "-c", "echo vivid.0 >\(driver)/bind")
      #expect(try nodes() == ["video0", "video9"])
    }

    @Test func `its networks can be made bad`() async throws {
      let shown = try await DeviceLab.run(
        "unshare", "--net", "sh", "-c",
        "tc qdisc add dev lo root netem delay 80ms loss 1% && tc qdisc show dev lo")
      #expect(shown.contains("netem") && shown.contains("delay 80ms"))
    }
  }
}
