import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// A real FIFO, and what comes out of it.
@Suite struct PipeCameraTests {
  private let folder: TemporaryDirectory
  private let errors = Watched(0)
  private let notices = Watched<[String]>([])

  init() throws { folder = try TemporaryDirectory() }

  /// A keyframe each fifteen frames, each with its parameter sets.
  private func h264(frames: Int, width: Int = 320, _ name: String = "clip.h264") throws -> [UInt8] {
    var clip = Clip(frames: frames)
    (clip.width, clip.height, clip.toneDelay) = (width, width * 9 / 16, nil)
    clip.options = [
      "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "15", "-x264-params",
      "repeat-headers=1",
    ]
    return Array(try Data(contentsOf: URL(filePath: try clip.make(in: folder, name))))
  }

  private func camera(_ settings: CameraSettings = CameraSettings()) throws -> PipeCamera {
    var context = SourceContext()
    context.decodeError = { [errors] in errors.change { $0 += 1 } }
    context.notice = { [notices] text in notices.change { $0.append(text) } }
    let camera = try PipeCamera(folder.file("fifo"), settings, context)
    try camera.open()
    return camera
  }

  /// Writes all of it on a thread of its own, and closes the FIFO.
  private func write(_ bytes: [UInt8]) {
    startThread("writer") { [path = folder.file("fifo")] in
      guard let file = fopen(path, "w") else { return }
      _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
      fclose(file)
    }
  }

  /// All pictures up to when it is lost, and why it is.
  private func pictures(of camera: PipeCamera) -> (pictures: [Picture], problem: PipeProblem?) {
    var pictures: [Picture] = []
    do {
      while let picture = try camera.next() { pictures.append(picture) }
      return (pictures, nil)
    } catch SourceError.pipe(_, let problem) {
      return (pictures, problem)
    } catch {
      Issue.record("\(error)")
      return (pictures, nil)
    }
  }

  @Test func `every picture comes out, and another writer may follow`() throws {
    let (first, second) = (try h264(frames: 40), try h264(frames: 20, width: 160, "small.h264"))
    let camera = try camera()
    write(first)
    var got = pictures(of: camera)
    #expect(got.pictures.count == 40 && got.problem == .writerGone)
    #expect(zip(got.pictures, got.pictures.dropFirst()).allSatisfy { $0.time <= $1.time })
    write(second)
    got = pictures(of: camera)
    #expect(got.pictures.count == 20 && got.problem == .writerGone)
    #expect(got.pictures.allSatisfy { $0.width == 160 && $0.height == 90 })
    #expect(errors.current == 0)
  }

  @Test func `a FIFO that is deleted is made again, and what takes its place is named`() throws {
    let clip = try h264(frames: 20)
    let camera = try camera()
    write(clip)
    #expect(pictures(of: camera).pictures.count == 20)
    let path = folder.file("fifo")
    try FileManager.default.removeItem(atPath: path)
    startThread("writer") { [self] in
      _ = notices.wait { $0.count == 2 }
      write(clip)
    }
    let again = pictures(of: camera)
    #expect(again.pictures.count == 20 && again.problem == .writerGone)
    let made = "\(path) was not there: the FIFO was made"
    #expect(notices.current == [made, made])
    try FileManager.default.removeItem(atPath: path)
    try Data().write(to: URL(filePath: path))
    #expect(pictures(of: camera).problem == .notFIFO)
  }

  @Test func `other parameter sets in mid-stream are another size`() throws {
    let bytes = try h264(frames: 20) + h264(frames: 20, width: 160, "small.h264")
    let camera = try camera()
    write(bytes)
    let got = pictures(of: camera)
    let widths = [320, 160].flatMap { Array(repeating: $0, count: 20) }
    #expect(got.pictures.map(\.width) == widths)
    #expect(errors.current == 0)
  }

  @Test func `what begins in the middle of a GOP is shown from the next keyframe on`() throws {
    let bytes = try h264(frames: 45)
    var cutter = AnnexBCutter()
    var units: [[UInt8]] = []
    cutter.take(bytes, at: .now) { unit, _ in units.append(Array(unit)) }
    let camera = try camera()
    write(units[5...].flatMap { $0 })
    let got = pictures(of: camera)
    // Nine are left of the first GOP, and the cutter held back the last one of the third.
    #expect(got.pictures.count == 29 && got.problem == .writerGone)
    #expect(errors.current == 10)
  }

  @Test func `nonsense, and half a picture at the end, are counted`() throws {
    var dice = Dice(seed: 5)
    let nonsense = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let bytes = try h264(frames: 30)
    let camera = try camera()
    write(nonsense + bytes + bytes.dropLast(bytes.count / 60))
    let got = pictures(of: camera)
    #expect((59...60).contains(got.pictures.count), "\(got.pictures.count)")
    #expect(errors.current >= 2)
  }

  @Test func `raw frames come out as they are, and half of one is counted`() throws {
    var settings = CameraSettings()
    settings.format = "YU12"
    settings.size = PictureSize(width: 64, height: 32)
    settings.framesPerSecond = 30
    let camera = try camera(settings)
    let frames = (1...3).map { [UInt8](repeating: UInt8($0), count: 64 * 32 * 3 / 2) }
    write(frames.flatMap { $0 } + frames[0].dropLast(100))
    let got = pictures(of: camera)
    let levels = got.pictures.map { $0.withPlanes { y, _, v in [y.bytes[0], v.bytes[31 * 15]] } }
    #expect(levels == [[1, 1], [2, 2], [3, 3]])
    #expect(errors.current == 1 && got.problem == .writerGone)
  }

  @Test func `JPEGs come out one by one, whatever lies between them`() throws {
    var settings = CameraSettings()
    (settings.format, settings.framesPerSecond) = ("MJPG", 30)
    settings.size = PictureSize(width: 64, height: 32)
    let camera = try camera(settings)
    let (pool, maker) = (PicturePool(width: 64, height: 32), JPEGMaker())
    let jpegs = ([40, 90, 200] as [UInt8]).map { level in
      maker.jpeg(
        pool.picture(time: .now) { y, u, v in
          for (plane, value) in [(y, level), (u, 128), (v, 128)] {
            plane.bytes.update(repeating: value, count: plane.stride * plane.height)
          }
        })
    }
    let padding = [UInt8](repeating: 0, count: 500)
    let brokenHead: [UInt8] = [0xFF, 0xD8, 0x00]
    write(
      jpegs[0] + padding + jpegs[1] + [0xFF, 0x12] + brokenHead + jpegs[2] + jpegs[0].dropLast(2))
    let got = pictures(of: camera)
    #expect(got.pictures.map(\.format) == ["jpeg", "jpeg", "jpeg"])
    let converter = PictureConverter(width: 64, height: 32, fill: .letterbox)
    let levels = try got.pictures.map {
      try converter.convert($0).withPlanes { y, _, _ in y.bytes[0] }
    }
    // 16 + level * 219 / 255
    #expect(zip(levels, [50, 93, 188]).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(levels)")
    // What is no picture, the head that is broken, and the half.
    #expect(errors.current == 3 && got.problem == .writerGone, "\(errors.current)")
  }

  @Test func `a FIFO is made where there is nothing, and nothing else is taken for one`() throws {
    _ = try camera()
    var status = stat()
    #expect(stat(folder.file("fifo"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    let file = folder.file("file")
    try Data().write(to: URL(filePath: file))
    #expect(throws: SourceError.pipe("pipe:\(file)", .notFIFO)) {
      try PipeCamera(file, CameraSettings(), SourceContext()).open()
    }
    let lost = folder.file("no/such/folder")
    let why = PipeProblem.closed(reason: "No such file or directory")
    #expect(throws: SourceError.pipe("pipe:\(lost)", why)) {
      try PipeCamera(lost, CameraSettings(), SourceContext()).open()
    }
  }
}
