import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Support
import Testing

extension HostileIngestTests {
  /// Other ways than a warm standby and a squeezed replay.
  @Suite struct Modes {
    @Test func `published to both at once, one that freezes never touches the other`()
      async throws
    {
      let trial = try FailoverTrial { $0.redundancy = .dual }
      try await trial.start()
      try await trial.carries(trial.backup)
      trial.primary.command(.freeze)
      try await trial.carries(trial.backup, frames: 120)
      let outcome = try await trial.finish(burying: trial.primary, showing: "dual, one frozen")
      let backup = MergedRecording(
        trial.backup.visits, framesPerSecond: FailoverTrial.framesPerSecond)
      #expect(backup.faults == [] && backup.squeezed == 0, "\(backup)")
      #expect(backup.frames.count == outcome.totals.encodedFrames, "\(backup)")
      #expect(backup.missingAudio == 0 && backup.longestDelay < 1000, "\(backup)")
      #expect(trial.backup.visits.count == 1)
      #expect(outcome.totals.droppedFrames == 0, "\(outcome)")
      #expect(!trial.chapters.contains { if case .uplinkLost = $0.event { true } else { false } })
    }

    @Test func `published to both at once, one that ends is connected again and made up for`()
      async throws
    {
      let trial = try FailoverTrial { $0.redundancy = .dual }
      try await trial.start()
      try await trial.carries(trial.backup)
      trial.primary.command(.reset)
      try await trial.carries(trial.primary)
      let outcome = try await trial.finish(showing: "dual, one reset")
      for (ingest, twice) in [(trial.primary, 300.0), (trial.backup, 0)] {
        let one = MergedRecording(ingest.visits, framesPerSecond: FailoverTrial.framesPerSecond)
        #expect(one.faults == [] && one.missingAudio == 0, "\(one)")
        #expect(one.frames.count == outcome.totals.encodedFrames, "\(one)")
        #expect(one.shownTwice <= twice, "\(one)")
      }
      #expect(outcome.totals.connections == 3 && outcome.totals.droppedFrames == 0)
    }

    @Test func `a standby that cannot be connected is told of, once, and its return`() async throws
    {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.backup.command(.refuse, .reset)
      let lost = try await trial.says("that nothing stands by") {
        if case .standbyLost = $0 { true } else { false }
      }
      trial.backup.command(.normal)
      try await trial.says("that it does again") {
        if case .standbyBack = $0 { true } else { false }
      }
      let outcome = try await trial.finish(showing: "\(lost.event)")
      outcome.expectWhole(twice: 0)
      #expect(
        trial.chapters.count { if case .standbyLost = $0.event { true } else { false } } == 1)
    }

    @Test func `what is left when the broadcast ends is counted`() async throws {
      let trial = try FailoverTrial(hasBackup: false)
      try await trial.start()
      trial.primary.command(.refuse, .reset)
      try await trial.fails(times: 3)
      let outcome = try await trial.finish(showing: "ended while down")
      let totals = outcome.totals
      #expect(totals.droppedFrames > 0 && outcome.missing <= totals.droppedFrames, "\(outcome)")
      #expect(totals.publishedFrames + totals.droppedFrames == totals.encodedFrames, "\(outcome)")
    }

    @Test func `a plain replay has the frames' own times`() async throws {
      let trial = try FailoverTrial { $0.replay = .plain }
      try await trial.start()
      trial.primary.command(.reset)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(showing: "plain replay")
      outcome.expectWhole(twice: 1300)  // the rest of a GOP of a second, too
      #expect(outcome.merged.squeezed == 0)
    }

    @Test func `without a replay what was under way is lost, and a keyframe is made at once`()
      async throws
    {
      let trial = try FailoverTrial { $0.replay = .none }
      try await trial.start()
      trial.primary.command(.reset)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(showing: "no replay")
      outcome.expectClean()
      #expect(outcome.merged.squeezed == 0 && outcome.merged.shownTwice == 0, "\(outcome)")
      #expect(outcome.missing <= 15, "\(outcome)")  // of the 30 that a GOP has
      // Some that are not known to have arrived have.
      #expect(outcome.totals.droppedFrames >= outcome.missing, "\(outcome)")
    }
  }
}
