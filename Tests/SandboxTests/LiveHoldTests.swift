import Foundation
import Support
import Testing

/// What a broadcast has no hold of it leaves alone, and what it cannot use it does not make.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveHoldTests {
  @Test func `who was told to end before the stream was found does not end somebody else's`()
    async throws
  {
    let live = try await LiveSandbox()
    let show = try await live.startRunning()
    try await live.breakAPI("slow", calls: "get")
    let clone = try Command.start(live.arguments("--on-exit", "end"), live.settingsElsewhere)
    _ = try await clone.waitForLine { $0.contains("asking Bunny's API for the stream") }
    clone.send(SIGTERM)
    let outcome = try await clone.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("it is not ended, for this broadcast had not got hold"))
    #expect(try await live.stops() == [])
    #expect(try await live.status() == "running")
    show.send(SIGTERM)
    #expect(try await show.outcome().sent("lost") == 0)
    try await live.end()
  }

  @Test func `who was told to end while a stream's time is awaited has nothing to end`()
    async throws
  {
    let live = try await LiveSandbox()
    let made = try await Command.run(
      ["streams", "create", "Later", "--start-at", "2100-01-01T00:00:00Z", "--json"], live.settings)
    let json =
      try JSONSerialization.jsonObject(with: Data(made.standardOutput.utf8)) as? [String: NSObject]
    let id = try #require(json?["id"] as? String, "\(made)")
    let command = try live.startElsewhere("--stream", id, "--on-exit", "end")
    try await command.sends("awaitingStart")
    _ = try await command.waitForLine(in: .output) {
      $0.contains(#""event":"statistics""#) && $0.contains(#""state":"waiting""#)
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("left") == 1 && outcome.sent("failed") == 0)
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `nothing is made for what cannot be broadcast`() async throws {
    let live = try await LiveSandbox()
    let command = try live.startElsewhere(
      "--create", "None", "--slate", live.file("none.png"), "--log-level", "error")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 66, "\(outcome)")
    #expect(try await live.sandbox.calls() == [])
    try await live.end()
  }

  @Test func `a stream that was made and never seen is used by the next start of that title`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try live.startElsewhere("--create", "Kiosk", "--no-start")
    try await first.sends("published")
    first.send(SIGKILL)
    _ = try await first.outcome()
    let second = try live.startElsewhere("--create", "Kiosk")
    _ = try await second.waitForLine { $0.contains("made by an earlier start and never shown") }
    try await second.sends("started")
    second.send(SIGTERM)
    #expect(try await second.outcome().exitStatus == 0)
    #expect(try await live.count("create 201") == 1)
    let third = try live.startElsewhere("--create", "Kiosk")
    try await third.sends("started")
    third.send(SIGTERM)
    #expect(try await third.outcome().exitStatus == 0)
    #expect(try await live.count("create 201") == 2, "that one has been seen")
    try await live.end()
  }

  @Test func `who is told twice to end says what is left undone`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--on-exit", "end")
    try await live.breakAPI("500", calls: "stop")
    command.send(SIGTERM)
    // The second one comes more than a second later.
    try await command.waitForOutput(in: .output) {
      $0.ranges(of: #""event":"askingAgain""#).count == 4
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 75, "\(outcome)")
    #expect(outcome.sent("left") == 1 && outcome.sent("ended") == 1)
    #expect(outcome.standardError.contains("`bunny-broadcast streams stop \(live.facts.streamId)`"))
    try await live.end()
  }

  @Test func `who can remember nothing is told so`() async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI("503")
    let nowhere = ["HOME": "", "XDG_STATE_HOME": ""]
    let outcome = try await Command.run(
      live.arguments("--retry", "never"), live.settings.merging(nowhere) { $1 })
    #expect(outcome.exitStatus == 75, "\(outcome)")
    #expect(outcome.standardError.contains(" warning nothing is remembered of the stream, for "))
    try await live.end()
  }

  @Test func `an API that finds nothing for a while touches no broadcast`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--on-ended", "create")
    try await live.breakAPI("404", calls: "get,status", seconds: 9)
    // Noticed with the first poll, and believed when the ingest bears it out.
    _ = try await command.waitForLine {
      $0.contains("; it counts as deleted when the ingest hangs up too, or nothing is found for a ")
        && $0.contains("; media flows on, and it is asked again")
    }
    _ = try await command.waitForLine { $0.contains("Bunny's API answers again") }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamOver") == 0 && outcome.sent("lost") == 0)
    #expect(try await live.count("create 201") == 0)
    try await live.end()
  }
}
