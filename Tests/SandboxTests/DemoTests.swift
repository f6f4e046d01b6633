import BunnySystem
import Foundation
import Support
import Testing

/// The README's first command, on what is built.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct DemoTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scripts/demo").path

  private let temporary: TemporaryDirectory
  private let state: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    state = try TemporaryDirectory(named: "state")
  }

  private var variables: [String: String] {
    // A proxy that nobody is at: what is on this machine is not asked for through it.
    [
      "TMPDIR": temporary.path, "XDG_STATE_HOME": state.path, "TERM": "xterm",
      "http_proxy": "http://127.0.0.1:9",
    ]
  }

  private func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      "/bin/bash", [Self.script, "--skip-build", "--source", "test"] + arguments,
      environment: Command.environment(variables))
  }

  private func startOnTerminal() throws -> ChildProcess {
    try ChildProcess(
      onTerminalOf: 100, "/bin/bash", [Self.script, "--skip-build", "--source", "test"],
      environment: Command.environment(variables))
  }

  /// Nothing is left of it: no process, no file.
  private func expectNothingLeft() throws {
    #expect(try processes() == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  /// The command lines of those that have this test's temporary folder.
  private func processes() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { entry in
      guard let processID = Int32(entry), runs(processID),
        let variables = try? String(contentsOfFile: "/proc/\(entry)/environ", encoding: .utf8),
        variables.contains("TMPDIR=\(temporary.path)\0")
      else { return nil }
      return try? String(contentsOfFile: "/proc/\(entry)/cmdline", encoding: .utf8)
    }
  }

  @Test func `the demo shows a live picture, and measures what a viewer saw`() async throws {
    let outcome = try await start("--seconds", "10").outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains(#/watch    http://127\.0\.0\.1:\d+//#))
    #expect(outcome.standardError.contains("running: viewers see the stream"))
    #expect(outcome.standardError.contains("ended the stream for good"))
    #expect(outcome.standardOutput.contains("h264 High level 3.1"))
    #expect(outcome.standardOutput.contains("0 lost, 0 shown twice"))
    #expect(outcome.standardOutput.hasSuffix("Nothing to complain about.\n"))
    try expectNothingLeft()
  }

  @Test func `the demo kills the primary ingest when asked`() async throws {
    let demo = try start("--seconds", "14", "--kill-primary-at", "5")
    _ = try await demo.waitForLine { $0 == "demo: killing the primary ingest" }
    _ = try await demo.waitForLine { $0.contains("lost") }
    let outcome = try await demo.outcome()
    #expect(outcome.standardError.contains("demo: what the viewer saw:"))
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("live again at"))
    // What it had read and not passed on may be lost.
    let seen = try #require(
      outcome.standardOutput.firstMatch(of: #/(\d+) lost, (\d+) shown twice/#), "\(outcome)")
    #expect(try #require(Int(seen.1)) <= 5 && #require(Int(seen.2)) <= 9)
    try expectNothingLeft()
  }

  @Test func `Ctrl-C, then e, ends the demo`() async throws {
    let demo = try startOnTerminal()
    try await demo.shows("running: viewers see the stream")
    try await demo.shows("\rlive 00:00:04")
    demo.write("\u{3}")
    try await demo.shows("e: end it for good")
    demo.write("e")
    let outcome = try await demo.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput.contains("Nothing to complain about."))
    try expectNothingLeft()
  }

  @Test(arguments: [SIGHUP, SIGTERM])
  func `a demo that is ended from outside leaves nothing behind`(_ signal: Int32) async throws {
    let demo = try start()
    _ = try await demo.waitForLine { $0.contains("running: viewers see the stream") }
    demo.send(signal)
    _ = try await demo.outcome()
    try expectNothingLeft()
  }

  @Test(arguments: [["--seconds", "0"], ["--source", "cam"], ["--seconds"], ["-x"]])
  func `what the demo cannot do is refused`(_ arguments: [String]) async throws {
    let outcome = try await ChildProcess.run("/bin/bash", [Self.script] + arguments)
    #expect(outcome.exitStatus == 64, "\(outcome)")
  }
}
