import BunnyInspect
import Foundation
import Support
import Testing

@Suite struct HoldUpTests {
  @Test(arguments: ["tone", "silence"])
  func `a process that was stopped for three seconds goes on in step`(audio: String) async throws {
    let nginx = try await NginxIngest()
    let small = try SmallPublish()
    var arguments = small.arguments(to: nginx.url(), "--duration", "9", "--events", "json")
    arguments[arguments.firstIndex(of: "tone")!] = audio
    let command = try Command.start(arguments)
    // Frames, and the sound between them, are at the ingest: else the hole would be at the beginning.
    _ = try await command.waitForLine(in: .output) { line in
      line.contains(#""statistics""#) && !line.contains(#""publishedFrames":0,"#)
    }
    command.send(SIGSTOP)
    _ = try await ChildProcess.run("sleep", ["3"])  // the hold-up itself
    command.send(SIGCONT)
    #expect(try await command.outcome().exitStatus == 0)
    let report = try inspect(try await nginx.recordings()[0])
    let video = try #require(report.video)
    let sound = try #require(report.audio)
    #expect(abs(video.packets.seconds - 9) < 0.3 && abs(sound.packets.seconds - 9) < 0.3)
    #expect(video.packets.dtsNotRising == 0 && sound.packets.dtsNotRising == 0)
    #expect(sound.gaps <= 1 && sound.largestGap < 4000)
    if let offset = report.testPicture?.largestOffset { #expect(offset <= 67) }
  }
}
