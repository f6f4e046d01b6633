import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite(.serialized) struct MediaFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func open(_ path: String, video: Bool = true, audio: Bool = true) throws -> MediaFile {
    try MediaFile(path, video: video, audio: audio) { _ in }
  }

  private func clip(seconds video: Double, sound: Double) throws -> String {
    let path = folder.file("clip.mkv")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=320x180:r=25:d=\(video)", "-f", "lavfi", "-i",
      "sine=r=48000:d=\(sound)", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a",
      "pcm_s16le", path,
    ]) { _ in }
    return path
  }

  /// Times of the pictures of the first `seconds`, in milliseconds since the first one.
  private func pictureTimes(_ file: MediaFile, count: Int) throws -> [Int64] {
    let source = try #require(file.pictures)
    var times: [MonotonicTime] = []
    while times.count < count, let picture = try source.next() {
      #expect(MonotonicTime.now >= picture.time)
      times.append(picture.time)
    }
    return times.map { ($0 - times[0]) / 1_000_000 }
  }

  @Test func `a loop goes on without a hitch, frame after frame`() throws {
    let times = try pictureTimes(open(clip(seconds: 1, sound: 1)), count: 60)
    #expect(times == (0..<60).map { Int64($0) * 40 })
  }

  @Test func `a pass lasts as long as its longer track`() throws {
    let path = try clip(seconds: 0.8, sound: 1.2)
    let times = try pictureTimes(open(path), count: 45)
    #expect(Array(times.prefix(20)) == (0..<20).map { Int64($0) * 40 })
    #expect(times[20] == 1200 && times[40] == 2400)
    // Without its sound, the picture alone decides.
    #expect(try pictureTimes(open(path, audio: false), count: 25)[20] == 800)
  }

  @Test func `sound that ends before the picture leaves a gap until the next pass`() throws {
    let file = try open(clip(seconds: 1.2, sound: 0.5))
    let source = try #require(file.sound)
    let first = try #require(try source.next())
    var end = first.time + Int64(first.count) * 1_000_000_000 / 48_000
    var gap: Int64 = 0
    while gap == 0, let run = try source.next() {
      if run.time - end > .milliseconds(5) { gap = run.time - end }
      end = run.time + Int64(run.count) * 1_000_000_000 / 48_000
    }
    #expect(abs(gap - .milliseconds(700)) <= .milliseconds(2))
  }

  @Test func `a track that is asked for alone does not read the whole file into memory`() throws {
    // 40 s of picture and 1 s of sound: the sound has nothing for a long time.
    let file = try open(clip(seconds: 40, sound: 1))
    let source = try #require(file.sound)
    var heard = 0
    while heard < 48_000, let run = try source.next() { heard += run.count }
    let waits = Flag()
    startThread("sound") {
      _ = try? source.next()
      waits.isSet = true
    }
    _ = try pictureTimes(file, count: 10)
    #expect(!waits.isSet)
    source.cancel()
  }

  @Test func `a still picture is a film of one frame`() throws {
    let path = folder.file("still.png")
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-frames:v", "1", path]) { _ in }
    #expect(try pictureTimes(open(path), count: 3) == [0, 40, 80])
  }

  @Test func `a picture that lies on its side is turned upright`() throws {
    let flat = folder.file("flat.mp4")
    let turned = folder.file("turned.mp4")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=320x180:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", flat,
    ]) { _ in }
    try ffmpeg(["-i", flat, "-c", "copy", "-metadata:s:v:0", "rotate=90", turned]) { _ in }
    let picture = try #require(try open(turned).pictures?.next())
    #expect(picture.width == 180 && picture.height == 320)
  }

  @Test func `cancelling ends a wait`() throws {
    let file = try open(clip(seconds: 5, sound: 5))
    let source = try #require(file.pictures)
    _ = try source.next()
    source.cancel()
    #expect(try source.next() == nil)
  }

  @Test func `what cannot be played says why`() throws {
    #expect(throws: SourceError.missing("/no/such/file.mp4")) { try open("/no/such/file.mp4") }
    let text = folder.file("notes.mp4")
    try "this is no film\n".write(toFile: text, atomically: false, encoding: .utf8)
    #expect { try open(text) } throws: {
      if case SourceError.notMedia(text, _)? = $0 as? SourceError { true } else { false }
    }
    let sound = folder.file("sound.wav")
    try ffmpeg(["-f", "lavfi", "-i", "sine=d=1", sound]) { _ in }
    #expect(throws: SourceError.notMedia(sound, reason: "it has no picture")) { try open(sound) }
    #expect(throws: SourceError.self) { try open(folder.path) }
  }

  @Test func `a file whose name is gone is played on`() throws {
    let path = try clip(seconds: 0.4, sound: 0.4)
    let source = try #require(open(path, audio: false).pictures)
    try FileManager.default.removeItem(atPath: path)
    for _ in 0..<25 { #expect(try source.next() != nil) }
  }
}
