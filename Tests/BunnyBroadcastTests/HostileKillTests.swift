import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

private let kills =
  ProcessInfo.processInfo.environment["BUNNY_SOAK_KILLS"].flatMap(Int.init) ?? 20

extension HostileIngestTests {
  /// Whoever carries the stream is killed, again and again.
  @Suite struct Kills {
    @Test func `killed at random moments, not a frame is missing`() async throws {
      let trial = try FailoverTrial()
      try await trial.start()
      var dice = Dice(seed: 20)
      var (carrier, spare) = (trial.primary, trial.backup)
      for _ in 0..<kills {
        try await trial.hasStandby(spare)
        carrier.command(.reset)
        (carrier, spare) = (spare, carrier)
        // A GOP and more, so that it counts as good again.
        try await trial.carries(carrier, frames: .random(in: 35...80, using: &dice))
      }
      let outcome = try await trial.finish(showing: "\(kills) kills")
      outcome.expectWhole(twice: 300 * Double(kills))
      #expect(outcome.totals.connections == kills + 1)
      #expect(trial.losses == kills)
    }
  }
}
