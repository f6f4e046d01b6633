import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnySystem
import Support
import Synchronization
import Testing

/// Several cameras, from the key to what a real ingest records.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct CamerasTests {
  /// The lumas that the scripted cameras show, and that of the plain slate.
  private static let (first, second, third): (UInt8, UInt8, UInt8) = (200, 120, 80)
  private static let slate: UInt8 = 40

  private struct Outcome {
    let recording: Recording
    let corners: [UInt8]
    let said: [String]

    /// The lumas that were seen, each once for each time that it came.
    var shown: [UInt8] {
      let known = [CamerasTests.first, CamerasTests.second, CamerasTests.third, CamerasTests.slate]
      return corners.map { corner in
        known.first { abs(Int($0) - Int(corner)) <= 4 } ?? corner
      }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
  }

  /// Asks a broadcast for the next camera.
  private final class Asker: Sendable {
    let broadcast = Mutex<Broadcast?>(nil)
    func ask() { broadcast.withLock { $0 }?.rotateCamera() }
  }

  private func supply(
    _ name: String, _ script: @escaping ScriptedCamera.Script
  ) -> PictureSupply {
    PictureSupply(name) { _ in ScriptedCamera(script) }
  }

  /// Shows `luma`, and asks for the next camera once it has done so for 40 frames, so that a start which is slow has some of them.
  private func shows(_ luma: UInt8, asking asker: Asker) -> ScriptedCamera.Script {
    let frames = Mutex(0)
    return { _, _ in
      let isDue = frames.withLock { frames in
        frames += 1
        return frames == 40
      }
      if isDue { asker.ask() }
      return .shows(luma)
    }
  }

  private func broadcast(
    seconds: Int, _ asker: Asker, _ script: @escaping ScriptedCamera.Script,
    others: [PictureSupply], onLoss: CameraLoss = .wait
  ) async throws -> Outcome {
    let nginx = try await NginxIngest()
    var configuration = BroadcastConfiguration(
      ingest: try nginx.ingest(), quality: FailoverTrial.quality)
    configuration.sources = OpenSources(
      pictures: ScriptedCamera(script), sound: Tone(), others: others)
    configuration.onCameraLoss = onLoss
    configuration.duration = .seconds(seconds)
    let broadcast = Broadcast(configuration)
    asker.broadcast.withLock { $0 = broadcast }
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

  @Test func `each in turn, and the first again, without the slate and without a gap`() async throws
  {
    let asker = Asker()
    let outcome = try await broadcast(
      seconds: 6, asker, shows(Self.first, asking: asker),
      others: [
        supply("B", shows(Self.second, asking: asker)),
        supply("C", shows(Self.third, asking: asker)),
      ])
    try expectNothingSeen(outcome, seconds: 6)
    #expect(outcome.said == ["changed: B", "changed: C", "changed: the first"])
    #expect(outcome.shown == [Self.first, Self.second, Self.third, Self.first])
  }

  @Test func `one that cannot be opened leaves the present one on air`() async throws {
    let asker = Asker()
    let outcome = try await broadcast(
      seconds: 3, asker, shows(Self.first, asking: asker), others: [supply("B") { _, _ in .fails }])
    try expectNothingSeen(outcome, seconds: 3)
    #expect(outcome.said == ["not changed: B: /dev/video7 was unplugged"])
    #expect(outcome.shown == [Self.first])
  }

  @Test func `one that hangs is given up, and the present one stays`() async throws {
    let asker = Asker()
    let outcome = try await broadcast(
      seconds: 9, asker, shows(Self.first, asking: asker), others: [supply("B") { _, _ in .hangs }])
    try expectNothingSeen(outcome, seconds: 9)
    #expect(outcome.said == ["not changed: B: it delivered nothing within 6 s"])
    #expect(outcome.shown == [Self.first])
  }

  @Test func `without room for both on the bus the last picture is held meanwhile`() async throws {
    let asker = Asker()
    let besides = Watched<[Bool]>([])
    let next = PictureSupply("B") { besideAnother in
      besides.change { $0.append(besideAnother) }
      return ScriptedCamera { _, _ in besideAnother ? .lacksRoom : .shows(Self.second) }
    }
    let outcome = try await broadcast(
      seconds: 3, asker, shows(Self.first, asking: asker), others: [next])
    try expectNothingSeen(outcome, seconds: 3)
    #expect(outcome.said == ["changed: B"] && besides.current == [true, false])
    #expect(outcome.shown == [Self.first, Self.second])
  }

  @Test func `the next that delivers takes the place of a lost one, and keeps it`() async throws {
    let outcome = try await broadcast(
      seconds: 5, Asker(),
      { seconds, _ in (1..<3).contains(seconds) ? .fails : .shows(Self.first) },
      others: [
        supply("B") { _, _ in .fails }, supply("C") { _, _ in .shows(Self.third) },
      ], onLoss: .next)
    try expectNothingSeen(outcome, seconds: 5)
    #expect(
      outcome.said == [
        "lost: /dev/video7 was unplugged", "not changed: B: /dev/video7 was unplugged",
        "changed: C",
      ])
    #expect(outcome.shown == [Self.first, Self.slate, Self.third])
  }

  @Test func `a file's sound goes on while its picture is not on air, and both are in step after`()
    async throws
  {
    let folder = try TemporaryDirectory()
    var (film, dark) = (Clip(frames: 300), Clip(frames: 60))
    (film.width, film.height) = (854, 480)
    dark.shots = Array(repeating: .black, count: 60)
    dark.toneDelay = nil
    let nginx = try await NginxIngest()
    var configuration = BroadcastConfiguration(
      ingest: try nginx.ingest(), video: .file(try film.make(in: folder, "film.mkv")),
      quality: .sd480)
    configuration.otherVideos = [.file(try dark.make(in: folder, "dark.mkv"))]
    configuration.duration = .seconds(8)
    let broadcast = Broadcast(configuration)
    let events = broadcast.events()
    let listening = Task {
      await events.reduce(into: 0) { changes, event in
        if case .cameraChanged = event { changes += 1 }
        if case .statistics = event { broadcast.rotateCamera() }
      }
    }
    _ = try await broadcast.run()
    #expect(await listening.value == 2)
    let report = try inspect(try await nginx.recordings()[0])
    #expect(
      try #require(report.audio).gaps == 0
        && report.audio?.silent.allSatisfy { $0.length < 1 } == true)
    let test = try #require(report.testPicture)
    #expect(test.lost > 60 && test.outOfOrder == 0 && test.framesRead > 100)
    // But for a flash that the change may have cut in two.
    let offsets = test.beeps.map { abs($0.offset) }
    #expect(offsets.count >= 4 && offsets.count { $0 > 20 } <= 1, "\(offsets)")
    #expect(try #require(offsets.last) <= 20)
  }
}
