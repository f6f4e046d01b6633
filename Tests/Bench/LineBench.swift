import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// The same over a line of 80 ms: the command beside it, both ingests behind it.
struct LineBench {
  private static let roundTrip = 80.0
  let trials: Int

  func rows() async throws -> [SpreadRow] {
    var first: [Double] = []
    var whole: [Double] = []
    var sizes: [Double] = []
    for _ in 0..<trials {
      let result = try await trial()
      first.append(result.first)
      whole.append(result.whole)
      sizes.append(result.bytes)
    }
    let bytes = sizes.sorted()[sizes.count / 2]
    return [
      SpreadRow(
        "80 ms: decision → first media byte", first,
        goal: (Self.roundTrip + 20, Self.roundTrip + 20)),
      SpreadRow("80 ms: decision → keyframe of \(Int(bytes)) bytes whole", whole),
    ]
  }

  private func trial() async throws -> (first: Double, whole: Double, bytes: Double) {
    let line = try await Line(.roundTrip(Self.roundTrip))
    let primary = try ScriptedIngest(at: .first, of: line)
    let backup = try ScriptedIngest(at: .second, of: line)
    let small = try SmallPublish()
    let command = try await line.inNear {
      try Command.start(
        small.arguments(to: primary.url(), "--backup", backup.url(), "--events", "json"))
    }
    try await backup.waitUntil { $0.contains { $0.commandNames.contains("createStream") } }
    let frames = Int.random(in: 15...40)
    try await primary.waitUntil { visits in visits.contains { $0.media.count >= frames } }
    primary.command(.reset)
    let lost = try await command.waitForLine(in: .output) { $0.contains(#""event":"lost""#) }
    let keyframe = try await backup.firstKeyframe(atLeast: 1)
    guard let decision = lost.firstMatch(of: /"monotonicMs":(\d+)/).flatMap({ Double($0.1) }),
      let visit = backup.visits.first(where: { !$0.media.isEmpty }), let first = visit.tags.first
    else { throw BenchFailure(70, "the command did not say when the ingest was lost") }
    command.send(SIGTERM)
    _ = try await command.outcome()
    // It was sent half a round trip before it arrived.
    let sent = Double(first.arrival.nanoseconds) / 1e6 - Self.roundTrip / 2 - decision
    let bytes = visit.media.first { $0.kind == .video }?.body.count ?? 0
    return (sent, Double(keyframe.nanoseconds) / 1e6 - decision, Double(bytes))
  }
}
