import BunnyInspect
import Foundation
import Support
import Testing

/// Bunny's API fails, at each stage of a broadcast, in both ways: media is never touched.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveOutageTests {
  /// How the sandbox fails, and what its log of calls holds then.
  private static let kinds = [("503", "503"), ("hangup", "0")]

  @Test(arguments: kinds)
  func `an API that is dead at the start is waited for`(
    _ kind: String, _ answer: String
  ) async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI(kind)
    let command = try live.start()
    _ = try await command.waitForLine { $0.contains("asking Bunny's API again in 0.") }
    #expect(try await live.count("publish 200") == 0)
    try await live.repair()
    try await command.sends("running")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("askingAgain") >= 2)
    #expect(try await live.count("get \(answer)") >= 2)
    #expect(try await live.stops() == [])
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test(arguments: kinds)
  func `an API that dies before the start is caught up with`(
    _ kind: String, _ answer: String
  ) async throws {
    let live = try await LiveSandbox("--ready-after", "3")
    let command = try live.start()
    try await command.sends("ingestStatusChanged")
    try await live.breakAPI(kind)
    try await live.waitFor("status \(answer)")
    #expect(try await live.count("start 200") == 0)
    try await live.repair()
    try await command.sends("running")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("started") == 1 && outcome.sent("lost") == 0)
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test(arguments: kinds)
  func `an API that dies in the middle touches no frame, and the stop is caught up`(
    _ kind: String, _ answer: String
  ) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--duration", "9")
    try await live.breakAPI(kind)
    try await live.waitFor("status \(answer)")
    try await live.waitFor("stop \(answer)")
    try await command.sends("askingAgain")
    try await live.repair()
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamEnded") == 1 && outcome.sent("left") == 0)
    #expect(outcome.sent("lost") == 0 && outcome.sent("dropped") == 0)
    #expect(outcome.standardOutput.contains(#""publishedFrames":135,"#))
    try await live.expectTold(outcome)

    let report = try inspect(live.facts.recording)
    let test = try #require(report.testPicture)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
    #expect(test.framesRead >= 5 * 15)
    #expect(report.audio?.gaps == 0)
    try await live.end()
  }

  @Test func `a stop that cannot be made is said, and the stream is left`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--retry", "never", "--on-exit", "end")
    try await live.breakAPI("503")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 75, "\(outcome)")
    #expect(outcome.sent("left") == 1 && outcome.sent("streamEnded") == 0)
    #expect(outcome.standardError.contains("could not stop the live stream"))
    #expect(
      outcome.standardError.contains(
        "; `bunny-broadcast streams stop \(live.facts.streamId)` does it later\n"))
    #expect(try await live.stops() == ["stop 503"])
    try await live.end()
  }
}
