import BunnySystem
import Foundation
import Support
import Testing

/// Somebody takes the connection and never answers: no end of a broadcast waits for that for ever.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveFrozenTests {
  @Test func `a frozen API does not keep a broadcast from leaving`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    live.sandbox.child.send(SIGSTOP)
    let asked = MonotonicTime.now
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    live.sandbox.child.send(SIGCONT)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(3))
    #expect(outcome.sent("left") == 1)
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `a stop that a frozen API never answers is given up, and said`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--on-exit", "end")
    live.sandbox.child.send(SIGSTOP)
    let asked = MonotonicTime.now
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    live.sandbox.child.send(SIGCONT)
    #expect(outcome.exitStatus == 75, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(40))
    #expect(outcome.sent("left") == 1 && outcome.sent("streamEnded") == 0)
    #expect(outcome.standardError.contains("(it could not be ended)"))
    try await live.end()
  }

  @Test func `a source that does not let go is left behind, and so is the stream`() async throws {
    let live = try await LiveSandbox()
    let silent = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let command = try Command.start(
      ["--stream", live.facts.streamId, "--video", "file:\(silent.url())", "--events", "json"],
      live.settings)
    try await silent.waitUntil { $0.first.map { $0.bytesReceived > 0 } ?? false }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("left") == 1)
    #expect(outcome.standardError.contains(" info left the stream as it is ("))
    #expect(try await live.stops() == [])
    try await live.end()
  }
}
