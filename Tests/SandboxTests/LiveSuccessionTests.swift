import BunnySystem
import Foundation
import Support
import Testing

/// The stream ends before the broadcast does, is given another key, or is yet to be made or to come.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveSuccessionTests {
  @Test func `79: a stream that is deleted meanwhile`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--log-level", "error")
    #expect(try await live.sandbox.api("DELETE").status == 200)
    let deleted = MonotonicTime.now
    let outcome = try await command.outcome()
    #expect(outcome.endedAt - deleted < .seconds(12), "two polls")
    #expect(outcome.exitStatus == 79, "\(outcome)")
    #expect(
      outcome.standardError.contains(
        "the live stream \(live.facts.streamId) was deleted; make a new one and give its GUID\n"))
    #expect(outcome.sent("left") == 0 && outcome.sent("streamEnded") == 0)
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `--on-ended wait says so once, and can be ended meanwhile`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--on-ended", "wait")
    #expect(try await live.sandbox.api("PUT", "/stop")["success"] as? Bool == true)
    try await command.sends("streamOver")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamOver") == 1 && outcome.sent("failed") == 0)
    #expect(outcome.sent("left") == 0 && outcome.sent("streamEnded") == 0)
    #expect(try await live.stops() == ["stop 200"], "the test's own")
    try await live.end()
  }

  @Test func `--on-ended create goes on with another one, and the next start too`() async throws {
    let live = try await LiveSandbox("--title", "A kiosk")
    let (id, file) = (live.facts.streamId, live.file("made"))
    let hook = #"echo "$BUNNY_STREAM_ID $BUNNY_STREAM_TITLE ${BUNNY_ACCESS_KEY-none}" > '\#(file)'"#
    let more = ["--on-ended", "create", "--on-stream-created", hook]
    let command = try Command.start(live.arguments() + more, live.settings)
    try await command.sends("running")
    #expect(try await live.sandbox.api("PUT", "/stop")["success"] as? Bool == true)
    let successor = try await command.makes()
    try await command.waitForOutput(in: .output) {
      $0.ranges(of: #""event":"running""#).count == 2
    }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamOver") == 1 && outcome.sent("streamCreated") == 1)
    #expect(outcome.sent("left") == 1)
    let seen = try await live.calls(of: successor)
    #expect(seen.contains("publish 200") && seen.count { $0 == "start 200" } == 1, "\(seen)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(successor) A kiosk none\n")
    let totals = try #require(try EventEnd(outcome.standardOutput))
    #expect(totals.connections == 2)

    let again = try Command.start(live.arguments() + more, live.settings)
    _ = try await again.waitForLine { $0.contains("is running: resuming it") }
    again.send(SIGTERM)
    #expect(try await again.outcome().exitStatus == 0)
    #expect(try await live.count("create 201") == 1)
    #expect(try await live.calls(of: id).filter { $0.hasPrefix("stop") } == ["stop 200"])
    try await live.end()
  }

  @Test func `--create makes a stream and broadcasts to it`() async throws {
    let live = try await LiveSandbox()
    let command = try live.startElsewhere("--create", "Matinée", "--on-exit", "end")
    let id = try await command.makes()
    try await command.sends("running")
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("streamEnded") == 1)
    #expect(outcome.standardError.contains(" info made the live stream “Matinée”: \(id)\n"))
    let seen = try await live.calls(of: id)
    #expect(seen.first == "get 200" && seen.contains("stop 200"), "\(seen)")
    try await live.expectTold(outcome)
    try await live.end()
  }

  @Test func `another key, given while it runs, costs no frame`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning()
    let before = MonotonicTime.now
    let answer = try await live.sandbox.api("PUT", "/regenerate-key")
    let key = try #require(answer["streamKey"] as? String)
    try await command.sends("reconnected")
    #expect(MonotonicTime.now - before < .seconds(10))
    _ = try await command.waitForLine { $0.contains("the stream has another key") }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.sent("dropped") == 0)
    #expect(!"\(outcome)".contains(key))
    try await live.expectTold(outcome)
    #expect(try String(contentsOfFile: live.record, encoding: .utf8).contains(key))
    #expect(try await live.count("start 200") == 1)
    try await live.end()
  }

  @Test func `a scheduled stream is not opened early, unless that is asked for`() async throws {
    let live = try await LiveSandbox()
    func make(_ start: Date) async throws -> String {
      let made = try await Command.run(
        ["streams", "create", "Later", "--start-at", start.formatted(.iso8601), "--json"],
        live.settings)
      let data = Data(made.standardOutput.utf8)
      let json = try JSONSerialization.jsonObject(with: data) as? [String: NSObject]
      return try #require(json?["id"] as? String ?? json?["guid"] as? String, "\(made)")
    }
    let early = try live.startElsewhere(
      "--stream", try await make(Date() + 3600), "--start-now")
    try await early.sends("started")
    let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 8).rounded(.up))
    let id = try await make(start)
    let waiting = try live.startElsewhere("--stream", id)
    try await waiting.sends("awaitingStart")
    #expect(Date() < start)
    #expect(try await live.calls(of: id).allSatisfy { !$0.hasPrefix("publish") })
    try await waiting.sends("running")
    #expect(Date() >= start)
    for command in [waiting, early] {
      command.send(SIGTERM)
      #expect(try await command.outcome().exitStatus == 0)
    }
    #expect(waiting.standardError.contains(" info the stream is scheduled: it begins in 00:00:0"))
    try await live.end()
  }
}

/// The last line of a log of events.
private struct EventEnd: Decodable {
  let connections: Int

  init?(_ text: String) throws {
    guard let line = text.split(separator: "\n").last else { return nil }
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }
}
