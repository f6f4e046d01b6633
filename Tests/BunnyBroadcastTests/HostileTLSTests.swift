import BunnyBroadcast
import BunnyRTMP
import Support
import Testing

extension HostileIngestTests {
  /// It speaks TLS.
  @Suite(.enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"))
  struct Secure {
    @Test
    func `where a connection was left, it is said to be closed, and the next one resumes TLS`()
      async throws
    {
      let authority = try await CertificateAuthority()
      var script = IngestScript()
      script.tls = try await TLSServer(authority.issue(for: "DNS:localhost"))
      let trial = try FailoverTrial(script, backup: script) { $0.tlsTrust = .file(authority.root) }
      try await trial.start()
      trial.primary.command(.freeze)
      try await trial.carries(trial.backup)
      let left = "\(try trial.primary.ingest())"
      try await trial.says("that the connection that was left is closed") {
        if case .connection(let place, .closed) = $0 { "\(place)" == left } else { false }
      }
      trial.primary.command(.thaw)
      try await trial.hasStandby(trial.primary)
      let visits = trial.primary.visits
      let outcome = try await trial.finish(showing: "TLS")
      // What had been sent to the frozen one is read when it thaws.
      outcome.expectWhole(twice: 2500)
      #expect(!visits[0].isTLSResumed)
      #expect(visits.last?.isTLSResumed == true)
    }

    @Test func `a standby that the server closes resumes TLS when it is connected again`()
      async throws
    {
      let authority = try await CertificateAuthority()
      var script = IngestScript()
      script.tls = try await TLSServer(authority.issue(for: "DNS:localhost"))
      let trial = try FailoverTrial(backup: script) { $0.tlsTrust = .file(authority.root) }
      try await trial.start()
      trial.backup.command(.close)
      try await trial.hasStandby(trial.backup)
      #expect(trial.backup.visits.map(\.isTLSResumed) == [false, true])
      try await trial.finish(showing: "TLS standby").expectWhole(twice: 0)
    }
  }
}
