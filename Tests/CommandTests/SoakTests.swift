import BunnyInspect
import Foundation
import Support
import Testing

private let minutes = ProcessInfo.processInfo.environment["BUNNY_SOAK_MINUTES"].flatMap(Int.init)

/// Long broadcasts; `scripts/soak` runs them.
@Suite(.enabled(if: minutes != nil, "scripts/soak runs it"))
struct SoakTests {
  @Test func `a long broadcast keeps every frame, its step and its memory`() async throws {
    let minutes = try #require(minutes)
    let nginx = try await NginxIngest()
    let home = try TemporaryDirectory()
    let command = try Command.start(
      [
        "publish", "--to", nginx.url(), "--video", "test", "--quality", "hd720", "--duration",
        "\(minutes * 60)", "--events", "json",
      ], ["HOME": home.path])
    /// Of the statistics at a minute, in kilobytes.
    func memory(at minute: Int) async throws -> Int {
      try await command.waitForOutput(in: .output, atMost: Double(minute * 60 + 60)) {
        $0.matches(of: /"elapsedMs":(\d+)/).contains { Int($0.1) ?? 0 >= minute * 60_000 }
          || $0.contains("\"event\":\"ended\"")
      }
      let status = try String(contentsOfFile: "/proc/\(command.processID)/status", encoding: .utf8)
      return Int(try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/)).1) ?? 0
    }
    let early = try await memory(at: 1)
    let late = try await memory(at: minutes - 1)
    let outcome = try await command.outcome(atMost: Double(minutes * 60 + 120))
    // What the processor held is remembered elsewhere: see Command.
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    let report = try inspect(try await nginx.recordings(atMost: 60)[0])
    print(report.text)
    print(
      "memory after 1 min \(early) kB, after \(minutes - 1) min \(late) kB")
    #expect(outcome.exitStatus == 0)
    let test = try #require(report.testPicture)
    #expect(abs(test.framesRead - minutes * 1800) <= 1)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0)
    #expect(try #require(test.largestOffset) <= 20)
    #expect(report.audio?.gaps == 0)
    #expect(report.video?.keyframeFrames.allSatisfy { $0 == 60 } == true)
    #expect(late - early < 8192, "memory grew")
  }
}
