import BunnyCapture
import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Camera and microphone at 640x360 and 30 frames a second, whole, to a real ingest.
  @Suite struct Whole {
    /// `scripts/soak` asks for the full length of all.
    private static let seconds = DeviceLab.isSoak ? 30 : 6
    private static let framesPerSecond = 30

    private func small(_ camera: String) throws -> SmallPublish {
      try SmallPublish(
        video: camera, audio: "alsa:\(DeviceLab.microphone)", width: 640,
        framesPerSecond: Self.framesPerSecond, bitrate: 1_200_000)
    }

    /// Frames that the camera left out, delivered late, or broken: the loopback overwrites what a slow
    /// reader still reads.
    private func left(_ totals: LabBroadcast.Saying) throws -> Int {
      try [totals.missedFrames, totals.skippedFrames, totals.decodeErrors].reduce(0) {
        $0 + (try #require($1))
      }
    }

    /// Everything came through, in real time, but for the frames that an emulated machine's devices
    /// themselves were late with: each of those is counted, and no other is missing.
    private func expectWhole(_ ending: LabBroadcast.Ending, seconds: Int) throws {
      DeviceLab.report("whole", "\(ending.totals)\n\(ending.report.text)")
      let totals = ending.totals
      let frames = seconds * Self.framesPerSecond
      let captured = try #require(totals.capturedFrames)
      let skipped = try #require(totals.skippedFrames)
      let repeated = try #require(totals.repeatedFrames)
      #expect(totals.encodedFrames == frames && totals.publishedFrames == frames)
      #expect(captured - skipped + repeated == frames)
      let left = try left(totals)
      #expect(repeated <= left && left <= frames / 50)
      // What is filled before the microphone is open is no overrun.
      let early = try #require(ending.sayings.first { $0.event == "statistics" }?.filledSamples)
      #expect(early < 48_000 && totals.filledSamples == early)
      #expect(abs(try #require(totals.liveMs) - Double(seconds) * 1000) < 1500)
      let report = ending.report
      #expect(report.video?.packets.count == frames && report.video?.frozen == [])
      #expect(report.audio?.gaps == 0 && report.interleaving.stepsBack == 0)
    }

    @Test(arguments: ["YUYV", "NV12"])
    func `vivid's raw picture and a microphone come through whole`(_ format: String) async throws {
      try await DeviceLab.setUp(format, width: 640)
      let speaker = try LoopbackSpeaker()
      defer { speaker.end() }
      let broadcast = try await LabBroadcast(
        try small(DeviceLab.camera),
        ["--camera-format", format, "--duration", "\(Self.seconds)"])
      let ending = try await broadcast.end(byItself: true, framesPerSecond: Self.framesPerSecond)
      try expectWhole(ending, seconds: Self.seconds)
    }

    @Test func `the test picture as Motion-JPEG, with its beep, comes through whole and in step`()
      async throws
    {
      try await DeviceLab.reloadLoopback()
      let projector = try Projector(
        testPictureOf: 640, 360, framesPerSecond: Int32(Self.framesPerSecond))
      defer { projector.end() }
      let speaker = try LoopbackSpeaker()
      defer { speaker.end() }
      let broadcast = try await LabBroadcast(
        try small(DeviceLab.loopbackCamera), ["--duration", "30"])
      let ending = try await broadcast.end(byItself: true, framesPerSecond: Self.framesPerSecond)
      try expectWhole(ending, seconds: 30)
      let test = try #require(ending.report.testPicture)
      let left = try left(ending.totals)
      #expect(test.framesRead == 900 && test.unreadable == 0)
      #expect(test.lost <= left && test.shownTwice <= left && test.outOfOrder == 0)
      #expect(test.beeps.count >= 28)
      // A flash that was shown late is late.
      #expect(test.beeps.count { abs($0.offset) >= 20 } <= left, "\(test.beeps)")
    }
  }
}
