import BunnyRTMP
import Foundation
import Support
import Testing

/// `--events json` of the real process.
struct EventStreamTests {
  private let small: SmallPublish

  init() throws { small = try SmallPublish() }

  @Test func `events tell the broadcast from begin to ended, with statistics every 3 s`()
    async throws
  {
    let ingest = try ScriptedIngest()
    let outcome = try await Command.run(
      small.arguments(to: ingest.url(), "--events", "json", "--duration", "10"))
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    log.check()
    #expect(
      log.names.filter { $0 != "connection" && $0 != "statistics" }
        == ["begin", "preparing", "started", "stopped", "ended"])
    #expect(
      log.all("connection").map(\.state)
        == ["connecting", "handshaking", "connected", "ready", "publishing", "closed"])
    let ended = try #require(log.lines.last)
    #expect(ended.exitCode == 0 && ended.reason == "its duration was over")
    #expect(ended.encodedFrames == 150 && ended.publishedFrames == 150)
    #expect(ended.droppedFrames == 0 && ended.connections == 1 && ended.eventsLost == 0)
    #expect((9000...14_000).contains(ended.liveMs ?? 0))
    let visit = try await ingest.visit()
    #expect(visit.media.filter { $0.kind == .video }.count == 150)
    #expect(Int64(ended.bytes ?? 0) <= visit.bytesReceived)

    let statistics = log.all("statistics")
    #expect(statistics.count == 3)
    for (index, line) in statistics.enumerated() {
      let elapsed = try #require(line.elapsedMs)
      #expect(abs(elapsed - Double(index + 1) * 3000) < 1000, "\(elapsed)")
      #expect(line.state == "live")
      #expect((11...19).contains(line.framesPerSecond ?? 0), "\(line)")
      #expect((line.bitrate ?? 0) > 50_000, "\(line)")
    }
  }

  @Test func `a reader that stalls loses events, which are counted, and never media`() async throws
  {
    let ingest = try ScriptedIngest()
    let fifo = small.folder.file("go-on")
    let read = small.folder.file("read")
    mkfifo(fifo, 0o600)
    // Reads one line, then nothing until somebody writes to the FIFO.
    let script =
      #"{ "$0" "$@"; echo "status $?" >&2; } | { read -r l; echo "$l"; read x < "#
      + #"\#(fifo); cat; } > \#(read)"#
    let command = try Command.startOnTerminal(
      small.arguments(to: ingest.url(), "--events", "json"), ["TERM": "dumb"], script: script)
    try await ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    // Far more than a pipe and the queue hold, in portions that the log's own queue holds.
    for round in 1...20 {
      command.write(String(repeating: "m", count: 100))
      try await command.waitForOutput(in: .output) { Self.count("muted", in: $0) >= round * 100 }
    }
    try String("go on\n").write(toFile: fifo, atomically: false, encoding: .utf8)
    command.write("q")
    let outcome = try await command.outcome()
    #expect(outcome.standardOutput.contains("status 0"), "\(outcome)")
    let log = try EventLog(String(contentsOfFile: read, encoding: .utf8))
    log.check()
    let ended = try #require(log.lines.last)
    let lost = try #require(ended.eventsLost)
    #expect(lost > 0)
    #expect(log.all("muted").count < 2000 && log.all("muted").count + lost >= 2000)
    #expect(ended.droppedFrames == 0)
    #expect(ended.publishedFrames == ended.encodedFrames)
    let visit = try await ingest.visit()
    let video = visit.media.filter { $0.kind == .video }
    #expect(video.count == ended.publishedFrames)
    #expect(zip(video, video.dropFirst()).allSatisfy { $1.timestamp - $0.timestamp < 200 })
  }

  @Test func `readers that take nothing at all do not keep the end waiting`() async throws {
    let ingest = try ScriptedIngest()
    let fifo = small.folder.file("go-on")
    mkfifo(fifo, 0o600)
    // Log and events go to one pipe that is full already, and nobody reads it.
    let script =
      #"{ { head -c 65536 /dev/zero; "$0" "$@" 2>&1; echo "status $?" >&3; } "#
      + #"| { read x < \#(fifo); }; } 3>&1"#
    let command = try Command.startInShell(
      script, small.arguments(to: ingest.url(), "--events", "json", "--duration", "2"))
    let status = try await command.waitForLine(in: .output) { $0.hasPrefix("status ") }
    #expect(status == "status 0")
    #expect(try await ingest.visit().media.filter { $0.kind == .video }.count == 30)
    try String("go on\n").write(toFile: fifo, atomically: false, encoding: .utf8)
    _ = try await command.outcome()
  }

  private static func count(_ word: String, in text: String) -> Int {
    text.split(separator: word, omittingEmptySubsequences: false).count - 1
  }
}
