import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

/// What a viewer sees of an ingest that dies: the sandbox's one HLS, read by `inspect`.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct ViewerTests {
  /// How often each; `scripts/soak` asks for more.
  private static let rounds =
    ProcessInfo.processInfo.environment["BUNNY_SOAK_VIEWERS"].flatMap(Int.init) ?? 2

  @Test(arguments: 0..<rounds)
  func `a frozen primary is a stall, and not a frame is missing`(round: Int) async throws {
    let test = try await viewed(after: SIGSTOP, round)
    #expect(test.lost == 0 && test.outOfOrder == 0, "\(test)")
    #expect(test.shownTwice <= 5, "\(test)")  // of 15 a second: 300 ms
  }

  @Test(arguments: 0..<rounds)
  func `a killed primary costs what it had read and not passed on`(round: Int) async throws {
    let test = try await viewed(after: SIGKILL, round)
    #expect(test.lost <= 3 && test.outOfOrder == 0, "\(test)")
    #expect(test.shownTwice <= 5, "\(test)")
  }

  /// What a viewer sees of twelve seconds in which the primary ingest gets a signal, at another moment
  /// of the GOP in each round.
  private func viewed(after signal: Int32, _ round: Int) async throws -> TestPictureReport {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--duration", "12")
    let moment = MonotonicTime.now + .milliseconds(Int64(2000 + round * 618 % 1000))
    await withCheckedContinuation { continuation in
      startThread("moment") {
        WakeEvent().wait(until: moment)
        kill(live.facts.primaryPid, signal)
        continuation.resume()
      }
    }
    try await command.sends("reconnected")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("dropped") == 0)
    #expect(try await live.stops() == ["stop 200"])
    let report = try inspect(live.facts.recording)
    #expect(report.audio?.gaps == 0)
    let test = try #require(report.testPicture)
    #expect(test.framesRead >= 10 * 15)
    try await live.end()
    return test
  }
}
