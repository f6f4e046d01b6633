import Foundation
import Support
import Testing

/// Nothing that the real process writes, at its most talkative, holds the stream key.
struct CanaryTests {
  private static let key = Refusal.secret
  private let small: SmallPublish
  /// Where the command runs.
  private let directory: TemporaryDirectory

  init() throws {
    small = try SmallPublish()
    directory = try TemporaryDirectory()
  }

  /// Publishes at the most talkative level; the key is in the URL, or apart in a file.
  private func start(
    to url: String, apart: Bool = false, _ variables: [String: String] = [:], _ more: String...
  ) throws -> ChildProcess {
    var arguments = small.arguments(to: apart ? url : "\(url)/\(Self.key)?sign=\(Self.key)")
    if apart {
      let file = small.folder.file("the.key")
      try Self.key.write(toFile: file, atomically: false, encoding: .utf8)
      arguments += ["--key-file", file]
    }
    return try Command.start(
      arguments + ["--log-level", "trace", "--events", "json"] + more, variables,
      in: directory.path)
  }

  /// All that is there to be read of a process: its command line while it runs, its output, and what
  /// it left in its folder.
  private func expectNoKey(
    _ command: ChildProcess, location: SourceLocation = #_sourceLocation
  ) async throws -> ChildProcess.Outcome {
    let outcome = try await command.outcome()
    #expect(!outcome.standardOutput.contains(Self.key), sourceLocation: location)
    #expect(!outcome.standardError.contains(Self.key), sourceLocation: location)
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
      #expect(data.range(of: Data(Self.key.utf8)) == nil, "\(name)", sourceLocation: location)
    }
    return outcome
  }

  private func expectNoKeyInCommandLine(
    _ command: ChildProcess, location: SourceLocation = #_sourceLocation
  ) throws {
    let line = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(command.processID)/cmdline"))
    let words = String(decoding: line, as: UTF8.self)
    #expect(words.contains("--log-level"), sourceLocation: location)
    #expect(!words.contains(Self.key), "\(words)", sourceLocation: location)
  }

  @Test(arguments: [false, true])
  func `a refused key is not shown, whatever the server says of it`(_ apart: Bool) async throws {
    let script = IngestScript(
      .status(
        level: "error", code: "NetStream.Publish.Unauthorized", text: "\(Self.key) is unknown"),
      at: .publish)
    let ingest = try ScriptedIngest(script)
    let command = try start(to: "rtmp://127.0.0.1:\(ingest.port)/live", apart: apart)
    let outcome = try await expectNoKey(command)
    #expect(outcome.exitStatus == 77, "\(outcome)")
    #expect(outcome.standardError.contains("••• is unknown"))
  }

  @Test(arguments: [false, true])
  func `a connection that fails does not show the key`(_ apart: Bool) async throws {
    let port = FreePort.next()
    let command = try start(to: "rtmp://127.0.0.1:\(port)/live", apart: apart)
    _ = try await command.waitForLine(in: .output) { $0.contains(#""attempt":3"#) }
    try expectNoKeyInCommandLine(command)
    command.send(SIGTERM)
    #expect(try await expectNoKey(command).exitStatus == 0)
  }

  @Test(arguments: [false, true])
  func `a lost connection and the next one do not show the key`(_ apart: Bool) async throws {
    let ingest = try ScriptedIngest(IngestScript(.reset, at: .tags(30)))
    let command = try start(to: "rtmp://127.0.0.1:\(ingest.port)/live", apart: apart)
    _ = try await command.waitForLine(in: .output) { $0.contains(#""event":"reconnected""#) }
    try expectNoKeyInCommandLine(command)
    command.send(SIGTERM)
    let outcome = try await expectNoKey(command)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let names = try EventLog(outcome.standardOutput).names
    #expect(["started", "lost", "reconnecting", "reconnected"].allSatisfy(names.contains))
    #expect(outcome.standardError.contains(" debug connection to rtmp://"))
    let sent = ingest.visits[0].commands.flatMap(\.arguments).map { "\($0)" }.joined()
    #expect(sent.contains(Self.key), "the key is what was sent")
  }

  @Test(arguments: [false, true])
  func `a trap does not show the key`(_ apart: Bool) async throws {
    let ingest = try ScriptedIngest()
    let command = try start(
      to: "rtmp://127.0.0.1:\(ingest.port)/live", apart: apart,
      ["BUNNY_BROADCAST_FAULT": "trap", "SWIFT_BACKTRACE": "enable=yes"])
    let outcome = try await expectNoKey(command)
    #expect(outcome.signal == SIGILL || outcome.signal == SIGTRAP, "\(outcome)")
    // No register and no memory either: only the log, and the runtime's own sentence.
    for line in outcome.standardError.split(separator: "\n") {
      let isOurs = line.hasPrefix("20") || line.contains("Fatal error") || line.contains(".swift:")
      #expect(isOurs, "\(line)")
    }
  }

  @Test func `FFmpeg's own lines do not show the key`() async throws {
    let port = FreePort.next()
    let address = "rtmp://127.0.0.1:\(port)/live/\(Self.key)"
    let outcome = try await expectNoKey(
      try Command.start(
        ["publish", "--to", "rtmp://h/app/key", "--video", "file:\(address)"]
          + ["--log-level", "trace", "--events", "json"], in: directory.path))
    #expect(outcome.exitStatus == 66, "\(outcome)")
    #expect(outcome.standardOutput.contains("file:rtmp://127.0.0.1:\(port)/•••"))
  }

  @Test(arguments: [
    ["inspect", "rtmp://127.0.0.1:9/app/\(key)"],
    ["inspect", "file:rtmp://127.0.0.1:9/app/\(key)"],
    ["inspect", "http://me:\(key)@127.0.0.1:9/a?token=\(key)"], ["rtmp://h/a/\(key)"],
    ["publish", "rtmp://h/a/\(key)"], ["publish", "--to", "rtmp://h/a/b", key],
    ["publish", "--to", "rtmp://h/a/b", "--\(key)"], ["publish", "--to", key], [key],
    ["publish", "--to", "rtmp://h/a/b", "--video", key],
    ["publish", "--to", "rtmp://h/a/b", "--video", "rtmp:/h/a/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--video", "file:rtmp://127.0.0.1:9/a/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--video", "file:http://127.0.0.1:9/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--audio", "av:\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--quality", "rtmp://h/a/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--duration", "rtmp://h/a/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--events", "rtmp://h/a/\(key)"],
    ["publish", "--to", "rtmp://h/a/b", "--key-file", key],
    ["publish", "--to", "rtmp://h/a", "--key-file", "rtmp://h/a/\(key)"],
  ])
  func `a key in the wrong place is not repeated`(_ arguments: [String]) async throws {
    let refusal = try await Refusal(arguments)
    #expect(refusal.status == 64 || refusal.status == 66, "\(refusal)")
  }
}
