import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Support
import Testing

extension HostileIngestTests {
  /// Its name cannot be looked up: the resolver stalls, or says that it has failed.
  @Suite struct Names {
    static let outages: [ScriptedResolver.Behaviour] = [.stall, .fail]

    @Test(arguments: outages)
    func `a primary whose name cannot be looked up delays the start, and loses nothing`(
      outage: ScriptedResolver.Behaviour
    ) async throws {
      let trial = try named(ScriptedResolver(outage))
      let began = MonotonicTime.now
      trial.begin()
      let visit = try await trial.carries(trial.backup)
      let seconds = Double(visit.media[0].arrival - began) / 1e9
      let outcome = try await trial.finish(showing: "\(outage): media after \(seconds) s")
      outcome.expectWhole()
      #expect(outcome.totals.connections == 1)
      #expect(seconds < 2)
    }

    @Test(arguments: outages)
    func `the only ingest gets it all once its name is found`(
      outage: ScriptedResolver.Behaviour
    ) async throws {
      let resolver = ScriptedResolver(outage)
      let trial = try named(resolver, hasBackup: false)
      trial.begin()
      try await trial.fails(times: 1)
      resolver.finds(trial.primary)
      try await trial.carries(trial.primary)
      let outcome = try await trial.finish(showing: "\(outage), single URL")
      outcome.expectWhole()
    }

    @Test(arguments: outages)
    func `a primary that died is found where it was, although its name is not`(
      outage: ScriptedResolver.Behaviour
    ) async throws {
      let resolver = ScriptedResolver(outage)
      let trial = try named(resolver)
      resolver.finds(trial.primary)
      try await trial.start()
      resolver.behaviour.change { $0 = outage }
      trial.primary.command(.reset)
      try await trial.carries(trial.backup, frames: 45)
      try await trial.hasStandby(trial.primary)
      trial.backup.command(.reset)
      try await trial.carries(trial.primary, frames: 45)
      let outcome = try await trial.finish(showing: "\(outage) after a reset")
      outcome.expectWhole(twice: 600)  // in each of two
      #expect(outcome.totals.connections == 3)
      #expect(resolver.questions.current > 1)
    }

    @Test(arguments: outages)
    func `the only ingest is found where it was, although its name is not`(
      outage: ScriptedResolver.Behaviour
    ) async throws {
      let resolver = ScriptedResolver(outage)
      let trial = try named(resolver, hasBackup: false)
      resolver.finds(trial.primary)
      try await trial.start()
      resolver.behaviour.change { $0 = outage }
      let moment = trial.primary.command(.reset)
      try await trial.primary.waitUntil { $0.count > 1 && $0[1].videoCount > 30 }
      let seconds = Double(trial.primary.visits[1].media[0].arrival - moment) / 1e9
      let outcome = try await trial.finish(showing: "\(outage): back after \(seconds) s")
      outcome.expectWhole()
      #expect(resolver.questions.current == 2)
      #expect(seconds < 3)
    }

    /// A trial whose primary has a name that only `resolver` knows.
    private func named(
      _ resolver: ScriptedResolver, hasBackup: Bool = true
    ) throws -> FailoverTrial {
      try FailoverTrial(hasBackup: hasBackup, book: resolver.book) { configuration in
        let port = configuration.ingest.port
        configuration.ingest = try Ingest("rtmp://primary.test:\(port)/live/key")
      }
    }
  }
}

extension ScriptedResolver {
  /// From now on every name stands for `ingest`.
  fileprivate func finds(_ ingest: ScriptedIngest) {
    behaviour.change { $0 = .answer([SocketAddress("127.0.0.1", port: ingest.port)!]) }
  }
}
