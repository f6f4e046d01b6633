import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

struct FrameMarkSurvivalTests {
  @Test(arguments: [
    (1280, 720, 854, 480), (1280, 720, 426, 240), (720, 1280, 480, 854), (1920, 1080, 426, 240),
  ])
  func `every mark survives scaling and x264 at 300 kbit/s`(
    width: Int, height: Int, toWidth: Int, toHeight: Int
  ) throws {
    let folder = try TemporaryDirectory()
    var clip = Clip(frames: 45)
    (clip.width, clip.height) = (width, height)
    clip.toneDelay = nil
    clip.options = [
      "-vf", "scale=\(toWidth):\(toHeight)", "-c:v", "libx264", "-preset", "veryfast",
      "-b:v", "300k", "-maxrate", "300k", "-bufsize", "300k",
    ]
    let demuxer = try Demuxer(try clip.make(in: folder))
    let decoder = try Decoder(try #require(demuxer.video))
    var marks: [FrameMark?] = []
    func read(_ pictures: [Picture]) {
      for picture in pictures { marks.append(picture.withPlanes { y, _, _ in .read(from: y) }) }
    }
    while let (_, packet) = try demuxer.next() {
      read(decoder.pictures(packet, at: MonotonicTime(nanoseconds: 0)))
    }
    read(decoder.pictures(nil, at: MonotonicTime(nanoseconds: 0)))
    #expect(marks.map { $0?.number } == (0..<45).map { UInt32($0) })
    #expect(marks.last??.milliseconds == Clip.epoch + 1467)
  }
}
