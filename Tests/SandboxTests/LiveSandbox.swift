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
      "XDG_STATE_HOME": small.folder.file("state"), "STATE_DIRECTORY": "",
    ]
  }

  func arguments(_ more: String...) -> [String] {
    small.arguments(stream: facts.streamId, ["--events", "json"] + more)
  }

  /// What this machine remembers of the stream.
  var record: String {
    small.folder.file("state/bunny-broadcast/streams/\(facts.streamId).json")
  }

  /// The settings of another machine, which remembers nothing.
  var settingsElsewhere: [String: String] {
    settings.merging(["XDG_STATE_HOME": small.folder.file("elsewhere")]) { $1 }
  }

  /// A path beside the settings.
  func file(_ name: String) -> String { small.folder.file(name) }

  /// Begins a broadcast to another stream of the library, or to one that it makes.
  func startElsewhere(_ arguments: String...) throws -> ChildProcess {
    try Command.start(small.arguments(["--events", "json"] + arguments), settings)
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
  func seen(without other: String = "") async throws -> [String] {
    try await sandbox.calls().reduce(into: []) { seen, call in
      if seen.last != call, call != other { seen.append(call) }
    }
  }

  func count(_ call: String) async throws -> Int {
    try await sandbox.calls().filter { $0 == call }.count
  }

  /// Waits until the sandbox has seen a call.
  func waitFor(_ call: String, times: Int = 1, atMost seconds: Double = 30) async throws {
    let end = MonotonicTime.now + .seconds(seconds)
    var calls = try await sandbox.calls()
    while calls.count(where: { $0 == call }) < times {
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
  ///
  /// - Parameter calls: only these, with commas between; none: all.
  func breakAPI(_ kind: String, calls: String = "", seconds: Int = 600) async throws {
    let answer = try await sandbox.http(
      "POST", "/sandbox/fault?seconds=\(seconds)&kind=\(kind)&calls=\(calls)")
    #expect(answer.status == 200, "\(kind)")
  }

  /// What these broadcasts told is what the API and the ingests saw of them, all together.
  func expectTold(
    _ outcomes: ChildProcess.Outcome..., location: SourceLocation = #_sourceLocation
  ) async throws {
    let calls = try await sandbox.calls()
    func told(_ event: String) -> Int { outcomes.reduce(0) { $0 + $1.sent(event) } }
    func seen(_ call: String) -> Int { calls.count { $0 == call } }
    let words: Comment = "\(calls)"
    #expect(
      told("published") + told("reconnected") == seen("publish 200"), words,
      sourceLocation: location)
    #expect(told("running") == seen("start 200"), words, sourceLocation: location)
    #expect(told("streamEnded") == seen("stop 200"), words, sourceLocation: location)
    #expect(told("streamCreated") == seen("create 201"), words, sourceLocation: location)
    #expect(told("streamFound") <= seen("get 200"), words, sourceLocation: location)
    let isWatched = told("ingestStatusChanged") > 0
    #expect(!isWatched || seen("status 200") > 0, words, sourceLocation: location)
    #expect(
      told("left") + told("streamEnded") <= outcomes.count, words, sourceLocation: location)
  }

  func calls(of id: String) async throws -> [String] { try await sandbox.calls(of: id) }

  func repair() async throws {
    _ = try await sandbox.http("POST", "/sandbox/fault?seconds=0")
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

  /// Waits until it has made a stream, and tells its GUID.
  func makes() async throws -> String {
    let line = try await waitForLine(in: .output) { $0.contains(#""streamCreated""#) }
    let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: NSObject]
    return try #require(event?["stream"] as? String)
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
