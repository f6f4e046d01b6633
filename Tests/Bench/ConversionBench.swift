import BunnyMedia
import BunnySystem
import CSupport
import Foundation
import Support

/// What it costs to make a source's picture the broadcast's, beside what the ffmpeg command does: its JPEG
/// decoder, and libswscale through RGB. Processor time of one thread, milliseconds a frame.
struct ConversionBench {
  private struct Case {
    let title: String
    /// Pixels of the source and of the broadcast.
    let from: (width: Int, height: Int)
    let to: (width: Int, height: Int)
    /// FFmpeg's name of the pixel format, or `jpeg`.
    let format: String
    var turn = PictureTurn.none

    var isJPEG: Bool { format == FrameForm.jpeg }
    var colour: FrameColour { isJPEG ? .jpeg : FrameColour(.bt601, isFullRange: false) }
  }

  private static let (hd, fullHD, vga) = ((1280, 720), (1920, 1080), (640, 480))
  private static let cases = [
    Case(title: "MJPEG 4:2:2 720p", from: hd, to: hd, format: FrameForm.jpeg),
    Case(title: "MJPEG 4:2:2 1080p to 720p", from: fullHD, to: hd, format: FrameForm.jpeg),
    Case(title: "MJPEG 4:2:2 1080p to 480p", from: fullHD, to: (854, 480), format: FrameForm.jpeg),
    Case(title: "4:2:2 720p", from: hd, to: hd, format: "yuv422p"),
    Case(title: "YUYV 720p", from: hd, to: hd, format: "yuyv422"),
    Case(title: "NV12 720p", from: hd, to: hd, format: "nv12"),
    Case(title: "NV12 1080p to 720p", from: fullHD, to: hd, format: "nv12"),
    Case(title: "YUYV 480p to 720p", from: vga, to: hd, format: "yuyv422"),
    Case(
      title: "YUYV 720p, turned by 90°", from: hd, to: (720, 1280), format: "yuyv422",
      turn: PictureTurn(.quarter)),
  ]
  private static let (frames, rounds) = (60, 5)

  func table() async throws -> ResultTable {
    let folder = try TemporaryDirectory()
    var table = ResultTable(
      title: "conversion, processor time a frame", columns: ["ours, ms", "ffmpeg's, ms"])
    for one in Self.cases {
      let line = try await line(one, in: folder)
      table.lines.append(line)
      table.goals += Goal.ratio(
        "\(one.title), of ffmpeg's", table[line.name, 0], to: table[line.name, 1], most: 1)
    }
    return table
  }

  private func line(
    _ one: Case, in folder: TemporaryDirectory
  ) async throws -> ResultTable.Line {
    say(one.title)
    var bytes = try await source(one, in: folder)
    let form = FrameForm(one.format, width: one.from.width, height: one.from.height, one.colour)
    guard let picture = Picture.copied(&bytes, count: bytes.count, form, time: .now) else {
      throw BenchFailure(70, "\(one.title): \(bytes.count) bytes are too few")
    }
    let converter = PictureConverter(
      width: one.to.width, height: one.to.height, fill: .letterbox)
    let peer = try one.turn == .none ? FFmpegWay(bytes, form, to: one.to) : nil
    var (ours, peers): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.rounds {  // in turns: other work hits both
      ours.append(
        try Self.milliseconds { _ = try converter.convert(picture, turned: one.turn) })
      if let peer { peers.append(try Self.milliseconds { try peer.convert() }) }
    }
    return ResultTable.Line(name: one.title, figures: [ours, peers])
  }

  /// A real picture of the case's form.
  private func source(_ one: Case, in folder: TemporaryDirectory) async throws -> [UInt8] {
    let path = folder.file("frame")
    let (width, height) = one.from
    let range = one.isJPEG ? "pc" : "tv"
    let pixels = one.isJPEG ? "yuvj422p" : one.format
    let output = one.isJPEG ? "-c:v mjpeg -q:v 3 -f mjpeg" : "-c:v rawvideo -f rawvideo"
    let filter =
      "scale=\(width):\(height):flags=lanczos:out_color_matrix=bt601:out_range=\(range)"
    let outcome = try await Running.toEnd(
      "ffmpeg",
      words(
        """
        -hide_banner -loglevel error -nostdin -y -ss 2 -i \(Course.source) -frames:v 1
        -vf \(filter),format=\(pixels) \(output) \(path)
        """), atMost: 60)
    guard outcome.exitStatus == 0 else {
      throw BenchFailure(69, "ffmpeg could not make a frame: \(outcome.standardError)")
    }
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private static func milliseconds(_ convert: () throws -> Void) rethrows -> Double {
    try convert()
    let before = threadSeconds
    for _ in 0..<frames { try convert() }
    return (threadSeconds - before) / Double(frames) * 1000
  }

  private static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// As the ffmpeg command does it.
private final class FFmpegWay {
  private let raw: OpaquePointer

  init(_ bytes: [UInt8], _ form: FrameForm, to size: (width: Int, height: Int)) throws {
    let raw = support_ffmpeg_way_new(
      form.format, bytes, Int32(bytes.count), Int32(form.width), Int32(form.height),
      Int32(size.width), Int32(size.height))
    guard let raw else { throw BenchFailure(69, "FFmpeg's libraries refuse \(form)") }
    self.raw = raw
  }

  deinit { support_ffmpeg_way_free(raw) }

  func convert() throws {
    guard support_ffmpeg_way_convert(raw) == 0 else {
      throw BenchFailure(70, "FFmpeg's libraries do not convert the picture")
    }
  }
}
