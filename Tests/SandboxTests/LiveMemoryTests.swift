import Foundation
import Support
import Testing

/// Bunny's API is away where a broadcast begins, or says nothing useful: what is remembered must do.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveMemoryTests {
  @Test func `a machine that boots without the API goes live from memory, and catches up`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try live.start("--no-start")
    try await first.sends("ingestStatusChanged")
    first.send(SIGTERM)
    let before = try await first.outcome()
    #expect(before.exitStatus == 0)
    try await live.breakAPI("hangup")
    let command = try live.start()
    try await command.sends("published")
    _ = try await command.waitForLine {
      $0.contains("; publishing to where this machine published last, meanwhile")
    }
    #expect(command.standardOutput.contains("streamFound") == false)
    #expect(try await live.count("publish 200") == 2)
    try await live.repair()
    try await command.sends("running")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamFound") == 1 && outcome.sent("lost") == 0)
    #expect(outcome.sent("started") == 1)
    #expect(try await live.count("start 200") == 1)
    #expect(try await live.count("get 0") >= 4, "the network is given five seconds to come up")
    try await live.expectTold(before, outcome)
    try await live.end()
  }

  @Test func `a key that is remembered and void is given up when the API names another`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    first.send(SIGTERM)
    #expect(try await first.outcome().exitStatus == 0)
    #expect(try await live.sandbox.api("PUT", "/regenerate-key").status == 200)
    try await live.breakAPI("500")
    let command = try live.start()
    try await live.waitFor("publish 403")
    try await live.repair()
    _ = try await command.waitForLine { $0.contains("the stream has another key") }
    try await command.sends("streamFound")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(try await live.count("publish 200") == 2)
    #expect(try await live.count("start 200") == 1)
    try await live.end()
  }

  @Test func `a start that could not be tried is said at the end, unless viewers saw it before`()
    async throws
  {
    let live = try await LiveSandbox()
    for wasShown in [false, true] {
      let first = try wasShown ? live.start() : live.start("--no-start")
      try await first.sends(wasShown ? "running" : "ingestStatusChanged")
      first.send(SIGTERM)
      #expect(try await first.outcome().exitStatus == 0)
      try await live.breakAPI("500")
      let command = try live.start()
      try await command.sends("published")
      command.send(SIGTERM)
      let outcome = try await command.outcome()
      #expect(outcome.exitStatus == (wasShown ? 0 : 75), "\(outcome)")
      #expect(outcome.sent("left") == 1 && outcome.sent("started") == 0)
      let words = "; `bunny-broadcast streams start \(live.facts.streamId)` does it later\n"
      #expect(outcome.standardError.contains(words) != wasShown)
      try await live.repair()
    }
    try await live.end()
  }

  @Test func `a start that is never made is said at the end`() async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI("500", calls: "start")
    let command = try live.start()
    _ = try await command.waitForLine { $0.contains("; media flows on, and it is tried again") }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 75, "\(outcome)")
    #expect(outcome.sent("left") == 1 && outcome.sent("lost") == 0)
    #expect(
      outcome.standardError.contains(
        "; `bunny-broadcast streams start \(live.facts.streamId)` does it later\n"))
    try await live.end()
  }
}
