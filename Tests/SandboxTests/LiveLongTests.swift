import BunnyInspect
import Foundation
import Support
import Testing

/// What takes its time: Bunny's API is away for long, or a stream is not ready for long.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveLongTests {
  @Test func `an API that is dead for the first 20 s is waited for`() async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI("hangup", seconds: 20)
    let command = try live.start()
    _ = try await command.waitForLine(in: .output, atMost: 60) {
      $0.contains(#""event":"running""#)
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("askingAgain") >= 5)
    #expect(try await live.count("get 0") >= 5)
    #expect(outcome.sent("running") == 1)
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test func `an API that is dead for a minute in the middle touches no frame`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--duration", "75")
    try await live.breakAPI("503", seconds: 60)
    let outcome = try await command.outcome(atMost: 120)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamEnded") == 1 && outcome.sent("left") == 0)
    #expect(outcome.sent("lost") == 0 && outcome.sent("dropped") == 0)
    #expect(outcome.standardOutput.contains(#""publishedFrames":1125,"#))
    #expect(try await live.count("status 503") >= 10)
    try await live.expectTold(outcome)

    let report = try inspect(live.facts.recording)
    let test = try #require(report.testPicture)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
    #expect(test.framesRead >= 70 * 15)
    #expect(report.audio?.gaps == 0)
    try await live.end()
  }

  @Test func `after 30 s somebody is told what is awaited, and it goes on`() async throws {
    let live = try await LiveSandbox("--ready-after", "33")
    let command = try live.start()
    _ = try await command.waitForLine(in: .output, atMost: 60) {
      $0.contains(#""event":"awaitingReady""#)
    }
    #expect(try await live.count("start 200") == 0)
    _ = try await command.waitForLine(in: .output, atMost: 60) {
      $0.contains(#""event":"running""#)
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("awaitingReady") == 1 && outcome.sent("lost") == 0)
    #expect(try await live.count("start 200") == 1)
    try await live.end()
  }
}
