import BunnyCommand
import BunnyStreamAPI
import Foundation
import Testing

struct StreamsOptionsTests {
  private static let guid = "7b9f4c1e-0000-4000-8000-0123456789ab"

  private func streams(_ arguments: String...) throws -> StreamsOptions {
    guard case .streams(let options) = try Invocation(["streams"] + arguments) else {
      throw CommandError(.fault, "not streams")
    }
    return options
  }

  @Test func `each action is understood`() throws {
    #expect(try streams("list") == StreamsOptions(.list))
    for action in [StreamsAction.show, .start, .stop, .status, .regenerateKey] {
      var expected = StreamsOptions(action)
      expected.streamId = Self.guid
      #expect(try streams(action.rawValue, Self.guid) == expected)
    }
    var created = StreamsOptions(.create)
    created.request.title = "A Title"
    #expect(try streams("create", "A Title") == created)
  }

  @Test func `the options of a list are understood`() throws {
    var expected = StreamsOptions(.list)
    expected.page.number = 2
    expected.page.size = 5
    expected.page.search = "news"
    expected.page.order = "started"
    expected.page.collectionId = "c"
    (expected.asJSON, expected.showsKey) = (true, true)
    #expect(
      try streams(
        "list", "--page", "2", "--per-page=5", "--search", "news", "--order-by", "started",
        "--collection", "c", "--json", "--show-key") == expected)
  }

  @Test func `the options of a create are understood`() throws {
    let request = try streams(
      "create", "T", "--description", "d", "--collection", "c", "--start-at",
      "2026-12-24T18:00:00Z", "--end-at", "2026-12-24T19:30:00.5Z", "--countdown", "--record",
      "--dvr", "2h", "--private", "--trailer", "v"
    ).request
    #expect(
      request
        == BunnyLiveStreamCreateRequest(
          title: "T", description: "d", collectionId: "c",
          scheduledStartTime: Date(timeIntervalSince1970: 1_798_135_200),
          scheduledEndTime: Date(timeIntervalSince1970: 1_798_140_600.5), isPublic: false,
          dvrEnabled: true, dvrWindowSeconds: 7200, recordVod: true, enableCountdown: true,
          preStreamTrailerVideoId: "v"))
  }

  @Test func `how to reach the API, and not to ask, is understood`() throws {
    let options = try streams(
      "stop", Self.guid, "--yes", "--library", "12", "--api-url", "http://127.0.0.1:1",
      "--api-header-file", "/h", "--allow-insecure-api")
    #expect(
      options.isSure && options.api.library == "12" && options.api.url == "http://127.0.0.1:1")
    #expect(options.api.headerFile == "/h" && options.api.allowsInsecureHTTP)
    #expect(try streams("status", "--watch", Self.guid).watches)
  }

  private static let actions = "list, show, create, start, stop, status"

  static let mistakes: [([String], String)] = [
    (
      [],
      "streams takes an action: \(actions), regenerate-key; `bunny-broadcast streams --help` "
        + "explains them"
    ),
    (["lst"], "lst is no action of streams; it takes \(actions) or regenerate-key"),
    (
      ["rtmp://h/a/SECRET"],
      "what follows streams is no action of streams; it takes \(actions) or regenerate-key"
    ),
    (["list", guid], "list takes options only; leave out what follows it"),
    (["show"], "show takes one GUID; 0 were given"),
    (["show", guid, guid], "show takes one GUID; 2 were given"),
    (
      ["show", "SECRET"],
      "show takes a GUID of 32 hexadecimal digits with four hyphens, as `bunny-broadcast streams "
        + "list` shows it"
    ),
    (["create", "A", "Title"], "create takes one TITLE; 2 were given: put the title in quotes"),
    (["start", guid, "--yes"], "--yes is nothing to start; leave it out"),
    (["show", guid, "--watch"], "--watch is nothing to show; leave it out"),
    (["list", "--record"], "--record is nothing to list; leave it out"),
    (["status", guid, "--page", "1"], "--page is nothing to status; leave it out"),
    (["list", "--page", "0"], "--page is 0; it takes a number from 1 on"),
    (["list", "--per-page", "x"], "--per-page is x; it takes a number from 1 on"),
    (
      ["list", "--order-by", "size"],
      "--order-by is size; it takes date, title, status, started, ended or planned"
    ),
    (
      ["create", "T", "--start-at", "2026-12-24T18:00:00"],
      "--start-at is no time; it takes UTC, as in 2026-12-24T18:00:00Z"
    ),
    (
      ["create", "T", "--dvr", "soon"],
      "--dvr is soon; it takes SECONDS, MM:SS, HH:MM:SS, or a number with s, m or h (more than 0, "
        + "at most 10000h)"
    ),
    (
      ["list", "--api-header-file", "h", "--access-key-file", "k"],
      "--api-header-file takes the place of the access key; leave out --access-key-file"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told in one sentence`(_ arguments: [String], _ sentence: String) {
    #expect(throws: CommandError(.usage, sentence)) { try Invocation(["streams"] + arguments) }
  }

  @Test func `the help lists every action`() {
    let help = Help.text(.streams)
    #expect(help.contains("Usage: bunny-broadcast streams ACTION [GUID|TITLE] [OPTION]..."))
    for action in StreamsAction.allCases { #expect(help.contains("\n  \(action.rawValue)")) }
  }
}
