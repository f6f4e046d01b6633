import BunnySystem
import Foundation
import Support
import Testing

/// The command at one end of a bad line, two hostile ingests at the other.
@Suite(.serialized, .enabled(if: Line.isAvailable, "\(Line.need)"))
struct LineFailoverTests {
  private let line: Line
  private let primary: ScriptedIngest
  private let backup: ScriptedIngest

  init() async throws {
    line = try await Line(.roundTrip(80))
    primary = try ScriptedIngest(at: .first, of: line)
    backup = try ScriptedIngest(at: .second, of: line)
  }

  @Test func `a line that freezes for three seconds causes no switch, and loses nothing`()
    async throws
  {
    let publisher = try await start()
    for _ in 0..<2 {
      line.freeze(seconds: 3)
      try await carries(primary, after: .now + .seconds(3))
    }
    let outcome = try await finish(publisher, showing: "the line froze twice")
    outcome.expectWhole(twice: 0)
    #expect(outcome.log.all("lost") == [])
    #expect(outcome.log.all("uplinkLost").count == 2 && outcome.log.all("uplinkBack").count == 2)
    #expect(backup.visits.allSatisfy { $0.media.isEmpty })
  }

  @Test func `a slow line that freezes for three seconds causes no switch either`() async throws {
    line.set(
      .init(
        delayThere: 40, delayBack: 40, rateThere: 300_000, rateBack: 300_000,
        queueMilliseconds: 1000))
    let publisher = try await start()
    line.freeze(seconds: 3)
    try await carries(primary, after: .now + .seconds(8))  // caught up again
    let outcome = try await finish(publisher, showing: "300 kbit/s, frozen")
    outcome.expectWhole(twice: 0)
    #expect(outcome.log.all("lost") == [])
    #expect(backup.visits.allSatisfy { $0.media.isEmpty })
  }

  @Test func `a primary that vanishes is left within two seconds, and nothing is missing`()
    async throws
  {
    let publisher = try await start()
    let moment = MonotonicTime.now
    line.set(.vanished, for: .first)
    let visit = try await carries(backup, after: moment)
    let first = try #require(visit.media.first)
    let seconds = Double(first.arrival - moment) / 1e9
    let outcome = try await finish(
      publisher, burying: primary, showing: "vanished: media at the backup after \(seconds) s")
    outcome.expectWhole()
    #expect(outcome.log.all("lost").count == 1)
    #expect(seconds < 3)  // 2, the line's own, and a margin for a busy machine
  }

  @Test func `where the line has 30 % to spare, a player is live again within 15 seconds`()
    async throws
  {
    let publisher = try await start()
    let (before, start) = (line.counters().there.bytes, MonotonicTime.now)
    try await carries(primary, after: start + .seconds(5))
    let rate = Double(line.counters().there.bytes - before) * 8 / (Double(.now - start) / 1e9)
    var spare = Line.Condition.roundTrip(80)
    spare.rateThere = Int(rate * 1.3)
    line.set(spare)
    try await carries(primary, after: .now + .seconds(2))
    let moment = MonotonicTime.now
    line.set(.vanished, for: .first)
    try await carries(backup, after: moment + .seconds(18))
    let outcome = try await finish(
      publisher, burying: primary, showing: "vanished, of \(Int(rate)) bit/s 30 % to spare")
    outcome.expectWhole()
    let lost = try #require(outcome.log.all("lost").first)
    let moved = MonotonicTime(nanoseconds: lost.monotonicMs * 1_000_000)
    #expect(outcome.merged.secondsLate(after: moved) <= 15, "\(outcome)")
  }

  /// How many statistics pass meanwhile, one every three seconds: less than the outbox holds, and more
  /// than fifteen seconds, after which TCP would give up.
  @Test(
    .enabled(if: Loopback.limitsRetransmissionPauses, "needs Linux 6.15"), arguments: [3, 6])
  func `a cable that is plugged in again brings the stream back within a second`(
    statistics: Int
  ) async throws {
    let publisher = try await start()
    try line.setCable(isPlugged: false)
    try await publisher.waitForOutput(in: .output) {
      let since = $0.components(separatedBy: "\"uplinkLost\"").dropFirst().first
      return since.map { $0.components(separatedBy: "\"statistics\"").count > statistics } ?? false
    }
    let moment = MonotonicTime.now
    try line.setCable(isPlugged: true)
    try await carries(primary, after: moment)
    let arrivals = primary.visits.flatMap(\.media).map(\.arrival).filter { $0 > moment }
    let seconds = Double(try #require(arrivals.min()) - moment) / 1e9
    let outcome = try await finish(publisher, showing: "unplugged, back in \(seconds) s")
    #expect(seconds < 1.5)  // and a margin for a busy machine
    #expect(outcome.log.all("lost") == [], "\(outcome)")
    if statistics == 3 { return outcome.expectWhole(twice: 300) }
    #expect(outcome.merged.faults == [] && outcome.merged.shownTwice == 0, "\(outcome)")
    let ended = try #require(outcome.log.all("ended").first)
    // The last one may be on its way while the session takes its leave.
    let known = outcome.merged.frames.count + (ended.droppedFrames ?? 0)
    #expect((0...1).contains(known - outcome.encoded), "\(outcome)")
  }

  @Test func `a backup that vanishes is nothing that a viewer notices`() async throws {
    let publisher = try await start()
    line.set(.vanished, for: .second)
    try await carries(primary, after: .now + .seconds(3))
    let outcome = try await finish(publisher, burying: backup, showing: "the backup vanished")
    outcome.expectWhole(twice: 0)
    #expect(outcome.log.all("lost") == [])
  }
}

extension LineFailoverTests {
  private struct Outcome: CustomStringConvertible {
    let log: EventLog
    let merged: MergedRecording
    var encoded: Int { log.all("ended").first?.encodedFrames ?? -1 }
    var description: String { "\(merged); encoded \(encoded), \(log.lines.map(\.shortly))" }

    func expectWhole(twice: Double = 300, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(merged.faults == [], "\(self)", sourceLocation: sourceLocation)
      #expect(
        merged.frames.count == encoded && merged.squeezedOnly == 0, "\(self)",
        sourceLocation: sourceLocation)
      #expect(merged.missingAudio == 0, "\(self)", sourceLocation: sourceLocation)
      #expect(merged.shownTwice <= twice, "\(self)", sourceLocation: sourceLocation)
    }
  }

  /// 150 kbit/s at 15 fps.
  private static let quality = """
    {"resolution":{"width":320,"height":180},"frameRate":15,"videoBitrate":100000,
    "audioBitrate":48000,"encoder":{"preset":"ultrafast","keyframeSeconds":1,"lookahead":0}}
    """

  /// Begins, and returns when the primary has had two GOPs and the backup is ready.
  private func start() async throws -> ChildProcess {
    let folder = try TemporaryDirectory()
    let quality = folder.file("quality.json")
    try Self.quality.write(toFile: quality, atomically: false, encoding: .utf8)
    let arguments = [
      "publish", "--to", primary.url(), "--backup", backup.url(), "--events", "json", "--video",
      "test", "--audio", "tone", "--quality", quality,
    ]
    let publisher = try await line.inNear { try Command.start(arguments) }
    try await primary.waitUntil { $0.contains { $0.media.count > 90 } }
    try await backup.waitUntil { $0.contains { $0.commandNames.contains("createStream") } }
    return publisher
  }

  /// Waits until something has arrived at `ingest` that arrived a second after `moment`.
  @discardableResult
  private func carries(
    _ ingest: ScriptedIngest, after moment: MonotonicTime
  ) async throws -> IngestVisit {
    let end = moment + .seconds(1)
    return try await ingest.waitUntil {
      $0.contains { $0.media.last.map { $0.arrival > end } ?? false }
    }
    .first { $0.media.last.map { $0.arrival > end } ?? false }!
  }

  private func finish(
    _ publisher: ChildProcess, burying dead: ScriptedIngest? = nil, showing note: String
  ) async throws -> Outcome {
    dead?.command(.reset)
    publisher.send(SIGINT)
    let text = try await publisher.outcome().standardOutput
    for ingest in [primary, backup] where ingest !== dead {
      try await ingest.waitUntil { $0.allSatisfy(\.isOver) }
    }
    let outcome = Outcome(
      log: try EventLog(text),
      merged: MergedRecording(primary.visits + backup.visits, framesPerSecond: 15))
    if ProcessInfo.processInfo.environment["BUNNY_TRIALS"] != nil {
      print("trial: \(note): \(outcome)")
    }
    return outcome
  }
}

extension EventLog.Line {
  fileprivate var shortly: String { "\(monotonicMs % 1_000_000) \(event) \(state ?? reason ?? "")" }
}
