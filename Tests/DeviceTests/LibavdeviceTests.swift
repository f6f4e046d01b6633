import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// A camera and a microphone through FFmpeg's libavdevice.
  @Suite struct Libavdevice {
    @Test func `they are broadcast in real time`() async throws {
      let (folder, nginx) = (try TemporaryDirectory(), try await NginxIngest())
      // Small and slow: the lab's machine is emulated, perhaps on one that has more to do.
      let quality = folder.file("small.json")
      let json = """
        {"resolution":{"width":320,"height":180},"frameRate":15,"videoBitrate":300000,
        "encoder":{"preset":"ultrafast","keyframeSeconds":2,"lookahead":0}}
        """
      try json.write(toFile: quality, atomically: false, encoding: .utf8)
      try await DeviceLab.run(
        "v4l2-ctl", "-d", DeviceLab.camera, "-c", "horizontal_movement=5",
        "--set-fmt-video=width=320,height=180,pixelformat=YUYV")
      let tone = try DeviceLab.playTone()
      defer { tone.send(SIGKILL) }

      let outcome = try await Command.run([
        "publish", "--to", nginx.url(), "--video", "av:v4l2:\(DeviceLab.camera)",
        "--audio", "av:alsa:\(DeviceLab.microphone)", "--quality", quality, "--duration", "10",
        "--events", "json",
      ])
      #expect(outcome.exitStatus == 0, "\(outcome)")
      let end = try Ending(outcome.standardOutput)
      #expect(end.encodedFrames == 150 && end.droppedFrames == 0)
      #expect(end.repeatedFrames <= 15, "\(outcome)")  // their stamps are of arrival
      #expect(abs(end.liveMs - 10_000) < 2000)

      let report = try inspect(try await nginx.recordings()[0])
      let video = try #require(report.video)
      let sound = try #require(report.audio)
      #expect(video.packets.count == 150 && video.packets.dtsNotRising == 0)
      #expect(video.frozen == [] && video.black == [])
      #expect(abs(sound.packets.seconds - 10) < 0.1)
      #expect(sound.gaps == 0 && sound.silent == [])
    }
  }
}

/// The counts in the last line of `--events json`.
private struct Ending: Decodable {
  let encodedFrames: Int
  let repeatedFrames: Int
  let droppedFrames: Int
  let liveMs: Double

  init(_ events: String) throws {
    let last = try #require(events.split(separator: "\n").last)
    self = try JSONDecoder().decode(Self.self, from: Data(last.utf8))
  }
}
