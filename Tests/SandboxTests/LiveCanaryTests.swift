import Foundation
import Support
import Testing

/// Secrets that tests look for where they must not be.
enum Canary {
  static let accessKey = "CANARY-0badcafe-access-key-5d1e"
}

/// Nothing that a live broadcast writes, at its most talkative, holds the access key or the stream
/// key.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveCanaryTests {
  /// How the access key is given.
  enum Way: CaseIterable { case environment, file, credential }

  private let folder: TemporaryDirectory
  /// Where the command runs.
  private let directory: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    directory = try TemporaryDirectory()
  }

  private func start(
    _ live: LiveSandbox, key: String? = nil, by way: Way = .environment,
    _ variables: [String: String] = [:], _ more: [String] = []
  ) throws -> ChildProcess {
    let key = key ?? live.facts.accessKey
    let file = folder.file("bunny-access-key")
    try key.write(toFile: file, atomically: false, encoding: .utf8)
    var settings = live.settings.merging(variables) { $1 }
    settings["BUNNY_ACCESS_KEY"] = way == .environment ? key : ""
    if way == .credential { settings["CREDENTIALS_DIRECTORY"] = folder.path }
    return try Command.start(
      live.arguments("--log-level", "trace") + (way == .file ? ["--access-key-file", file] : [])
        + more, settings, in: directory.path)
  }

  /// Looks through all that is to be read of a process.
  private func expectNoKey(
    _ command: ChildProcess, _ live: LiveSandbox, location: SourceLocation = #_sourceLocation
  ) async throws -> ChildProcess.Outcome {
    let outcome = try await command.outcome()
    var texts = [outcome.standardOutput, outcome.standardError]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
      texts.append(String(decoding: data, as: UTF8.self))
    }
    for (text, key) in texts.flatMap({ text in keys(live).map { (text, $0) } }) {
      #expect(!text.contains(key), "\(text)", sourceLocation: location)
    }
    return outcome
  }

  private func expectNoKeyInCommandLine(
    _ command: ChildProcess, _ live: LiveSandbox, location: SourceLocation = #_sourceLocation
  ) throws {
    let line = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(command.processID)/cmdline"))
    let words = String(decoding: line, as: UTF8.self)
    #expect(words.contains("--stream"), sourceLocation: location)
    for key in keys(live) { #expect(!words.contains(key), "\(words)", sourceLocation: location) }
  }

  private func keys(_ live: LiveSandbox) -> [String] {
    [live.facts.accessKey, live.facts.streamKey, Canary.accessKey]
  }

  @Test(arguments: Way.allCases)
  func `a refused access key is not shown`(_ way: Way) async throws {
    let live = try await LiveSandbox()
    let outcome = try await expectNoKey(
      try start(live, key: Canary.accessKey, by: way), live)
    #expect(outcome.exitStatus == 77, "\(outcome)")
    try await live.end()
  }

  @Test(arguments: Way.allCases)
  func `a broadcast through outages and a lost ingest shows no key`(_ way: Way) async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI("503")
    let command = try start(live, by: way)
    try await command.sends("askingAgain")
    try expectNoKeyInCommandLine(command, live)
    try await live.breakAPI("hangup")
    _ = try await command.waitForLine { $0.contains("no answer came") }
    try await live.repair()
    try await command.sends("running")
    kill(live.facts.primaryPid, SIGKILL)
    try await command.sends("reconnecting")
    command.send(SIGTERM)
    let outcome = try await expectNoKey(command, live)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains(" trace event "))
    try await live.end()
  }

  @Test(arguments: ["", "/nowhere", "/\(Canary.accessKey)"])
  func `a wrong API URL shows no key`(_ path: String) async throws {
    let live = try await LiveSandbox()
    let base = path.isEmpty ? "http://127.0.0.1:\(FreePort.next())" : live.facts.apiUrl + path
    let command = try start(live, ["BUNNY_API_URL": base], ["--retry", "never"])
    let outcome = try await expectNoKey(command, live)
    #expect(outcome.exitStatus == (path.isEmpty ? 75 : 67), "\(outcome)")
    try await live.end()
  }

  @Test func `a trap shows no key`() async throws {
    let live = try await LiveSandbox()
    let command = try start(
      live, ["BUNNY_BROADCAST_FAULT": "trap", "SWIFT_BACKTRACE": "enable=yes"])
    let outcome = try await expectNoKey(command, live)
    #expect(outcome.signal == SIGILL || outcome.signal == SIGTRAP, "\(outcome)")
    #expect(try await live.stops() == [])
    try await live.end()
  }
}
