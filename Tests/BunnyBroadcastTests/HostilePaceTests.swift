import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Support
import Testing

extension HostileIngestTests {
  /// It reads too slowly, or does not say that it reads.
  @Suite struct Pace {
    @Test func `throttled to a third it gets whole sound, and GOPs cut short`() async throws {
      var script = IngestScript()
      script.receiveBuffer = 16_384
      let trial = try FailoverTrial(script) {
        $0.quality.encoder.filler = true
        $0.quality.audioBitrate = 48_000
      }
      try await trial.start()
      trial.primary.command(.throttle(bitsPerSecond: 150_000))
      try await trial.says("dropped frames") { if case .dropped = $0 { true } else { false } }
      trial.primary.command(.normal)
      try await trial.carries(trial.primary, frames: 60)
      let outcome = try await trial.finish(showing: "a third")
      outcome.expectClean()
      #expect(outcome.totals.droppedFrames > 0 && trial.losses == 0)
      #expect(outcome.missing == outcome.totals.droppedFrames)
      #expect(outcome.merged.missingAudio == 0)
    }

    @Test func `one that never acknowledged nor answered a ping is trusted`() async throws {
      let trial = try FailoverTrial()
      trial.primary.command(.stopAcknowledging, .stopPonging)
      try await trial.start(frames: 150)
      let outcome = try await trial.finish(showing: "says nothing")
      outcome.expectWhole(twice: 0)
      #expect(trial.losses == 0 && outcome.totals.connections == 1)
    }

    @Test(arguments: [IngestCommand.stopAcknowledging, .stopPonging])
    func `one that says less than before, but something, is trusted`(what: IngestCommand)
      async throws
    {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.primary.command(what)
      try await trial.carries(trial.primary, frames: 120)
      let outcome = try await trial.finish(showing: "\(what)")
      outcome.expectWhole(twice: 0)
      #expect(trial.losses == 0 && outcome.totals.connections == 1)
    }

    @Test func `what one that said nothing had in its buffers is sent again, a GOP of it`()
      async throws
    {
      let trial = try FailoverTrial()
      trial.primary.command(.stopAcknowledging, .stopPonging)
      try await trial.start()
      trial.primary.command(.reset)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(showing: "says nothing, reset")
      outcome.expectWhole(twice: 1500)
    }

    /// More than a GOP in its buffers is lost with it: nobody could know.
    @Test func `one that said nothing is left once its buffers are full`() async throws {
      var script = IngestScript()
      script.receiveBuffer = 8192
      let trial = try FailoverTrial(script)
      trial.primary.command(.stopAcknowledging, .stopPonging)
      try await trial.start()
      let moment = trial.primary.command(.freeze)
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(
        burying: trial.primary, showing: "says nothing, frozen: left after \(seconds) s")
      outcome.expectWhole(twice: 1500)
      #expect(seconds < 4)
    }
  }
}
