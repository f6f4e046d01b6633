import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnySystem
import CBunnyALSA
import Foundation
import Support
import Testing

extension DeviceTests {
  /// The loopback card as a microphone that hears ``LoopbackSpeaker``.
  @Suite struct Microphones {
    private func listen(seconds: Double) async throws -> HeardSound {
      let heard = try await onThread("listener") {
        var heard = HeardSound()
        try heard.listen(to: ALSAMicrophone(DeviceLab.microphone), seconds: seconds)
        return heard
      }
      try await waitUntilClosed()
      return heard
    }

    /// Nobody holds the microphone any more.
    private func waitUntilClosed(card: Int = 0) async throws {
      while try status(card: card) != "closed\n" { await Task.yield() }
    }

    private func status(card: Int = 0) throws -> String {
      try String(contentsOfFile: "/proc/asound/card\(card)/pcm0c/sub0/status", encoding: .utf8)
    }

    /// How many samples the card has captured that nobody has read.
    private func unread() throws -> Int {
      let status = try status()
      func pointer(_ name: String) throws -> Int {
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(line.split(separator: " ").last.flatMap { Int($0) }, "\(line)")
      }
      return try pointer("hw_ptr") - pointer("appl_ptr")
    }

    @Test(arguments: [
      LoopbackSpeaker.Form(), .init(channels: 1),
      .init(rate: 44_100, format: SND_PCM_FORMAT_S32_LE),
      .init(rate: 16_000, channels: 1, format: SND_PCM_FORMAT_S24_3LE),
      .init(rate: 96_000, channels: 4, format: SND_PCM_FORMAT_S24_LE),
      .init(rate: 8000, channels: 8, format: SND_PCM_FORMAT_FLOAT_LE),
      .init(rate: 11_025, channels: 6),
    ])
    func `sound in any form is heard from both sides, whole and in time`(
      form: LoopbackSpeaker.Form
    ) async throws {
      let speaker = try LoopbackSpeaker(form)
      defer { speaker.end() }
      let heard = try await listen(seconds: 4)
      #expect(heard.holes.isEmpty, "\(form)")
      #expect(abs(heard.samples - 192_000) < 20_000)
      // All inputs hear the same; every other one is on either side.
      let usual = form.channels > 2 ? Float(0.5 * (Double(form.channels) / 2).squareRoot()) : 0.5
      for peak in heard.peaks { #expect(abs(peak - usual) < 0.2, "\(form)") }
      #expect(heard.beeps.count >= 2)
      for beep in heard.beeps { #expect(abs(beep.offset) < 10) }
    }

    /// Parts per million, and for how many seconds it is listened to; `scripts/soak` asks for more.
    static let shifts: [(Int, seconds: Int)] =
      DeviceLab.soaksShifts ? [-300, -100, 100, 300].map { ($0, 75) } : [(-300, 25)]

    @Test(arguments: shifts)
    func `it stays in step with a card whose clock is off`(
      partsPerMillion: Int, seconds: Int
    ) async throws {
      try await DeviceLab.shiftClock(by: partsPerMillion)
      let speaker = try LoopbackSpeaker()
      defer { speaker.end() }
      let heard = try await listen(seconds: Double(seconds))
      try await DeviceLab.shiftClock(by: 0)
      #expect(heard.holes.isEmpty)
      #expect(heard.beeps.count >= seconds - 5)
      for beep in heard.beeps { #expect(abs(beep.offset) < 20) }
      for beep in heard.beeps.dropFirst(min(60, seconds - 10)) { #expect(abs(beep.offset) < 10) }
    }

    @Test func `one that is held says by whom, and is opened when it is free`() async throws {
      let recorder = try ChildProcess(
        "arecord", ["-q", "-D", DeviceLab.microphone, "-f", "cd", "/dev/null"])
      while try !status().contains("RUNNING") {
        try #require(recorder.isRunning, "\(recorder.standardError)")
      }
      let held = BunnyCapture.Microphones.all().first { $0.device == 0 }
      #expect(held?.heldBy == "arecord (process \(recorder.processID))")
      let microphone = ALSAMicrophone(DeviceLab.microphone)
      let holder = "arecord (process \(recorder.processID))"
      #expect(
        throws: SourceError.microphone("alsa:\(DeviceLab.microphone)", .busy(holder: holder))
      ) { try microphone.next() }
      recorder.send(SIGTERM)
      _ = try await recorder.outcome()
      #expect(try microphone.next() != nil)
      microphone.cancel()
      try await waitUntilClosed()
    }

    @Test func `one that was unplugged is the same under another number`() async throws {
      let driver = "/sys/bus/platform/drivers/snd_aloop"
      let microphone = ALSAMicrophone("hw:0,0")
      #expect(try microphone.next() != nil)
      let unplugging = try ChildProcess("sh", ["-c", "echo snd_aloop.0 >\(driver)/unbind"])
      #expect(throws: SourceError.lost("alsa:hw:0,0", reason: "it was unplugged")) {
        while try microphone.next() != nil {}
      }
      #expect(try await unplugging.outcome().exitStatus == 0)
      #expect(throws: SourceError.microphone("alsa:hw:0,0", .missing(offered: []))) {
        try microphone.next()
      }
      try await DeviceLab.run("modprobe", "snd-dummy")
      try await DeviceLab.run("sh", "-c", "echo snd_aloop.0 >\(driver)/bind")
      let cards = BunnyCapture.Microphones.all().filter { $0.device == 0 }
      #expect(cards.map(\.id) == ["Dummy", "Loopback"])
      #expect(try microphone.next() != nil)
      #expect(try status(card: 1).contains("RUNNING"))
      microphone.cancel()
      #expect(try microphone.next() == nil)
      try await waitUntilClosed(card: 1)
      try await DeviceLab.run("modprobe", "-r", "snd-dummy")
      try await DeviceLab.run("sh", "-c", "echo snd_aloop.0 >\(driver)/unbind")
      try await DeviceLab.run("sh", "-c", "echo snd_aloop.0 >\(driver)/bind")
    }

    /// A machine that has to emulate another one is not always in step again by the next beep.
    @Test(.enabled(if: DeviceLab.soaksShifts, "scripts/soak runs it"))
    func `a broadcast that was stopped goes on in step, with silence of the exact length`()
      async throws
    {
      let (folder, nginx) = (try TemporaryDirectory(), try await NginxIngest())
      let quality = folder.file("small.json")
      let json = """
        {"resolution":{"width":320,"height":180},"frameRate":30,"videoBitrate":500000,
        "encoder":{"preset":"ultrafast","keyframeSeconds":2,"lookahead":0}}
        """
      try json.write(toFile: quality, atomically: false, encoding: .utf8)
      let speaker = try LoopbackSpeaker()
      defer { speaker.end() }
      let broadcast = try Command.start([
        "publish", "--to", nginx.url(), "--video", "test", "--audio",
        "alsa:\(DeviceLab.microphone)", "--quality", quality, "--duration", "20",
      ])
      _ = try await broadcast.waitForLine { $0.contains("frames published") }
      broadcast.send(SIGSTOP)
      // 1.7 s: longer than the card's buffer, one second, and shorter than what is jumped over.
      while try unread() < 81_600 { await Task.yield() }
      broadcast.send(SIGCONT)
      #expect(try await broadcast.outcome().exitStatus == 0, "\(broadcast.standardError)")
      let report = try inspect(try await nginx.recordings()[0])
      let beeps = try #require(report.testPicture).beeps
      #expect(beeps.count >= 15)
      for beep in beeps { #expect(abs(beep.offset) < 20) }
      #expect(report.audio?.gaps == 0)
    }
  }
}
