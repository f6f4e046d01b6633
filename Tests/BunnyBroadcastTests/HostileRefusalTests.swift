import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

extension HostileIngestTests {
  /// It does not take the stream, or not for long.
  @Suite struct Refusals {
    @Test(arguments: [
      IngestScript.Moment.accept, .clientHello, .connect, .createStream, .publish,
    ])
    func `a primary that falls silent in the handshake delays the start, and loses nothing`(
      moment: IngestScript.Moment
    ) async throws {
      let trial = try FailoverTrial(IngestScript(.silence, at: moment))
      let began = MonotonicTime.now
      trial.begin()
      let visit = try await trial.carries(trial.backup)
      let seconds = Double(visit.media[0].arrival - began) / 1e9
      let outcome = try await trial.finish(showing: "silent at \(moment): media after \(seconds) s")
      outcome.expectWhole()
      // Its word to `publish` is waited for, for the whole budget.
      #expect(seconds < (moment == .publish ? 7 : 2))
    }

    @Test func `a primary that remembers our dead session is left to the backup`() async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.primary.command(.badName(seconds: 30), .reset)
      try await trial.carries(trial.backup, frames: 45)
      try await trial.hasStandby(trial.primary)
      trial.backup.command(.reset)  // the primary refuses: back to the backup
      try await trial.carries(trial.backup, frames: 45)
      let outcome = try await trial.finish(showing: "BadName")
      outcome.expectWhole(twice: 600)
      #expect(trial.primary.visits.count { $0.isPublishing } == 1)
      #expect(
        trial.primary.visits.contains { !$0.isPublishing && $0.commandNames.contains("publish") })
    }

    @Test func `the only ingest is tried again until it has forgotten our dead session`()
      async throws
    {
      let trial = try FailoverTrial(hasBackup: false)
      try await trial.start(frames: 165)  // for long enough that it counts as good
      trial.primary.command(.badName(seconds: 3), .reset)
      try await trial.carries(trial.primary, frames: 120)
      let outcome = try await trial.finish(showing: "BadName, single URL")
      outcome.expectWhole()
      #expect(trial.primary.visits.count <= 6)
    }

    @Test func `an ingest that is not there is tried after longer and longer waits`() async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.primary.command(.refuse, .reset)
      try await trial.carries(trial.backup, frames: 300)
      let outcome = try await trial.finish(showing: "refuses for ever")
      outcome.expectWhole()
      // The first did not fail; of ten seconds' jittered waits, 12 are one in 10 000.
      #expect((2...12).contains(outcome.tries(at: trial.primary)))
      #expect(outcome.tries(at: trial.backup) == 1)
    }

    @Test(arguments: [true, false])
    func `one that accepts and hangs up, again and again, makes no storm`(hasBackup: Bool)
      async throws
    {
      let trial = try FailoverTrial(hasBackup: hasBackup)
      trial.primary.command(.acceptThenClose)
      trial.begin()
      if hasBackup {
        try await trial.carries(trial.backup, frames: 240)
      } else {
        try await trial.fails(times: 4)
        trial.primary.command(.normal)
      }
      let outcome = try await trial.finish(showing: "accept, then close")
      outcome.expectClean()
      if hasBackup { outcome.expectWhole() }
      #expect(outcome.tries(at: trial.primary) <= 6)
    }

    @Test func `both down at the start, one up some tries later: nothing is missing`()
      async throws
    {
      let trial = try FailoverTrial()
      trial.primary.command(.refuse)
      trial.backup.command(.refuse)
      trial.begin()
      try await trial.fails(times: 2)
      let moment = trial.backup.command(.normal)
      let visit = try await trial.carries(trial.backup, frames: 120, atMost: 80)
      let seconds = Double(visit.media[0].arrival - moment) / 1e9
      let outcome = try await trial.finish(showing: "one up: media after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 6)  // the fifth wait is 5 s at most
    }

    @Test(arguments: Outage.chosen)
    func `both down for longer than is kept: memory is bounded and the newest is kept`(
      outage: Outage
    ) async throws {
      let trial = try FailoverTrial()
      if outage.isAtStart { trial.begin() } else { try await trial.start() }
      let memory = residentMemory
      trial.primary.command(.refuse, .reset)
      trial.backup.command(.refuse, .reset)
      let end = trial.broadcast.statistics.elapsedSeconds + outage.seconds
      try await trial.says("\(outage)", atMost: outage.seconds + 60) {
        if case .statistics(let now) = $0 { now.elapsedSeconds >= end } else { false }
      }
      let growth = residentMemory - memory
      let moment = trial.primary.command(.normal)
      trial.backup.command(.normal)
      let back = try await trial.says("an ingest that is back", atMost: 80) {
        switch $0 {
        case .reconnected: true
        case .started: outage.isAtStart
        default: false
        }
      }
      let seconds = Double(back.at - moment) / 1e9
      let place =
        switch back.event {
        case .reconnected(let ingest), .started(let ingest): "\(ingest)"
        default: ""
        }
      let carrier = "\(try trial.primary.ingest())" == place ? trial.primary : trial.backup
      try await trial.carries(carrier, frames: 60)
      let outcome = try await trial.finish(
        showing: "\(outage): +\(growth) bytes, back in \(seconds) s")
      outcome.expectClean()
      // What arrived just before it ended, and could not be known to have, counts as dropped too.
      #expect((0...10).contains(outcome.totals.droppedFrames - outcome.missing))
      #expect(seconds < 30)  // the tries of a minute are spread over it
      // Whole GOPs are missing, the oldest of the outage.
      #expect(outcome.merged.runs.count == (outage.isAtStart ? 1 : 2), "\(outcome)")
      #expect(growth < 64 << 20)  // of the process of all tests
    }
  }
}

/// Both ingests refuse for so long.
struct Outage: Sendable, CustomStringConvertible {
  let seconds: Double
  var isAtStart = false

  var description: String { "both down \(isAtStart ? "at the start " : "")for \(seconds) s" }

  /// A short one; long ones when `scripts/soak` asks.
  static let chosen: [Outage] =
    if let seconds = ProcessInfo.processInfo.environment["BUNNY_SOAK_OUTAGE"].flatMap(Double.init) {
      [Outage(seconds: seconds), Outage(seconds: 60, isAtStart: true)]
    } else {
      [Outage(seconds: 20)]
    }
}

/// Bytes of this process.
private var residentMemory: Int {
  let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
    separator: " ")
  return (fields.flatMap { Int($0[1]) } ?? 0) * 4096
}
