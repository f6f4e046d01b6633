import BunnySystem
import Foundation
import Support
import Testing

/// A sandbox, and broadcasts of a small picture to its live stream.
struct LiveSandbox {
  let sandbox: SandboxProcess
  private let small: SmallPublish

  var facts: SandboxProcess.Facts { sandbox.facts }

  init(_ arguments: String...) async throws {
    sandbox = try await SandboxProcess.start(["--ready-after", "0"] + arguments)
    small = try SmallPublish()
  }

  /// The settings that a broadcast needs.
  var settings: [String: String] {
    [
      "BUNNY_ACCESS_KEY": facts.accessKey, "BUNNY_LIBRARY_ID": "\(facts.libraryId)",
      "BUNNY_API_URL": facts.apiUrl, "CREDENTIALS_DIRECTORY": "",
    ]
  }

  func arguments(_ more: String...) -> [String] {
    small.arguments(stream: facts.streamId, ["--events", "json"] + more)
  }

  /// Begins a broadcast.
  func start(_ more: String...) throws -> ChildProcess {
    try Command.start(arguments() + more, settings)
  }

  /// Begins a broadcast that viewers see when this returns.
  func startRunning(_ more: String...) async throws -> ChildProcess {
    let command = try Command.start(arguments() + more, settings)
    try await command.sends("running")
    return command
  }

  /// Begins a broadcast on a terminal, which viewers see when this returns.
  func startOnTerminal(_ more: String...) async throws -> ChildProcess {
    let command = try Command.startOnTerminal(
      small.arguments(stream: facts.streamId, more), settings.merging(["TERM": "xterm"]) { $1 })
    try await command.shows("running: viewers see the stream")
    try await command.shows("\rlive 00:00:0")
    return command
  }

  /// Begins, resumes a stream that runs, and leaves.
  func expectResumes(_ location: SourceLocation = #_sourceLocation) async throws {
    let starts = try await count("start 200")
    let stops = try await sandbox.calls().filter { $0.hasPrefix("stop") }.count
    let command = try start()
    _ = try await command.waitForLine { $0.contains("is running: resuming it") }
    try await command.sends("ingestStatusChanged")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)", sourceLocation: location)
    #expect(try await count("start 200") == starts, sourceLocation: location)
    #expect(
      try await sandbox.calls().filter { $0.hasPrefix("stop") }.count == stops,
      sourceLocation: location)
  }

  /// What the API and the ingests saw, without repetitions in a row.
  func seen() async throws -> [String] {
    try await sandbox.calls().reduce(into: []) { seen, call in
      if seen.last != call { seen.append(call) }
    }
  }

  func count(_ call: String) async throws -> Int {
    try await sandbox.calls().filter { $0 == call }.count
  }

  /// Waits until the sandbox has seen a call.
  func waitFor(_ call: String, atMost seconds: Double = 30) async throws {
    let end = MonotonicTime.now + .seconds(seconds)
    var calls = try await sandbox.calls()
    while !calls.contains(call) {
      guard MonotonicTime.now < end else {
        throw WaitedInVain(what: call, seconds: seconds, found: "\(try await seen())")
      }
      calls = try await sandbox.calls(after: calls.count)
    }
  }

  /// Whatever came of it: every try to end the stream.
  func stops() async throws -> [String] {
    try await sandbox.calls().filter { $0.hasPrefix("stop") }
  }

  /// The stream's status now.
  func status() async throws -> String? {
    try await sandbox.http("GET", "/sandbox/state")["status"] as? String
  }

  /// Makes the API fail, for some seconds or until ``repair()``.
  func breakAPI(_ kind: String, seconds: Int = 600) async throws {
    _ = try await sandbox.http("POST", "/sandbox/outage?seconds=\(seconds)&kind=\(kind)")
  }

  func repair() async throws {
    _ = try await sandbox.http("POST", "/sandbox/outage?seconds=0")
  }

  /// Puts the stream into one of Bunny's states.
  func force(_ status: Int) async throws {
    _ = try await sandbox.http("POST", "/sandbox/status?value=\(status)")
  }

  func end() async throws { try await sandbox.end() }
}

extension ChildProcess {
  /// Waits for an event of `--events json`.
  func sends(_ event: String) async throws {
    _ = try await waitForLine(in: .output) { $0.contains(#""event":"\#(event)""#) }
  }

  /// Waits for text on its terminal.
  func shows(_ text: String) async throws {
    try await waitForOutput(in: .output) { $0.contains(text) }
  }
}

extension ChildProcess.Outcome {
  func sent(_ event: String) -> Int {
    standardOutput.components(separatedBy: #""event":"\#(event)""#).count - 1
  }
}
