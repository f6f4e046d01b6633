import BunnyInspect
import Foundation
import Support
import Testing

/// Going live: what a broadcast asks, and in what order.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveOrderTests {
  @Test func `fetched, published, asked until ready, started, watched, and stopped at its end`()
    async throws
  {
    let live = try await LiveSandbox("--ready-after", "1")
    let outcome = try await live.start("--duration", "10").outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    // The ingest may tell that the encoder has gone before or after the API is told to stop; the stream
    // itself is looked at in between.
    #expect(try await live.seen().first == "get 200")
    let seen = try await live.seen(without: "get 200")
    #expect(
      seen.prefix(4) == ["publish 200", "status 200", "start 200", "status 200"], "\(seen)")
    #expect(Set(seen.dropFirst(4)) == ["publish_done 200", "stop 200"] && seen.count == 6)
    #expect(try await live.status() == "ended")
    try await live.expectTold(outcome)
    let calls = try await live.sandbox.http("GET", "/sandbox/calls")["calls"]
    let ingests = (calls as? [[String: NSObject]])?.compactMap { $0["ingest"] as? String }
    #expect(ingests == ["primary", "primary"])

    let events = [
      "begin", "streamFound", "preparing", "published", "running", "started", "streamEnded",
      "ended",
    ]
    for event in events { #expect(outcome.sent(event) == 1, "\(event)") }
    let order = events.compactMap {
      outcome.standardOutput.range(of: #""event":"\#($0)""#)?.lowerBound
    }
    #expect(order == order.sorted(), "\(outcome)")
    #expect(outcome.sent("left") == 0)
    #expect(outcome.standardError.contains(" info ended the stream for good\n"))
    let report = try inspect(live.facts.recording)
    let test = try #require(report.testPicture)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.framesRead >= 4 * 15)
    try await expectThumbnails(live)
    try await live.end()
  }

  /// Two, the newest first, of what was on air.
  private func expectThumbnails(_ live: LiveSandbox) async throws {
    let answer = try await live.sandbox.api("GET", "/thumbnails?limit=2")
    let list = try JSONSerialization.jsonObject(with: answer.body) as? [[String: String]] ?? []
    let times = list.compactMap { $0["timestamp"] }
    #expect(times.count == 2 && times == times.sorted(by: >))
    for url in list.compactMap({ $0["url"] }) {
      #expect(url.hasPrefix("\(live.facts.streamId)/thumbs/"))
      let picture = try await live.sandbox.http("GET", "/\(url)")
      #expect(picture.type == "image/jpeg" && picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
    }
    #expect(try await live.sandbox.http("GET", "/x/thumbs/segment-99999.jpg").status == 404)
  }

  @Test func `with --no-start it stays in preview`() async throws {
    let live = try await LiveSandbox()
    let command = try live.start("--no-start")
    try await command.sends("ingestStatusChanged")
    #expect(try await live.status() == "preview")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.sent("left") == 1, "\(outcome)")
    #expect(try await live.seen().prefix(3) == ["get 200", "publish 200", "status 200"])
    #expect(try await live.sandbox.calls().allSatisfy { !$0.hasPrefix("start") })
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `a producer may start a --no-start stream elsewhere`() async throws {
    let live = try await LiveSandbox()
    let command = try live.start("--no-start")
    try await command.sends("published")
    try await live.sandbox.logs("media flows into the primary ingest")
    #expect(try await live.sandbox.api("PUT", "/start")["success"] as? Bool == true)
    command.send(SIGTERM)
    #expect(try await command.outcome().exitStatus == 0)
    #expect(try await live.status() == "running")
    try await live.expectResumes()
    try await live.end()
  }

  @Test func `a stream that runs is resumed without another start, also after SIGKILL`()
    async throws
  {
    let live = try await LiveSandbox()
    let first = try await live.startRunning()
    first.send(SIGKILL)
    #expect(try await first.outcome().signal == SIGKILL)
    #expect(try await live.status() == "running")
    try await live.expectResumes()
    #expect(try await live.count("start 200") == 1)
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `a key that is missing just after creation is asked for again`() async throws {
    let live = try await LiveSandbox("--key-after", "3")
    let command = try live.start()
    try await command.sends("askingAgain")
    try await command.sends("running")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains("s: it has no stream key yet\n"))
    #expect(try await live.count("get 200") >= 2)
    #expect(try await live.count("publish 403") == 0)
    try await live.end()
  }

  @Test func `a stream in a state that is not known is tried, with a warning`() async throws {
    let live = try await LiveSandbox()
    try await live.force(0)
    let command = try live.start()
    try await command.sends("published")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardError.contains(" warning Bunny does not say what state"))
    try await live.end()
  }
}
