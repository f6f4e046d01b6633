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
    #expect(try passesUntilStarved(clip(seconds: 40, sound: 1)) == 0)
  }

  @Test func `a short file without sound in its sound track is held for ten seconds too`() throws {
    let path = folder.file("empty.mkv")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=1", "-f", "lavfi", "-i", "sine=r=48000:d=1",
      "-c:v", "libx264", "-c:a", "pcm_s16le", "-af", "atrim=start=2", path,
    ]) { _ in }
    #expect(try passesUntilStarved(path) == 10)
  }

  /// How often the sound's end comes before there is nothing in the next ten seconds.
  private func passesUntilStarved(_ path: String) throws -> Int {
    let reader = try LoopingReader("file:\(path)", name: path, wanting: [.video, .audio])
    var passes = 0
    while passes < 100 {
      switch try reader.next(.audio) {
      case .packet: continue
      case .endOfPass: passes += 1
      case .starved: return passes
      case .cancelled: return -1
      }
    }
    return passes
  }

  @Test func `of several programs the picture's own sound is taken`() throws {
    let path = folder.file("programs.ts")
    try ffmpeg([
      "-f", "lavfi", "-i", "sine=r=44100:d=2", "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=2",
      "-f", "lavfi", "-i", "sine=r=32000:d=2", "-map", "0", "-map", "1", "-map", "2", "-c:a",
      "mp2", "-b:a:0", "256k", "-ac:a:0", "2", "-b:a:1", "64k", "-c:v", "mpeg2video", "-program",
      "title=a:st=0", "-program", "title=b:st=1:st=2", path,
    ]) { _ in }
    let reader = try LoopingReader("file:\(path)", name: path, wanting: [.video, .audio])
    #expect(reader.audio?.facts.sampleRate == 32_000)
  }

  @Test func `what cannot be decoded is counted`() throws {
    let path = folder.file("png.mkv")
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=320x180:r=25:d=1", "-c:v", "png", path]) { _ in }
    var bytes = try Data(contentsOf: URL(filePath: path))
    for index in bytes.count / 3..<bytes.count / 3 + 3000 { bytes[index] = UInt8(index & 0x7F) }
    try bytes.write(to: URL(filePath: path))
    let demuxer = try Demuxer(path)
    let decoder = try Decoder(#require(demuxer.video))
    var pictures = 0
    while let (track, packet) = try demuxer.next() {
      if track != demuxer.video?.index { continue }
      pictures += decoder.pictures(packet, at: .now).count
    }
    try #require(decoder.errors > 0)

    let counted = Watched(0)
    let sources = try OpenSources(
      video: .file(path), audio: .silence, width: 320, height: 180, frameRate: Timebase(25, 1),
      decodeError: { counted.change { $0 += 1 } }, notice: { _ in })
    for _ in 0...pictures { _ = try sources.pictures.next() }  // one more: past the broken one
    #expect(counted.current == decoder.errors)
  }

  private func still(_ form: String) throws -> String {
    let path = folder.file("still.\(form)")
    // Larger than what FFmpeg buffers, within which it would go back.
    try ffmpeg([
      "-f", "lavfi", "-i", "color=s=640x480:d=1,noise=alls=100", "-frames:v", "1", path,
    ]) { _ in }
    return path
  }

  @Test(arguments: ["png", "jpg", "bmp"])
  func `a still picture is a film of one frame, which is read once`(form: String) throws {
    let path = try still(form)
    let file = try open(path)
    let source = try #require(file.pictures)
    let first = try #require(try source.next()).time
    #expect(try source.next()?.time == first + .milliseconds(40))
    try FileManager.default.removeItem(atPath: path)
    #expect(try source.next()?.time == first + .milliseconds(80))
    #expect(try source.next()?.time == first + .milliseconds(120))
  }

  @Test(arguments: ["png", "jpg", "bmp"])
  func `a still picture of an address is asked for once`(form: String) throws {
    let picture = try Data(contentsOf: URL(filePath: still(form)))
    let head = "HTTP/1.0 200 OK\r\nContent-Length: \(picture.count)\r\n\r\n"
    let server = try ByteServer(Data(head.utf8) + picture, thenStaying: true)
    let (packets, passes) = try read(server.address("http") + "/still.\(form)")
    #expect(packets == Array(repeating: picture.count, count: 50) && passes == 49)
    #expect(server.progress.current.connections == 1)
  }

  @Test func `a picture that breaks off is asked for again`() throws {
    let picture = try Data(contentsOf: URL(filePath: still("bmp")))
    let head = "HTTP/1.0 200 OK\r\nContent-Length: \(2 * picture.count)\r\n\r\n"
    let server = try ByteServer(Data(head.utf8) + picture)
    _ = try read(server.address("http") + "/still.bmp", count: 3)
    #expect(server.progress.current.connections >= 3)
  }

  @Test func `a stream that ends after one frame is not taken for a still picture`() throws {
    let server = try ByteServer(sending: still("flv"))
    _ = try read(server.address(), count: 3)
    #expect(server.progress.current.connections >= 3)
  }

  /// The sizes of the first packets, and how many passes ended before the last of them.
  private func read(_ address: String, count: Int = 50) throws -> (sizes: [Int], passes: Int) {
    let reader = try LoopingReader(
      address, name: "it", wanting: [.video], stallLimit: .seconds(10))
    var (sizes, passes) = ([Int](), 0)
    while sizes.count < count {
      switch try reader.next(.video) {
      case .packet(let packet, _, _): sizes.append(packet.size)
      case .endOfPass: passes += 1
      case .starved, .cancelled: return (sizes, passes)
      }
    }
    return (sizes, passes)
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
    let circle = folder.file("circle.mp4")
    symlink(circle, circle)
    let reason = "Too many levels of symbolic links"
    #expect(throws: SourceError.unreadable(circle, reason: reason)) { try open(circle) }
    let server = try ByteServer(Data("HTTP/1.0 404 Not Found\r\n\r\n".utf8))
    #expect {
      try open(server.address("http") + "/film.mp4")
    } throws: {
      "\($0)"
        == "\(server.address("http"))/••• cannot be opened: Server returned 404 Not Found; "
        + "check the address and the network"
    }
  }

  @Test func `a file whose name is gone is played on`() throws {
    let path = try clip(seconds: 0.4, sound: 0.4)
    let source = try #require(open(path, audio: false).pictures)
    try FileManager.default.removeItem(atPath: path)
    for _ in 0..<25 { #expect(try source.next() != nil) }
  }
}
