import BunnyCapture
import BunnyInspect
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Flash and beep of a broadcast whose sound card's clock is off; beside it, what `ffmpeg` makes of the
  /// same devices. For longer than every change is waited for: `scripts/soak` runs it.
  @Suite(.enabled(if: DeviceLab.soaksShifts, "scripts/soak runs it"))
  struct InStep {
    private static let seconds = 75
    /// From then on a clock is known.
    private static let settled = 60.0

    /// The test picture and its beep, as camera and microphone deliver them, in parts per million.
    private func withDevices(
      shiftedBy partsPerMillion: Int, _ body: (SmallPublish) async throws -> Void
    ) async throws {
      try await DeviceLab.reloadLoopback()
      let projector = try Projector(testPictureOf: 320, 180, framesPerSecond: 30)
      defer { projector.end() }
      try await DeviceLab.shiftClock(by: partsPerMillion)
      let speaker = try LoopbackSpeaker()
      defer { speaker.end() }
      let small = try SmallPublish(
        video: DeviceLab.loopbackCamera, audio: "alsa:\(DeviceLab.microphone)", framesPerSecond: 30)
      try await body(small)
      try await DeviceLab.shiftClock(by: 0)
    }

    /// How late each beep is, in milliseconds, and when it is heard. What the camera itself was late
    /// with, as an emulated one is, is no error: its frames say when they were made.
    private func delays(in path: String) throws -> [(second: Double, late: Double)] {
      let film = try Film(path)
      return try #require(try inspect(path).testPicture).beeps.map { beep in
        let heard = beep.second + beep.offset / 1000
        return (heard, try film.delay(ofBeepAt: heard))
      }
    }

    private func report(
      _ what: String, _ partsPerMillion: Int, _ delays: [(second: Double, late: Double)]
    ) {
      func range(_ values: [Double]) -> String {
        guard let least = values.min(), let most = values.max() else { return "no beep" }
        return "\(Int((least * 10).rounded())) to \(Int((most * 10).rounded())) tenths of a ms"
      }
      let settled = delays.filter { $0.second >= Self.settled }
      DeviceLab.report(
        "A/V at \(partsPerMillion) ppm, \(what)",
        "\(range(delays.map(\.late))), once settled \(range(settled.map(\.late))), of "
          + "\(delays.count) beeps")
    }

    @Test(arguments: [-300, -100, 100, 300])
    func `flash and beep stay together`(partsPerMillion: Int) async throws {
      try await withDevices(shiftedBy: partsPerMillion) { small in
        let broadcast = try await LabBroadcast(small, ["--duration", "\(Self.seconds)"])
        let ending = try await broadcast.end(
          byItself: true, framesPerSecond: 30, atMost: Double(Self.seconds + 30))
        let delays = try delays(in: ending.path)
        report("bunny-broadcast", partsPerMillion, delays)
        #expect(delays.count >= Self.seconds - 10)
        for beep in delays { #expect(abs(beep.late) <= 20, "\(beep)") }
        for beep in delays where beep.second >= Self.settled { #expect(abs(beep.late) <= 10) }
        #expect(ending.report.audio?.gaps == 0)
      }
    }

    @Test(arguments: [-300, 300])
    func `what ffmpeg makes of it`(partsPerMillion: Int) async throws {
      try await withDevices(shiftedBy: partsPerMillion) { small in
        let path = small.folder.file("ffmpeg.flv")
        let outcome = try await ChildProcess.run(
          "ffmpeg",
          [
            "-nostdin", "-v", "error", "-f", "v4l2", "-i", DeviceLab.loopbackCamera, "-f", "alsa",
            "-i", DeviceLab.microphone, "-af", "aresample=async=1000", "-c:v", "libx264", "-preset",
            "ultrafast", "-b:v", "300k", "-c:a", "aac", "-t", "\(Self.seconds)", path,
          ], atMost: Double(Self.seconds + 30))
        #expect(outcome.exitStatus == 0, "\(outcome)")
        report("ffmpeg", partsPerMillion, try delays(in: path))
      }
    }
  }
}
