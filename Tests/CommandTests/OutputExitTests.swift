import Foundation
import Support
import Testing

/// The real process and its output: 70, 73.
struct OutputExitTests {
  private let small: SmallPublish

  init() throws { small = try SmallPublish() }

  private func refusal(_ script: String, _ arguments: [String]) async throws -> Refusal {
    Refusal(try await Command.startInShell(script, arguments).outcome())
  }

  @Test func `70: a fault of our own says how to report it`() async throws {
    #expect(
      try await Refusal(
        small.arguments(to: "rtmp://h/app/\(Refusal.secret)"),
        ["BUNNY_BROADCAST_FAULT": "internal"])
        == Refusal(
          70,
          "BUNNY_BROADCAST_FAULT asked for a fault; this is a fault of bunny-broadcast's own: "
            + "please report it with the log"))
  }

  @Test(arguments: [
    (#"exec "$0" "$@" > /dev/full"#, "No space left on device"),
    (#"exec "$0" "$@" >&-"#, "Bad file descriptor"),
  ])
  func `73: standard output cannot be written`(_ script: String, _ why: String) async throws {
    let expected = Refusal(
      73, "standard output cannot be written: \(why); check where it leads to")
    let url = "rtmp://127.0.0.1:9/live/\(Refusal.secret)"
    #expect(try await refusal(script, small.arguments(to: url, "--events", "json")) == expected)
    #expect(try await refusal(script, ["presets"]) == expected)
    #expect(try await refusal(script, ["--help"]) == expected)
  }

  @Test func `73: the reader of the events has gone`() async throws {
    let ingest = try ScriptedIngest()
    let script = #"{ "$0" "$@"; echo "status $?" >&2; } | head -n 2 > /dev/null"#
    let outcome = try await Command.startInShell(
      script, small.arguments(to: ingest.url(), "--events", "json", "--log-level", "error")
    ).outcome()
    let lines = outcome.standardError.split(separator: "\n")
    #expect(lines.count == 2 && lines.last == "status 73", "\(outcome)")
    #expect(
      lines.first?.hasSuffix(
        "error nobody reads standard output any more: the broadcast was ended; keep the reader of "
          + "the events running") == true)
    #expect(try await ingest.visit().isOver)
  }
}
