import BunnyBroadcast
import BunnyCommand
import BunnyStreamAPI
import Foundation
import Support
import Testing

@Suite struct LiveOptionsTests {
  private static let guid = "7b9f4c1e-0000-4000-8000-0123456789ab"

  private func live(_ arguments: String...) throws -> LiveOptions {
    guard
      case .publish(let options) = try Invocation(["--stream", Self.guid] + arguments),
      let live = options.live
    else { throw CommandError(.fault, "no live stream") }
    return live
  }

  private func error(_ body: () throws -> Void) -> CommandError? {
    do { try body() } catch { return error as? CommandError }
    return nil
  }

  @Test func `the main job needs no word of its own`() throws {
    let options = try live("--library", "12", "--no-start", "--on-exit", "end")
    #expect(options.streamId == Self.guid && options.api.library == "12")
    #expect(!options.startsStream && options.endsOnExit)
    #expect(
      try Invocation(["live", "--stream", Self.guid]) == Invocation(["--stream", Self.guid]))
  }

  @Test func `a stream may be yet to be made`() throws {
    guard case .publish(let options) = try Invocation(["--create", "T", "--on-exit", "end"]),
      let live = options.live
    else {
      Issue.record("no live stream")
      return
    }
    #expect(live.title == "T" && live.streamId.isEmpty)
    let settings = LiveEnvironment(["BUNNY_LIBRARY_ID": "7", "BUNNY_ACCESS_KEY": "k"])
    let plan = try live.connection(settings) { _ in }.plan
    #expect(plan.creates == BunnyLiveStreamCreateRequest(title: "T") && plan.streamId.isEmpty)
  }

  @Test func `what is to become of the stream reaches the plan`() throws {
    let options = try live(
      "--start-now", "--takeover", "--on-ended", "create", "--on-stream-created", "true")
    #expect(options.onStreamCreated == "true")
    let settings = LiveEnvironment(["BUNNY_LIBRARY_ID": "7", "BUNNY_ACCESS_KEY": "k"])
    let plan = try options.connection(settings) { _ in }.plan
    #expect(plan.startsNow && plan.takesOver && plan.onEnded == .create && plan.creates == nil)
    let usual = try live().connection(settings) { _ in }.plan
    #expect(!usual.startsNow && !usual.takesOver && usual.onEnded == .exit)
  }

  @Test(arguments: [
    (["--create", "T", "--stream", guid], "--create makes a stream, and --stream names one"),
    (["--create", " "], "--create takes the stream's title, which is blank"),
    (["--stream", guid, "--start-now", "--no-start"], "--start-now and --no-start are opposites"),
    (["--stream", guid, "--on-stream-created", "x"], "--on-stream-created has nothing to do"),
    (
      ["--stream", guid, "--on-ended", "stop"], "--on-ended is stop; it takes exit, wait or create"
    ),
  ])
  func `what contradicts itself is refused`(_ arguments: [String], _ words: String) {
    let refused = error { _ = try Invocation(arguments) }
    #expect(refused?.code == .usage)
    #expect(refused?.description.hasPrefix(words) == true, "\(String(describing: refused))")
  }

  @Test func `what happens to the stream is a line and a sentence`() {
    let cases: [(BunnyBroadcastEvent, String, String)] = [
      (
        .streamCreated(id: "i", title: "T"), #"streamCreated {"stream":"i","title":"T"}"#,
        "made the live stream “T”: i"
      ),
      (
        .awaitingStart(at: Date(timeIntervalSince1970: 1_800_000_000), after: .seconds(3661)),
        #"awaitingStart {"beginsAt":"2027-01-15T08:00:00.000Z","inMs":3661000}"#,
        "the stream is scheduled: it begins in 01:01:01, at 2027-01-15T08:00:00Z"
      ),
      (.streamOver(reason: "r"), #"streamOver {"reason":"r"}"#, "r"),
    ]
    for (event, line, sentence) in cases {
      #expect(EventLine(event, eventsLost: 0)?.summary == line)
      #expect(LogText.of(event).sentence == sentence)
    }
  }

  @Test func `a stream that is no GUID is refused without being shown`() {
    let refused = error { _ = try Invocation(["--stream", "CANARY-key"]) }
    #expect(refused?.code == .usage)
    #expect(refused?.description.contains("CANARY") == false)
    #expect(refused?.description.contains("GUID") == true)
  }

  @Test func `what is missing is named together with the ways to give it`() throws {
    let none = LiveEnvironment([:])
    let library = error { _ = try live().connection(none) { _ in } }
    #expect(library?.code == .settingMissing)
    #expect(
      library?.description
        == "the video library's id is missing; give --library ID, or BUNNY_LIBRARY_ID in the "
        + "environment")
    let key = error { _ = try live("--library", "12").connection(none) { _ in } }
    #expect(key?.code == .settingMissing)
    for way in ["BUNNY_ACCESS_KEY", "--access-key-file", "bunny-access-key"] {
      #expect(key?.description.contains(way) == true)
    }
  }

  @Test func `headers for a service are not sent to Bunny`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.file("headers")
    try "X-Token: t\n".write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o600)
    for url in [nil, ""] as [String?] {
      var settings = ["BUNNY_LIBRARY_ID": "7"]
      settings["BUNNY_API_URL"] = url
      let refused = error {
        _ = try live("--api-header-file", file).connection(LiveEnvironment(settings)) { _ in }
      }
      #expect(refused?.code == .settingMissing)
      #expect(refused?.description.contains("give its --api-url URL") == true)
    }
    let own = LiveEnvironment(["BUNNY_LIBRARY_ID": "7", "BUNNY_API_URL": "https://example.com"])
    _ = try live("--api-header-file", file).connection(own) { _ in }
  }

  @Test func `settings come from options before the environment`() throws {
    let environment = LiveEnvironment([
      "BUNNY_ACCESS_KEY": "k", "BUNNY_LIBRARY_ID": "7", "BUNNY_API_URL": "http://127.0.0.1:1",
    ])
    #expect(try live().connection(environment) { _ in }.plan.libraryId == 7)
    #expect(try live("--library", "12").connection(environment) { _ in }.plan.libraryId == 12)
    #expect(
      error { _ = try live("--library", "x").connection(environment) { _ in } }?.code == .usage)
    let clear = error {
      _ = try live("--api-url", "http://example.com").connection(environment) { _ in }
    }
    #expect(clear?.code == .usage)
  }

  @Test func `the access key comes from a file, or from systemd`() throws {
    let folder = try TemporaryDirectory()
    try "file-key\n".write(
      toFile: folder.file("bunny-access-key"), atomically: false, encoding: .utf8)
    let credentials = LiveEnvironment([
      "BUNNY_LIBRARY_ID": "7", "CREDENTIALS_DIRECTORY": folder.path,
    ])
    _ = try live().connection(credentials) { _ in }
    _ = try live("--access-key-file", folder.file("bunny-access-key"))
      .connection(LiveEnvironment(["BUNNY_LIBRARY_ID": "7"])) { _ in }
    let none = folder.file("none")
    let missing = error {
      _ = try live("--access-key-file", none).connection(credentials) { _ in }
    }
    #expect(
      missing
        == CommandError(
          .noInput,
          "the key file \(none) cannot be opened: No such file or directory; --access-key-file takes "
            + "the path of a file that holds the key"))
  }

  @Test func `a credential that is no use is named with its path and where it comes from`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("bunny-access-key")
    let environment = LiveEnvironment([
      "BUNNY_LIBRARY_ID": "7", "CREDENTIALS_DIRECTORY": folder.path,
    ])
    func refusal() -> CommandError? { error { _ = try live().connection(environment) { _ in } } }
    #expect(refusal()?.code == .settingMissing)
    try "\n".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(
      refusal()
        == CommandError(
          .usage, "the systemd credential \(path) is empty; check LoadCredential= in the unit"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(
      refusal()
        == CommandError(
          .noInput,
          "the systemd credential \(path) cannot be read: Is a directory; check LoadCredential= in "
            + "the unit"))
    // Root opens what it likes; a link that leads to itself it cannot.
    try FileManager.default.removeItem(atPath: path)
    symlink(path, path)
    #expect(
      refusal()
        == CommandError(
          .noInput,
          "the systemd credential \(path) cannot be opened: Too many levels of symbolic links; "
            + "check LoadCredential= in the unit"))
  }

  @Test func `the access key is never an argument`() {
    #expect(error { _ = try live("--access-key", "CANARY") }?.code == .usage)
  }

  @Test func `headers from a file stand in for the access key`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.file("headers")
    let environment = LiveEnvironment([
      "BUNNY_LIBRARY_ID": "7", "BUNNY_API_URL": "https://example.com",
    ])
    func refusal() -> CommandError? {
      error { _ = try live("--api-header-file", file).connection(environment) { _ in } }
    }
    try "Authorization: Bearer CANARY\n".write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o600)
    #expect(refusal() == nil)
    try "Authorization Bearer CANARY".write(toFile: file, atomically: false, encoding: .utf8)
    #expect(
      refusal()
        == CommandError(
          .usage, "the header file \(file) has no colon in line 1; write `Name: value`"))
    try "\n".write(toFile: file, atomically: false, encoding: .utf8)
    #expect(
      refusal()
        == CommandError(
          .usage, "the header file \(file) is empty; it must hold one `Name: value` a line"))
    try FileManager.default.removeItem(atPath: file)
    #expect(
      refusal()
        == CommandError(
          .noInput,
          "the header file \(file) cannot be opened: No such file or directory; --api-header-file "
            + "takes the path of a file of headers"))
  }

  @Test func `http to another machine takes a word more`() throws {
    let environment = LiveEnvironment(["BUNNY_ACCESS_KEY": "k", "BUNNY_LIBRARY_ID": "7"])
    let clear = error {
      _ = try live("--api-url", "http://example.com").connection(environment) { _ in }
    }
    #expect(
      clear
        == CommandError(
          .usage,
          "--api-url: the API URL would send the access key to example.com in the clear; write "
            + "https://example.com (http:// is for this machine: 127.0.0.1), or give "
            + "--allow-insecure-api where the network between is trusted"))
    _ = try live("--api-url", "http://example.com", "--allow-insecure-api")
      .connection(environment) { _ in }
  }
}
