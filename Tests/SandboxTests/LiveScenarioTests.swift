import BunnySystem
import Foundation
import Support
import Testing

/// Whole broadcasts through what goes wrong around them: what each tells is what the API and the ingests saw.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveScenarioTests {
  @Test
  func `a machine that dies while the API is away goes on from memory, and starts nothing twice`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    try await live.breakAPI("hangup")
    first.send(SIGKILL)
    let killed = try await first.outcome()
    let second = try live.start()
    try await second.sends("published")
    #expect(second.standardError.contains("; publishing to where this machine published last"))
    try await live.repair()
    try await second.sends("streamFound")
    second.send(SIGTERM)
    let outcome = try await second.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("lost") == 0, "\(outcome)")
    #expect(killed.sent("running") == 1 && outcome.sent("running") == 0)
    try await live.expectTold(killed, outcome)
    try await live.end()
  }

  @Test func `what is published from memory is let go when somebody else has the stream by then`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    first.send(SIGTERM)
    #expect(try await first.outcome().exitStatus == 0)
    let stranger = try Command.start(live.arguments("--takeover"), live.settingsElsewhere)
    try await stranger.sends("ingestStatusChanged")
    try await live.breakAPI("hangup")
    let late = try live.start()
    try await late.sends("published")
    try await live.repair()
    let outcome = try await late.outcome()
    #expect(outcome.exitStatus == 80, "\(outcome)")
    #expect(
      outcome.standardError.contains(
        "somebody else publishes to the live stream \(live.facts.streamId): an ingest heard of "))
    #expect(outcome.sent("streamFound") == 0 && outcome.sent("left") == 0, "\(outcome)")
    stranger.send(SIGTERM)
    let other = try await stranger.outcome()
    #expect(other.exitStatus == 0 && other.sent("lost") == 0, "\(other)")
    #expect(try await live.count("start 200") == 1)
    #expect(try await live.stops() == [])
    try await live.end()
  }

  /// Who gives it.
  enum Hand: CaseIterable { case ours, elsewhere }

  @Test(arguments: Hand.allCases)
  func `another key, from the command line or from elsewhere, costs a running broadcast no frame`(
    _ hand: Hand
  ) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    switch hand {
    case .ours:
      let made = try await Command.run(
        ["streams", "regenerate-key", live.facts.streamId, "--yes"], live.settings)
      #expect(made.exitStatus == 0, "\(made)")
    case .elsewhere:
      #expect(try await live.sandbox.http("POST", "/sandbox/regenerate-key").status == 200)
    }
    try await command.sends("reconnected")
    _ = try await command.waitForLine { $0.contains("the stream has another key") }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("dropped") == 0, "\(outcome)")
    #expect(outcome.sent("left") == 1)
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test func `the API and both ingests die together, and come back one after the other`()
    async throws
  {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    try await live.breakAPI("503")
    kill(live.facts.primaryPid, SIGKILL)
    kill(live.facts.backupPid, SIGKILL)
    try await command.sends("reconnecting")
    for ingest in ["primary", "backup"] {
      #expect(try await live.sandbox.http("POST", "/sandbox/restart/\(ingest)").status == 200)
    }
    try await command.sends("reconnected")
    _ = try await command.waitForLine { $0.contains("; media flows on, and it is asked again") }
    try await live.repair()
    _ = try await command.waitForLine { $0.contains("Bunny's API answers again") }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("left") == 1, "\(outcome)")
    try await live.expectTold(outcome)
    try await live.end()
  }

  // MARK: Ended from outside

  @Test func `ended from outside, it is over for the broadcast too`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    #expect(try await live.sandbox.http("POST", "/sandbox/end").status == 200)
    let ended = MonotonicTime.now
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 79, "\(outcome)")
    #expect(outcome.endedAt - ended < .seconds(14), "two polls")
    #expect(outcome.sent("left") == 0 && outcome.sent("streamEnded") == 0)
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test(arguments: ["", "list,create"])
  func `ended from outside while the API is away, another one is made when it answers`(
    _ calls: String
  ) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--on-ended", "create")
    try await live.breakAPI("503", calls: calls)
    #expect(try await live.sandbox.http("POST", "/sandbox/end").status == 200)
    // Where nothing is told, the ingest refuses; else another stream cannot be made.
    if calls.isEmpty {
      try await live.waitFor("publish 403")
      #expect(!command.standardOutput.contains(#""event":"streamOver""#))
    } else {
      try await command.sends("streamOver")
      try await command.sends("askingAgain")
    }
    #expect(!command.standardOutput.contains(#""event":"streamCreated""#))
    try await live.repair()
    let successor = try await command.makes()
    try await command.waitForOutput(in: .output) {
      $0.ranges(of: #""event":"running""#).count == 2
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("left") == 1, "\(outcome)")
    #expect(outcome.sent("streamOver") == 1 && outcome.sent("streamCreated") == 1)
    #expect(try await live.count("create 201") == 1)
    #expect(try await live.calls(of: successor).contains("publish 200"))
    try await live.expectTold(outcome)
    try await live.end()
  }
}
