import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import Support
import Testing

/// Test frames that lie on their side, or are seen in a mirror, and are put right: from a file to what a
/// real ingest records.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct TurnedTests {
  static let turns: [(filter: String, turn: PictureTurn)] = [
    ("transpose=cclock", PictureTurn(.quarter)),
    ("hflip,transpose=clock", PictureTurn(.threeQuarters, isMirrored: true)),
    ("vflip", PictureTurn(.half, isMirrored: true)),
  ]

  @Test(arguments: turns)
  func `the frame marks of what is turned are read`(_ filter: String, _ turn: PictureTurn)
    async throws
  {
    let folder = try TemporaryDirectory()
    var clip = Clip(frames: 75)
    (clip.width, clip.height) = (854, 480)
    clip.options += ["-vf", filter]
    let path = try clip.make(in: folder)
    let recording = try await record(
      .file(path), quality: .sd480, seconds: 2, to: NginxIngest()
    ) { $0.turn = turn }
    let test = try #require(recording.report.testPicture)
    #expect(test.unreadable == 0 && test.framesRead == 60 && test.colourError <= 3)
  }
}
