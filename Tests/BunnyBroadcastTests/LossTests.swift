import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// A camera that goes and comes, from its loss to what a real ingest records.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LossTests {
  /// The lumas that a scripted camera shows, and that of the plain slate.
  private static let (before, after, slate): (UInt8, UInt8, UInt8) = (200, 120, 40)

  private struct Outcome {
    let recording: Recording
    /// Luma of the top left corner, of each frame.
    let corners: [UInt8]
    let said: [String]

    /// The first frame with that luma, encoded within a few levels.
    func first(_ luma: UInt8) -> Int? { corners.firstIndex { abs(Int($0) - Int(luma)) <= 4 } }
  }

  private func broadcast(
    seconds: Int, slate: Slate.Choice = .standard, sound: any SampleSource = Tone(),
    _ script: @escaping ScriptedCamera.Script
  ) async throws -> Outcome {
    let nginx = try await NginxIngest()
    var configuration = BroadcastConfiguration(
      ingest: try nginx.ingest(), quality: FailoverTrial.quality)
    configuration.sources = OpenSources(pictures: ScriptedCamera(script), sound: sound)
    configuration.duration = .seconds(seconds)
    configuration.slate = slate
    let broadcast = Broadcast(configuration)
    let events = broadcast.events()
    let totals = try await broadcast.run()
    let said = await events.reduce(into: [String]()) { $0 += [$1.ofSources].compactMap(\.self) }
    let path = try await nginx.recordings()[0]
    let recording = Recording(totals: totals, path: path, report: try inspect(path))
    return Outcome(recording: recording, corners: try recording.corners(), said: said)
  }

  private func expectNothingSeen(
    _ outcome: Outcome, seconds: Int, location: SourceLocation = #_sourceLocation
  ) throws {
    try BunnyBroadcastTests.expectNothingSeen(
      outcome.recording, seconds: seconds, location: location)
  }

  @Test func `one that is unplugged is replaced by the slate within a second, and comes back`()
    async throws
  {
    let outcome = try await broadcast(seconds: 6) { seconds, _ in
      seconds < 2 ? .shows(Self.before) : seconds < 4 ? .fails : .shows(Self.after)
    }
    try expectNothingSeen(outcome, seconds: 6)
    #expect(outcome.said == ["lost: /dev/video7 was unplugged", "back"])
    let (lost, back) = (outcome.first(Self.slate), outcome.first(Self.after))
    #expect(try #require(lost) >= 55 && lost! <= 60 + 30, "\(outcome.corners)")
    // It is asked once a second by then.
    #expect(try #require(back) >= 115 && back! <= 120 + 45, "\(outcome.corners)")
    #expect(outcome.corners.last.map { abs(Int($0) - Int(Self.after)) <= 4 } == true)
  }

  @Test func `one that is not there at the start is waited for, live`() async throws {
    let outcome = try await broadcast(seconds: 4) { seconds, _ in
      seconds < 2 ? .fails : .shows(Self.after)
    }
    try expectNothingSeen(outcome, seconds: 4)
    #expect(outcome.said == ["lost: /dev/video7 was unplugged", "back"])
    #expect(outcome.first(Self.slate) == 0)
    #expect(outcome.first(Self.after) != nil)
  }

  @Test func `one whose call takes too long is replaced meanwhile`() async throws {
    let outcome = try await broadcast(seconds: 6) { seconds, _ in
      seconds < 2 ? .shows(Self.before) : seconds < 4 ? .hangs : .shows(Self.after)
    }
    try expectNothingSeen(outcome, seconds: 6)
    #expect(outcome.said.count == 2 && outcome.said.last == "back", "\(outcome.said)")
    #expect(outcome.said.first?.hasPrefix("lost: the camera delivers nothing, for ") == true)
    let (lost, back) = (outcome.first(Self.slate), outcome.first(Self.after))
    #expect(try #require(lost) >= 70 && lost! <= 60 + 30, "\(outcome.corners)")
    #expect(try #require(back) >= 115 && back! <= 120 + 9, "\(outcome.corners)")
  }

  @Test func `one whose call never returns is abandoned with its thread`() async throws {
    let outcome = try await broadcast(seconds: 14) { seconds, before in
      before > 0 ? .shows(Self.after) : seconds < 2 ? .shows(Self.before) : .hangs
    }
    try expectNothingSeen(outcome, seconds: 14)
    #expect(outcome.said.count == 2 && outcome.said.last == "back", "\(outcome.said)")
    #expect(outcome.first(Self.slate) != nil)
    #expect(try #require(outcome.first(Self.after)) >= 11 * 30)
  }

  @Test func `a frozen slate is the last good picture`() async throws {
    let outcome = try await broadcast(seconds: 4, slate: .freeze) { seconds, _ in
      seconds < 1 ? .shows(Self.before) : seconds < 2 ? .fails : .shows(Self.after)
    }
    try expectNothingSeen(outcome, seconds: 4)
    #expect(outcome.said == ["lost: /dev/video7 was unplugged", "back"])
    #expect(outcome.first(Self.slate) == nil)
    #expect(try #require(outcome.first(Self.after)) >= 55)
  }

  @Test func `a microphone that is unplugged is replaced by silence, and the picture goes on`()
    async throws
  {
    let microphone = ScriptedMicrophone(absentFrom: 1..<2.5)
    let outcome = try await broadcast(seconds: 5, sound: microphone) { _, _ in
      .shows(Self.before)
    }
    try expectNothingSeen(outcome, seconds: 5)
    #expect(outcome.said == ["no sound: hw:7 stopped delivering: it was unplugged", "sound"])
    let filled = Double(outcome.recording.totals.filledSamples) / 48_000
    #expect((1.3...3).contains(filled), "\(filled)")
    #expect(outcome.first(Self.slate) == nil)
  }
}
