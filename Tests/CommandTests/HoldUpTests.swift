import BunnyInspect
import Foundation
import Support
import Testing

@Suite struct HoldUpTests {
  @Test(arguments: [("tone", 2), ("silence", 7)])
  func `a process that was stopped goes on in step, and says so if it was for long`(
    audio: String, seconds: Int
  ) async throws {
    let nginx = try await NginxIngest()
    let small = try SmallPublish()
    let length = Double(seconds + 6)
    var arguments = small.arguments(
      to: nginx.url(), "--duration", "\(seconds + 6)", "--events", "json")
    arguments[arguments.firstIndex(of: "tone")!] = audio
    let command = try Command.start(arguments)
    // Frames, and the sound between them, are at the ingest: else the hole would be at the beginning.
    _ = try await command.waitForLine(in: .output) { line in
      line.contains(#""statistics""#) && !line.contains(#""publishedFrames":0,"#)
    }
    command.send(SIGSTOP)
    _ = try await ChildProcess.run("sleep", ["\(seconds)"])  // the hold-up itself
    command.send(SIGCONT)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0)
    #expect(
      outcome.standardError.contains("this program stood still for") == (seconds > 6), "\(outcome)")
    let report = try inspect(try await nginx.recordings()[0])
    let video = try #require(report.video)
    let sound = try #require(report.audio)
    #expect(abs(video.packets.seconds - length) < 0.3)
    #expect(abs(sound.packets.seconds - length) < 0.3)
    #expect(video.packets.dtsNotRising == 0 && sound.packets.dtsNotRising == 0)
    #expect(sound.gaps <= 1 && Int(sound.largestGap) < seconds * 1000 + 1000)
    if let offset = report.testPicture?.largestOffset { #expect(offset <= 67) }
  }
}
