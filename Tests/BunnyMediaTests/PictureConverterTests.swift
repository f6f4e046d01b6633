import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// Bars of known colours, in all the forms that sources come in.
@Suite struct PictureConverterTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Red, green and blue of eight bars, 0 to 255.
  private static let bars: [(r: Double, g: Double, b: Double)] = [
    (191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0),
    (0, 0, 191), (0, 0, 0),
  ]

  /// One form of source: how `ffmpeg` makes it, and its file's ending.
  struct Form: CustomTestStringConvertible, Sendable {
    let name: String
    let size: (Int, Int)
    let options: [String]
    let ending: String
    var testDescription: String { name }
  }

  static let forms = [
    Form(
      name: "601 limited, untagged, below 720 lines", size: (640, 480),
      options: [
        "-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p", "-c:v", "rawvideo",
      ],
      ending: "nut"),
    Form(
      name: "709 limited, untagged, 720 lines", size: (1280, 720),
      options: [
        "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv422p", "-c:v", "rawvideo",
      ],
      ending: "nut"),
    Form(
      name: "a webcam's JPEG: 601 full range, 4:2:2", size: (1280, 720),
      options: [
        "-vf", "scale=out_color_matrix=bt601:out_range=pc,format=yuvj422p", "-c:v", "mjpeg", "-q:v",
        "1",
      ],
      ending: "avi"),
    Form(
      name: "RGB", size: (800, 600), options: ["-c:v", "png"], ending: "mkv"),
    Form(
      name: "601 that says so, 1080 lines, 10 bits", size: (1920, 1080),
      options: [
        "-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p10le", "-c:v", "ffv1",
        "-colorspace", "smpte170m", "-color_range", "tv",
      ], ending: "mkv"),
    Form(
      name: "YUYV, full range", size: (1280, 720),
      options: [
        "-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuv422p", "-c:v", "ffv1",
        "-colorspace", "bt709", "-color_range", "pc",
      ], ending: "mkv"),
    raw("nv12", (1920, 1080)), raw("uyvy422", (640, 360)), raw("yuv420p", (2560, 1440)),
    raw("yuyv422", (1920, 1080)), raw("nv12", (2560, 1440)),
  ]

  /// 601 that says so, to be shrunk, enlarged and halved.
  private static func raw(_ format: String, _ size: (Int, Int)) -> Form {
    Form(
      name: "\(format), \(size.1) lines", size: size,
      options: [
        "-vf", "scale=out_color_matrix=bt601:out_range=tv,format=\(format)", "-c:v", "rawvideo",
        "-colorspace", "smpte170m", "-color_range", "tv", "-allow_raw_vfw", "1",
      ], ending: "mkv")
  }

  @Test(arguments: forms) func `colours stay true within three levels`(form: Form) throws {
    let picture = try #require(try decode(form).first)
    let converter = PictureConverter(width: 1280, height: 720, fill: .crop)
    let converted = try converter.convert(picture)
    #expect(converted.format == "yuv420p")
    #expect(converted.width == 1280 && converted.height == 720)
    for (index, bar) in Self.bars.enumerated() {
      let x = (2 * index + 1) * 1280 / 16
      let seen = converted.withPlanes { y, u, v in
        (
          Double(y.bytes[360 * y.stride + x]), Double(u.bytes[180 * u.stride + x / 2]),
          Double(v.bytes[180 * v.stride + x / 2])
        )
      }
      let wanted = Self.bt709(bar)
      #expect(abs(seen.0 - wanted.0) <= 3, "bar \(index) luma")
      #expect(abs(seen.1 - wanted.1) <= 3, "bar \(index) blue")
      #expect(abs(seen.2 - wanted.2) <= 3, "bar \(index) red")
    }
  }

  @Test func `a picture in the broadcast's own form is handed on, not copied`() throws {
    let picture = PicturePool(width: 64, height: 64).picture(time: .now) { y, u, v in
      for plane in [y, u, v] {
        plane.bytes.update(repeating: 128, count: plane.stride * plane.height)
      }
    }
    let converter = PictureConverter(width: 64, height: 64, fill: .letterbox)
    #expect(try converter.convert(picture) === picture)
  }

  @Test func `a form that is refused spoils nothing that comes after`() throws {
    let pictures = try decode(Self.forms[0])
    let odd = try decode(
      Form(
        name: "palette", size: (640, 480),
        options: ["-vf", "format=gray", "-pix_fmt", "monob", "-c:v", "rawvideo"], ending: "nut"))
    let converter = PictureConverter(width: 1280, height: 720, fill: .crop)
    for picture in [pictures[0], try #require(odd.first), pictures[0]] {
      guard let converted = try? converter.convert(picture) else { continue }
      #expect(converted.width == 1280 && converted.height == 720)
      #expect(converted.format == "yuv420p")
    }
  }

  @Test func `bars beside a narrow picture are black, and its time is kept`() throws {
    let form = Form(
      name: "4:3", size: (640, 480), options: ["-pix_fmt", "yuv420p", "-c:v", "rawvideo"],
      ending: "nut")
    let picture = try #require(try decode(form).first)
    let converted = try PictureConverter(width: 1280, height: 720, fill: .letterbox)
      .convert(picture)
    #expect(converted.time == picture.time)
    converted.withPlanes { y, u, v in
      for x in [0, 80, 158, 1122, 1279] {
        #expect(y.bytes[360 * y.stride + x] == 16)
        #expect(u.bytes[180 * u.stride + x / 2] == 128 && v.bytes[180 * v.stride + x / 2] == 128)
      }
      #expect(y.bytes[360 * y.stride + 170] > 150)
    }
  }

  @Test(arguments: ["rgb24", "yuv420p", "yuyv422", "yuv420p10le", "gray"])
  func `bars are black to the last pixel, whatever the picture's width`(format: String) throws {
    for size in [(1080, 1920), (768, 1366), (1280, 1024), (322, 240)] {
      let form = Form(
        name: format, size: size, options: ["-pix_fmt", format, "-c:v", "rawvideo"],
        ending: "nut")
      let converter = PictureConverter(width: 1280, height: 720, fill: .letterbox)
      let converted = try converter.convert(try #require(try decode(form).first))
      let (left, right) = (converter.area.x, converter.area.x + converter.area.width)
      converted.withPlanes { y, u, v in
        for (plane, black, scale) in [(y, UInt8(16), 1), (u, 128, 2), (v, 128, 2)] {
          let stained = (0..<plane.height).reduce(0) { sum, row in
            let line = plane.bytes + row * plane.stride
            return sum
              + (0..<plane.width).count { column in
                !(left / scale..<right / scale).contains(column) && line[column] != black
              }
          }
          #expect(stained == 0, "\(format) \(size)")
        }
      }
    }
  }

  /// What BT.709 says of a colour, limited range.
  private static func bt709(_ colour: (r: Double, g: Double, b: Double)) -> (Double, Double, Double)
  {
    let (r, g, b) = (colour.r / 255, colour.g / 255, colour.b / 255)
    let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return (16 + 219 * luma, 128 + 224 * (b - luma) / 1.8556, 128 + 224 * (r - luma) / 1.5748)
  }

  private func decode(_ form: Form) throws -> [Picture] {
    let path = folder.file("bars.\(form.ending)")
    let (width, height) = form.size
    var frame = Data(capacity: width * height * 3)
    let row = (0..<width).flatMap { x in
      let bar = Self.bars[x * 8 / width]
      return [UInt8(bar.r), UInt8(bar.g), UInt8(bar.b)]
    }
    for _ in 0..<height { frame.append(contentsOf: row) }
    try ffmpeg(
      [
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "\(width)x\(height)", "-framerate", "25", "-i",
        "pipe:0",
      ]
        + form.options + [path]
    ) { pipe in
      _ = frame.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
    }
    let demuxer = try Demuxer(path)
    let decoder = try Decoder(try #require(demuxer.video))
    var pictures: [Picture] = []
    while let (_, packet) = try demuxer.next() {
      pictures += decoder.pictures(packet, at: MonotonicTime(nanoseconds: 0))
    }
    return pictures + decoder.pictures(nil, at: MonotonicTime(nanoseconds: 0))
  }
}
