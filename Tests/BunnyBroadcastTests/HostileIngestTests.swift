import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Support
import Testing

/// Every way an ingest can misbehave; `scripts/test` runs two at a time, for two cores would not carry them
/// all at once. `CONTRIBUTING.md` has the table.
@Suite enum HostileIngestTests {}

extension HostileIngestTests {
  /// It ends the session.
  @Suite struct Endings {
    @Test(arguments: [
      IngestCommand.reset, .close, .halfClose, .unpublish, .strayByte(0xFF), .strayByte(0x3F),
    ])
    func `an ingest that ends the session is left at once, and nothing is missing`(
      how: IngestCommand
    ) async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      let moment = trial.primary.command(how)
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(showing: "\(how) left after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 0.5)
      #expect(trial.losses == 1)
    }

    /// It is the answers' meaning that is lost then. (0x00 in front of an answer leaves it legal.)
    @Test(arguments: [UInt8(0x02), 0x03, 0x43, 0x80, 0xC2])
    func `a stray byte that could begin a message is noticed too`(byte: UInt8) async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      let moment = trial.primary.command(.strayByte(byte))
      let seconds = try await trial.timeToLeave(after: moment)
      try await trial.carries(trial.backup, frames: 75)
      let outcome = try await trial.finish(showing: "stray \(byte) left after \(seconds) s")
      outcome.expectWhole(twice: 2500)  // nothing was known to have arrived since
      #expect(seconds < 3)
    }

    @Test func `without a backup the same ingest gets what was missing`() async throws {
      let trial = try FailoverTrial(hasBackup: false)
      try await trial.start()
      trial.primary.command(.reset)
      try await trial.carries(trial.primary)
      let outcome = try await trial.finish(showing: "single URL")
      outcome.expectWhole()
      #expect(outcome.totals.connections == 2)
    }

    @Test func `a cold backup is connected when it is needed`() async throws {
      let trial = try FailoverTrial { $0.redundancy = .cold }
      try await trial.start()
      #expect(trial.backup.visits.isEmpty)
      let moment = trial.primary.command(.reset)
      let visit = try await trial.carries(trial.backup)
      let first = try #require(visit.media.first)
      let seconds = Double(first.arrival - moment) / 1e9
      let outcome = try await trial.finish(showing: "cold: media after \(seconds) s")
      outcome.expectWhole()
      #expect(seconds < 0.5)
    }

    @Test func `a request to reconnect changes over at a keyframe, unseen`() async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.primary.command(.reconnectRequest)
      try await trial.carries(trial.backup)
      let outcome = try await trial.finish(showing: "reconnect request")
      outcome.expectWhole(twice: 0)
      #expect(outcome.merged.squeezed == 0 && trial.losses == 0)
    }

    @Test func `one that requests to reconnect, and does not wait for it, costs no frame`()
      async throws
    {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.primary.command(.reconnectRequest)
      try await trial.backup.waitUntil { $0.contains(where: \.isPublishing) }
      trial.primary.command(.reset)
      try await trial.carries(trial.backup, frames: 60)
      let outcome = try await trial.finish(showing: "reconnect request, then a reset")
      outcome.expectWhole()
    }

    @Test(arguments: [IngestCommand.badName(seconds: 30), .acceptThenClose])
    func `a change that fails leaves the stream where it is, and nothing is sent twice`(
      how: IngestCommand
    ) async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      trial.backup.command(how)
      trial.primary.command(.reconnectRequest)
      try await trial.says("that it goes on") { "\($0)".contains("did not take over") }
      try await trial.carries(trial.primary, frames: 60)
      let outcome = try await trial.finish(showing: "reconnect request, \(how)")
      outcome.expectWhole(twice: 0)
      #expect(trial.losses == 0 && outcome.totals.connections == 1)
      #expect(trial.backup.visits[0].commandNames.contains("publish"))
    }

    @Test func `without a backup a request to reconnect leads to the same ingest`() async throws {
      let trial = try FailoverTrial(hasBackup: false)
      try await trial.start()
      trial.primary.command(.reconnectRequest)
      try await trial.primary.waitUntil { $0.count > 1 && $0[1].videoCount > 30 }
      let outcome = try await trial.finish(showing: "reconnect request, single URL")
      outcome.expectWhole(twice: 0)
      #expect(outcome.merged.squeezed == 0 && trial.losses == 0)
    }
  }
}
