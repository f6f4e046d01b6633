import Foundation
import Support
import Testing

/// `bunny-broadcast streams` against the sandbox.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct StreamsTests {
  private func run(
    _ live: LiveSandbox, _ arguments: String..., with more: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    try await Command.run(["streams"] + arguments, live.settings.merging(more) { $1 })
  }

  private func json(_ outcome: ChildProcess.Outcome) throws -> [String: NSObject] {
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let data = Data(outcome.standardOutput.utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: NSObject])
  }

  @Test func `streams are listed, made and shown, with their keys only when asked`() async throws {
    let live = try await LiveSandbox("--title", "A kiosk")
    let id = live.facts.streamId
    let list = try await run(live, "list")
    #expect(list.standardOutput.contains("\n\(id)  created  -        -        A kiosk\n"))
    let made = try json(
      try await run(
        live, "create", "Matinée", "--record", "--start-at", "2100-01-01T00:00:00Z", "--json"))
    #expect(made["title"] as? String == "Matinée" && made["status"] as? String == "scheduled")
    #expect(made["recordVod"] as? Bool == true && made["streamKey"] as? String == "•••")
    let two = try json(try await run(live, "list", "--json"))
    #expect(two["totalItems"] as? Int == 2)
    let show = try await run(live, "show", id)
    #expect(show.standardOutput.contains("\nkey           •••\n"))
    #expect(show.standardOutput.contains("\ningest        \(live.facts.primaryIngestUrl)\n"))
    let open = try json(try await run(live, "show", id, "--json", "--show-key"))
    #expect(open["streamKey"] as? String == live.facts.streamKey)
    for outcome in [list, show] {
      for key in [live.facts.streamKey, live.facts.accessKey] {
        #expect(!(outcome.standardOutput + outcome.standardError).contains(key))
      }
    }
    try await live.end()
  }

  @Test func `start, stop and regenerate-key do what they say, once somebody agrees`() async throws
  {
    let live = try await LiveSandbox()
    let id = live.facts.streamId
    let early = try await run(live, "start", id)
    #expect(early.exitStatus == 76)
    #expect(early.standardError.contains("no encoder is publishing to it"))
    for action in ["stop", "regenerate-key"] {
      let refused = try await run(live, action, id)
      #expect(refused.exitStatus == 64 && refused.standardOutput == "")
      #expect(
        refused.standardError == "bunny-broadcast: \(action) asks first, and there is no terminal "
          + "to ask at; give --yes\n")
    }
    #expect(try await live.sandbox.calls() == ["start 400"])
    let key = try json(
      try await run(live, "regenerate-key", id, "--yes", "--json", "--show-key"))["streamKey"]
    #expect(key as? String != live.facts.streamKey)
    try await live.force(3)
    let start = try await run(live, "start", id)
    #expect(start.standardOutput == "started: the live stream \(id)\n")
    #expect(try await live.status() == "running")
    let stop = try await run(live, "stop", id, "--yes", "--json")
    #expect(try json(stop)["done"] as? String == "stop")
    #expect(try await live.status() == "ended")
    let again = try await run(live, "stop", id, "--yes")
    #expect(again.exitStatus == 76)
    #expect(again.standardError.contains("The live stream has ended already."))
    try await live.end()
  }

  @Test(arguments: [("n", "running"), ("", "running"), ("y", "ended"), ("YES", "ended")])
  func `on a terminal a stop asks`(_ answer: String, _ state: String) async throws {
    let live = try await LiveSandbox("--title", "News")
    try await live.force(4)
    let command = try Command.startOnTerminal(
      ["streams", "stop", live.facts.streamId], live.settings.merging(["TERM": "xterm"]) { $1 })
    try await command.shows("End “News” (running) for good? It can never run again. y/N: ")
    #expect(try await live.stops() == [])
    command.write(answer + "\n")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == (state == "ended" ? 0 : 1), "\(outcome)")
    #expect(
      outcome.standardOutput.contains(
        state == "ended" ? "ended for good: the live stream" : "the stream stays as it is"))
    #expect(try await live.status() == state)
    try await live.end()
  }

  @Test func `a status is watched until the stream is over`() async throws {
    let live = try await LiveSandbox()
    let once = try await run(live, "status", live.facts.streamId)
    #expect(once.standardOutput.contains("  created        no     unknown  unknown  -"))
    let watch = try Command.start(
      ["streams", "status", live.facts.streamId, "--watch", "--json"], live.settings)
    _ = try await watch.waitForLine(in: .output) { $0.contains(#""status":"created""#) }
    try await live.force(5)
    let outcome = try await watch.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(lines.count == 2 && lines.last?.contains(#""status":"ended""#) == true)
    try await live.end()
  }

  @Test func `each failure has its exit code and sentence`() async throws {
    let live = try await LiveSandbox()
    let id = live.facts.streamId
    let wrong = try await run(live, "list", with: ["BUNNY_ACCESS_KEY": Canary.accessKey])
    #expect(wrong.exitStatus == 77 && !wrong.standardError.contains("CANARY"))
    let none = try await run(live, "show", "7b9f4c1e-0000-4000-8000-0123456789ab")
    #expect(none.exitStatus == 67)
    let blank = try await run(live, "create", " ")
    #expect(blank.exitStatus == 64)
    #expect(blank.standardError.contains("it was not sent (title is blank; it takes some text)"))
    try await live.breakAPI("503")
    let before = try await live.sandbox.calls().count
    let down = try await run(live, "show", id)
    #expect(down.exitStatus == 75 && down.standardOutput == "")
    let calls = try await live.sandbox.calls().dropFirst(before)
    #expect(Array(calls) == ["get 503", "get 503", "get 503"])
    try await live.repair()
    let missing = try await run(live, "list", with: ["BUNNY_LIBRARY_ID": ""])
    #expect(missing.exitStatus == 78)
    try await live.end()
  }

  @Test func `every streams command of the README works`() async throws {
    let live = try await LiveSandbox()
    try await live.force(4)
    let readme = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md"),
      encoding: .utf8)
    let lines = readme.split(separator: "\n").filter { $0.hasPrefix("bunny-broadcast streams ") }
    #expect(lines.count == 6)
    for line in lines {
      // Nobody is there to answer, or to watch for ever.
      let asks = line.contains(" stop ") || line.contains(" regenerate-key ")
      let script =
        String(line).replacing("bunny-broadcast", with: "\"$0\"")
        .replacing("7b9f4c1e-0000-4000-8000-0123456789ab", with: live.facts.streamId)
        .replacing(" --watch", with: "") + (asks ? " --yes" : "")
      let outcome = try await Command.startInShell(script, [], live.settings).outcome()
      #expect(outcome.exitStatus == 0, "\(line): \(outcome)")
    }
    #expect(try await live.status() == "ended")
    try await live.end()
  }

  @Test(arguments: ["--create", "--stream"])
  func `the README's broadcasts to a stream of its own, or to one and its successor, work`(
    _ option: String
  ) async throws {
    let live = try await LiveSandbox()
    let readme = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md"),
      encoding: .utf8)
    let lines = readme.split(separator: "\n").filter {
      $0.hasPrefix("bunny-broadcast \(option)") && !$0.contains("--api-url")
        && (option == "--create" || $0.contains("--on-ended"))
    }
    let line = try #require(lines.count == 1 ? lines.first : nil)
    let script =
      String(line).replacing("bunny-broadcast", with: "\"$0\"")
      .replacing("7b9f4c1e-0000-4000-8000-0123456789ab", with: live.facts.streamId)
      .replacing(" --quality hd720", with: "").replacing(" --video test", with: "")
      + " --video test --quality sd480 --duration 2"
    let folder = try TemporaryDirectory()
    let outcome = try await Command.startInShell(script, [], live.settings, in: folder.path)
      .outcome()
    #expect(outcome.exitStatus == 0, "\(line): \(outcome)")
    #expect(outcome.standardError.contains(" info ended the stream for good\n"))
    try await live.end()
  }

  @Test func `headers from a file open a service that stands in front`() async throws {
    let live = try await LiveSandbox()
    let folder = try TemporaryDirectory()
    let file = folder.file("headers")
    // What stands in front adds the key; here the file does.
    try "AccessKey: \(live.facts.accessKey)\n".write(
      toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o600)
    let other = ["BUNNY_ACCESS_KEY": Canary.accessKey, "BUNNY_API_URL": ""]
    let way = ["--api-url", live.facts.apiUrl, "--api-header-file", file]
    let outcome = try await Command.run(
      ["streams", "list"] + way, live.settings.merging(other) { $1 })
    #expect(outcome.exitStatus == 0 && outcome.standardError == "", "\(outcome)")
    let small = try SmallPublish()
    let command = try Command.start(
      small.arguments(stream: live.facts.streamId, way + ["--events", "json"]),
      live.settings.merging(other) { $1 })
    try await command.sends("running")
    command.send(SIGTERM)
    #expect(try await command.outcome().exitStatus == 0)
    try await live.end()
  }

  @Test func `another key cuts who publishes with the old one, and the next broadcast resumes`()
    async throws
  {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--retry", "never")
    let outcome = try await run(live, "regenerate-key", live.facts.streamId, "--yes")
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let end = try await command.outcome()
    #expect(end.exitStatus != 0, "\(end)")
    #expect(try await live.status() == "running")
    try await live.expectResumes()
    try await live.end()
  }

  @Test func `a stream that was made can be published to`() async throws {
    let live = try await LiveSandbox()
    let made = try json(try await run(live, "create", "T", "--json"))
    let id = try #require(made["id"] as? String)
    let small = try SmallPublish()
    let command = try Command.start(
      small.arguments(stream: id, ["--events", "json"]), live.settings)
    try await command.sends("running")
    let status = try json(try await run(live, "status", id, "--json"))
    #expect(status["status"] as? String == "running" && status["primaryLive"] as? Bool == true)
    command.send(SIGTERM)
    #expect(try await command.outcome().exitStatus == 0)
    #expect(try await live.status() == "created", "the other stream is as it was")
    try await live.end()
  }
}
