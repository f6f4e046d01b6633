import Foundation
import Support
import Testing

private let minutes = ProcessInfo.processInfo.environment["BUNNY_SOAK_CHANGES"].flatMap(Int.init)

/// A long broadcast over a line that is another one every quarter of a minute; `scripts/soak` runs it.
@Suite(.enabled(if: minutes != nil && Line.isAvailable, "scripts/soak runs it; it \(Line.need)"))
struct ChangesSoakTests {
  /// Mbit/s: of a quality of 4, whole, less rate, half the frames, and every size.
  private static let rates = [8, 2.5, 1.3, 0.95, 0.75, 5, 0.75]

  /// Waits until its own clock says so, or it has ended.
  private static func has(_ publisher: ChildProcess, lasted seconds: Int) async throws {
    try await publisher.waitForOutput(in: .output, atMost: 120) {
      $0.matches(of: /"elapsedMs":(\d+)/).contains { Int($0.1) ?? 0 >= seconds * 1000 }
        || $0.contains("\"event\":\"ended\"")
    }
  }

  @Test func `rate, frame rate and size change for hours, and memory stays flat`() async throws {
    let minutes = try #require(minutes)
    let line = try await Line(LineBitrateTests.condition(8_000_000))
    let ingest = try ScriptedIngest(at: .first, of: line)
    let publisher = try await LineBitrateTests.start(
      4_000_000, to: ingest.url(), over: line, ["--duration", "\(minutes * 60)"])
    let changes = Task {
      for round in 0..<(minutes * 4) {
        line.set(LineBitrateTests.condition(Int(Self.rates[round % Self.rates.count] * 1e6)))
        try await Self.has(publisher, lasted: (round + 1) * 15)
      }
    }
    defer { changes.cancel() }
    var kilobytes: [Int] = []
    for minute in 1..<minutes {
      try await Self.has(publisher, lasted: minute * 60)
      let path = "/proc/\(publisher.processID)/status"
      let status = try String(contentsOfFile: path, encoding: .utf8)
      kilobytes.append(Int(try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/)).1) ?? 0)
      print("memory after \(minute) min: \(kilobytes[minute - 1]) kB")
    }
    let outcome = try await publisher.outcome(atMost: 180)
    let log = try EventLog(outcome.standardOutput)
    let told = log.all("bitrateChanged")
    print("\(told.count) changes told of")
    #expect(outcome.exitStatus == 0 && log.all("ended").first?.connections == 1)
    for step in ["half the frame rate", "three quarters of the size", "half the size"] {
      #expect(told.contains { $0.reason?.hasSuffix(step) == true }, "\(step)")
    }
    // All sizes have been there after two rounds of the line.
    let early = kilobytes.prefix(4).max() ?? 0
    #expect((kilobytes.last ?? 0) - early < 8192, "memory grew: \(kilobytes)")
  }
}
