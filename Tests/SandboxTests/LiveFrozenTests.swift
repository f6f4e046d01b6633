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
    #expect(outcome.standardError.contains("(it was to be ended, and is not known to be: "))
    try await live.end()
  }

  /// Begins a broadcast whose source waits for a writer for ever.
  private func startHanging(
    _ live: LiveSandbox, _ folder: TemporaryDirectory, _ more: String...
  ) throws -> ChildProcess {
    mkfifo(folder.file("pipe"), 0o600)
    return try Command.start(
      ["--stream", live.facts.streamId, "--video", "file:\(folder.file("pipe"))"]
        + ["--events", "json"] + more, live.settings)
  }

  @Test func `a source that hangs is left behind, and the stream is left`() async throws {
    let live = try await LiveSandbox()
    let folder = try TemporaryDirectory()
    let command = try startHanging(live, folder)
    try await command.sends("streamFound")
    let asked = MonotonicTime.now
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < .seconds(3))
    #expect(outcome.sent("left") == 1)
    #expect(outcome.standardError.contains("left it behind"))
    #expect(outcome.standardError.contains(" info left the stream as it is (SIGTERM): "))
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `an explicit end ends the stream although a source hangs`() async throws {
    let live = try await LiveSandbox()
    try await live.force(3)
    let folder = try TemporaryDirectory()
    let command = try startHanging(live, folder, "--on-exit", "end")
    try await command.sends("streamFound")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamEnded") == 1 && outcome.sent("left") == 0)
    #expect(try await live.stops() == ["stop 200"])
    try await live.end()
  }
}
