import BunnyCapture
import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Camera and microphone at 640x360 and 30 frames a second, whole, to a real ingest.
  @Suite struct Whole {
    /// `scripts/soak` asks for the full length of all.
    private static let seconds =
      ProcessInfo.processInfo.environment["BUNNY_SOAK_WHOLE"] != nil ? 30 : 6
    private static let framesPerSecond = 30

    private func small(_ camera: String) throws -> SmallPublish {
      try SmallPublish(
        video: camera, audio: "alsa:\(DeviceLab.microphone)", width: 640,
        framesPerSecond: Self.framesPerSecond, bitrate: 1_200_000)
    }

    /// Every frame and every sample came through, in real time.
    private func expectWhole(_ ending: LabBroadcast.Ending, seconds: Int) throws {
      let totals = ending.totals
      let frames = seconds * Self.framesPerSecond
      if ProcessInfo.processInfo.environment["BUNNY_TRIALS"] != nil {
        print("\(totals)\n\(ending.report.text)")
      }
      let captured = try #require(totals.capturedFrames)
      let skipped = try #require(totals.skippedFrames)
      let repeated = try #require(totals.repeatedFrames)
      #expect(totals.encodedFrames == frames && totals.publishedFrames == frames)
      #expect(captured - skipped + repeated == frames)
      #expect(totals.missedFrames == 0 && repeated == 0 && totals.decodeErrors == 0)
      #expect(totals.filledSamples == 0)
      let live = try #require(totals.liveMs)
      #expect(abs(live - Double(seconds) * 1000) < 1500, "\(live) ms")
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
      #expect(test.framesRead == 900 && test.unreadable == 0)
      #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
      #expect(test.beeps.count >= 28)
      for beep in test.beeps { #expect(abs(beep.offset) < 20, "\(beep)") }
    }
  }
}
