import Foundation
import Support
import Testing

/// Bunny's API fails in every way that it can, and a whole broadcast goes on.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveFaultTests {
  @Test(arguments: ["garbage", "401", "404", "422", "500"])
  func `an ingest status that fails touches no media, and the stream is started once it is told`(
    _ kind: String
  ) async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI(kind, calls: "status")
    let command = try live.start()
    _ = try await command.waitForLine { $0.contains("; media flows on, and it is asked again") }
    #expect(!command.standardOutput.contains(#""event":"running""#))
    try await live.repair()
    try await command.sends("running")
    try await live.expectWhole(command)
    #expect(command.standardError.contains("Bunny's API answers again"))
    #expect(try await live.count("status \(kind == "garbage" ? "200" : kind)") >= 1)
    try await live.end()
  }

  @Test(arguments: ["hang", "slow", "no-flags", "false-flags"])
  func `an ingest status that is late, or says nothing true of the ingests, is no failure`(
    _ kind: String
  ) async throws {
    let live = try await LiveSandbox()
    // libcurl asks again where a connection that it had kept is hung up on.
    try await live.breakAPI(kind, calls: "status", seconds: kind == "hang" ? 6 : 600)
    let command = try live.start()
    try await command.sends("running")
    try await live.waitFor("status 200", times: 2)
    try await live.expectWhole(command)
    try await live.end()
  }
}

/// The same before there is a broadcast.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveFetchFaultTests {
  @Test(arguments: ["hang", "slow", "garbage", "500"])
  func `a stream that is not told of is asked for until it is`(_ kind: String) async throws {
    let live = try await LiveSandbox()
    // What hangs fails when the fault is over; what is slow is only that.
    try await live.breakAPI(kind, calls: "get", seconds: kind == "hang" ? 6 : 600)
    let command = try live.start()
    if kind != "slow" {
      try await command.sends("askingAgain")
      try await live.repair()
    }
    try await command.sends("running")
    try await live.expectWhole(command)
    try await live.end()
  }

  @Test(arguments: [("401", Int32(77)), ("404", 67), ("422", 76)])
  func `a stream that is refused is not asked for again`(_ kind: String, _ status: Int32)
    async throws
  {
    let live = try await LiveSandbox()
    try await live.breakAPI(kind, calls: "get")
    let outcome = try await live.start().outcome()
    #expect(outcome.exitStatus == status, "\(outcome)")
    #expect(try await live.sandbox.calls() == ["get \(kind)"])
    try await live.expectTold(outcome)
    try await live.end()
  }
}

extension LiveSandbox {
  /// Leaves; nothing was lost, and viewers saw it once.
  func expectWhole(_ command: ChildProcess) async throws {
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("left") == 1, "\(outcome)")
    #expect(outcome.sent("lost") == 0 && outcome.sent("dropped") == 0, "\(outcome)")
    #expect(outcome.sent("started") == 1 && outcome.sent("running") == 1, "\(outcome)")
    try await expectTold(outcome)
  }
}
