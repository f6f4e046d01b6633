import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// A camera's Motion-JPEG on its way through the video lane.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct JPEGLaneTests {
  private let folder: TemporaryDirectory
  private let whole: [UInt8]
  /// Looks whole from outside.
  private let holed: [UInt8]

  init() async throws {
    folder = try TemporaryDirectory()
    let path = folder.file("frame.jpg")
    let made = try await ChildProcess.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180", "-frames:v", "1", "-pix_fmt",
        "yuvj422p", "-c:v", "mjpeg", path,
      ])
    try #require(made.exitStatus == 0, "\(made)")
    whole = Array(try Data(contentsOf: URL(filePath: path)))
    holed = Array(whole[..<(whole.count / 2)] + whole.suffix(2))
  }

  private func totals(
    framesPerSecond: Int, _ isWhole: @escaping @Sendable (Int) -> Bool
  ) async throws -> BroadcastTotals {
    let nginx = try await NginxIngest()
    var configuration = BroadcastConfiguration(
      ingest: try nginx.ingest(), quality: FailoverTrial.quality)
    let pictures = PresetPictures(framesPerSecond: framesPerSecond) { [whole, holed] number, time in
      var bytes = isWhole(number) ? whole : holed
      let form = FrameForm(FrameForm.jpeg, width: 320, height: 180, .jpeg)
      return Picture.copied(&bytes, count: bytes.count, form, time: time)!
    }
    configuration.sources = OpenSources(pictures: pictures, sound: nil)
    configuration.duration = .seconds(2)
    let totals = try await Broadcast(configuration).run()
    let video = try #require(try inspect(try await nginx.recordings()[0]).video)
    #expect(video.frames == 60 && video.decodeErrors == 0)
    return totals
  }

  @Test func `what cannot be decoded is counted, and the last picture shown again`() async throws {
    let totals = try await totals(framesPerSecond: 30) { $0 % 10 != 5 }
    #expect((4...6).contains(totals.decodeErrors), "\(totals)")
    #expect(totals.repeatedFrames >= totals.decodeErrors)
  }

  @Test func `a camera whose first pictures are broken begins in black`() async throws {
    let totals = try await totals(framesPerSecond: 30) { $0 >= 5 }
    #expect(totals.decodeErrors == 5 && totals.encodedFrames == 60, "\(totals)")
  }

  /// At 60 frames a second every second one finds its place taken: from the third on those with even
  /// numbers, unless the machine was too busy to take them all.
  @Test func `what has no place on the grid is not decoded`() async throws {
    let totals = try await totals(framesPerSecond: 60) { $0 == 0 || $0 % 2 == 1 }
    #expect(totals.skippedFrames >= 50 && totals.decodeErrors < 10, "\(totals)")
  }
}
