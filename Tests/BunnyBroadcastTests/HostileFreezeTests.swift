import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// A moment of the GOP, in twentieths, and the ingest's receive buffer.
struct Freeze: Sendable, CustomStringConvertible {
  let phase: Int
  let receiveBuffer: Int32?

  var description: String {
    "phase \(phase)/20, \(receiveBuffer.map { "\($0 >> 10) KB" } ?? "default buffer")"
  }

  static let all = (0..<20).flatMap { phase in
    [65_536, nil, 1 << 20].map { Freeze(phase: phase, receiveBuffer: $0) }
  }

  /// A seeded sample; more of them, up to all, when `scripts/soak` asks.
  static let chosen: [Freeze] = {
    let count = ProcessInfo.processInfo.environment["BUNNY_SOAK_FREEZES"].flatMap(Int.init) ?? 4
    var dice = Dice(seed: 4)
    return Array(all.shuffled(using: &dice).prefix(count))
  }()
}

extension HostileIngestTests {
  /// It stops reading, as a stopped process does.
  @Suite struct Freezes {
    @Test(arguments: Freeze.chosen)
    func `one that stops reading is left within two seconds, and nothing is missing`(
      freeze: Freeze
    ) async throws {
      var script = IngestScript()
      script.receiveBuffer = freeze.receiveBuffer
      let trial = try FailoverTrial(script)
      try await trial.start()
      try await trial.primary.waitUntil { $0[0].frameInGOP == freeze.phase * 30 / 20 }
      let moment = trial.primary.command(.freeze)
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(
        burying: trial.primary, showing: "\(freeze): left after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 3)  // 2, and a margin for a busy machine
      // A player stands still while it is not noticed, and no longer (but for a busy machine).
      #expect(outcome.merged.longestDelay < seconds * 1000 + 300, "\(outcome)")
      #expect(outcome.totals.connections == 2)
    }

    @Test func `with a cold backup it takes a connection more to know whose fault it is`()
      async throws
    {
      let trial = try FailoverTrial { $0.redundancy = .cold }
      try await trial.start()
      let moment = trial.primary.command(.freeze)
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(
        burying: trial.primary, showing: "cold, frozen: left after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 3)
    }

    @Test(arguments: [true, false])
    func `when nobody answers the session is kept, and goes on where it was`(hasBackup: Bool)
      async throws
    {
      let trial = try FailoverTrial(hasBackup: hasBackup)
      try await trial.start()
      trial.primary.command(.freeze)
      trial.backup.command(.freeze)
      try await trial.says("a lost uplink") { if case .uplinkLost = $0 { true } else { false } }
      trial.primary.command(.thaw)
      trial.backup.command(.thaw)
      try await trial.says("its return") { if case .uplinkBack = $0 { true } else { false } }
      try await trial.carries(trial.primary)
      let outcome = try await trial.finish(showing: "all frozen, backup \(hasBackup)")
      outcome.expectWhole(twice: 0)
      #expect(trial.losses == 0 && outcome.totals.connections == 1)
    }

    @Test func `one that requests to reconnect, and freezes, is replayed from`() async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      try await trial.changes(from: trial.primary, to: trial.backup)
      let moment = trial.primary.command(.freeze)
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(
        burying: trial.primary, showing: "reconnect request, then frozen: left after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 3)
    }

    @Test func `one that freezes before it has taken over leaves the stream where it is`()
      async throws
    {
      let trial = try FailoverTrial()
      try await trial.start()
      try await trial.changes(from: trial.primary, to: trial.backup)
      trial.backup.command(.freeze)
      try await trial.says("that it goes on") { "\($0)".contains("did not take over") }
      try await trial.carries(trial.primary, frames: 60)
      let outcome = try await trial.finish(
        burying: trial.backup, showing: "reconnect request, the new one frozen")
      outcome.expectWhole(twice: 0)
      #expect(trial.losses == 0 && outcome.totals.connections == 1)
    }
  }
}

extension FailoverTrial {
  /// A planned change begins, and waits for its keyframe.
  fileprivate func changes(from old: ScriptedIngest, to new: ScriptedIngest) async throws {
    // The next one is some time off.
    try await old.waitUntil { (3...10).contains($0[0].frameInGOP) }
    old.command(.reconnectRequest)
    try await new.waitUntil { $0.contains(where: \.isPublishing) }
  }
}

extension IngestVisit {
  /// Frames since the newest keyframe.
  fileprivate var frameInGOP: Int {
    let video = media.filter { $0.kind == .video }
    return video.count - 1 - (video.lastIndex(where: \.tag.isVideoKeyframe) ?? 0)
  }
}
