import BunnySystem
import Foundation
import Support
import Testing

/// Leave is not end: what does not stop a live stream, and what does.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveLeavingTests {
  /// A signal ends the process almost at once; two busy cores need a little more.
  private static let atOnce = Int64.seconds(2)

  @Test(arguments: [("SIGINT", SIGINT), ("SIGTERM", SIGTERM), ("SIGHUP", SIGHUP)])
  func `a signal leaves the stream running, and the next start resumes it`(
    _ name: String, _ signal: Int32
  ) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    let asked = MonotonicTime.now
    command.send(signal)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < Self.atOnce)
    #expect(outcome.sent("left") == 1 && outcome.sent("streamEnded") == 0)
    #expect(outcome.standardError.contains(" info left the stream as it is (\(name)): "))
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    try await live.expectResumes()
    try await live.end()
  }

  @Test(arguments: [[], ["--on-exit", "end"]])
  func `when nobody reads the events any more, the stream is left`(
    _ more: [String]
  ) async throws {
    let live = try await LiveSandbox()
    let script = #"{ "$0" "$@"; echo "status $?" >&2; } | sed '/"running"/q' > /dev/null"#
    let outcome = try await Command.startInShell(script, live.arguments() + more, live.settings)
      .outcome()
    #expect(outcome.standardError.hasSuffix("status 73\n"), "\(outcome)")
    #expect(
      outcome.standardError.contains(
        " info left the stream as it is (nobody reads standard output any more): "))
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    try await live.expectResumes()
    try await live.end()
  }

  @Test func `giving up leaves the stream`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning(
      "--retry", "never", "--on-exit", "end", "--log-level", "debug")
    kill(live.facts.backupPid, SIGKILL)
    // Else the primary's end may be seen first, and the backup be taken for one that refuses.
    try await command.waitForOutput(in: .error) { $0.contains(": closed\n") }
    kill(live.facts.primaryPid, SIGKILL)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 69, "\(outcome)")
    #expect(outcome.sent("left") == 1 && outcome.sent("streamEnded") == 0)
    #expect(outcome.standardError.contains(" info left the stream as it is ("))
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    _ = try await live.sandbox.http("POST", "/sandbox/restart/primary")
    try await live.expectResumes()
    try await live.end()
  }

  @Test func `a crash leaves the stream`() async throws {
    let live = try await LiveSandbox()
    let running = try await live.startRunning()
    running.send(SIGABRT)
    #expect(try await running.outcome().signal == SIGABRT)
    #expect(try await live.stops() == [])
    try await live.expectResumes()
    try await live.end()
  }

  @Test func `a signal leaves at once, although the API keeps it waiting`() async throws {
    let silent = try ScriptedIngest(IngestScript(.silence, at: .accept))
    let small = try SmallPublish()
    let command = try Command.start(
      small.arguments(
        stream: UUID().uuidString,
        ["--api-url", "http://127.0.0.1:\(silent.port)", "--events", "json"]),
      ["BUNNY_ACCESS_KEY": Canary.accessKey, "BUNNY_LIBRARY_ID": "1"])
    try await silent.waitUntil { $0.first.map { $0.bytesReceived > 0 } ?? false }
    let asked = MonotonicTime.now
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.endedAt - asked < Self.atOnce, "\(outcome)")
  }

  @Test(arguments: [["--duration", "3"], ["--on-exit", "end"]])
  func `an explicit end stops the stream, once`(_ arguments: [String]) async throws {
    let live = try await LiveSandbox()
    let command = try Command.start(live.arguments() + arguments, live.settings)
    if arguments[0] == "--on-exit" {
      try await command.sends("running")
      command.send(SIGTERM)
    }
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamEnded") == 1 && outcome.sent("left") == 0)
    #expect(try await live.stops() == ["stop 200"])
    #expect(try await live.status() == "ended")
    try await live.end()
  }
}
