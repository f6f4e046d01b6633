import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct JPEGDecoderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// One frame as a webcam makes it.
  private func jpeg(
    _ pixelFormat: String = "yuvj422p", _ size: String = "320x180", of source: String = "testsrc"
  ) async throws -> [UInt8] {
    let path = folder.file("\(pixelFormat)-\(size).jpg")
    let made = try await ChildProcess.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "\(source)=size=\(size)", "-frames:v", "1",
        "-pix_fmt", pixelFormat, "-c:v", "mjpeg", "-q:v", "3", path,
      ])
    try #require(made.exitStatus == 0, "\(made)")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func decode(_ bytes: [UInt8], by decoder: JPEGDecoder = JPEGDecoder()) throws -> Picture {
    try bytes.withUnsafeBytes {
      try decoder.decode($0, time: MonotonicTime(nanoseconds: 5))
    }
  }

  private func fault(_ bytes: [UInt8]) -> JPEGScan.Fault? {
    do {
      _ = try bytes.withUnsafeBytes { try JPEGScan.length($0) }
      return nil
    } catch { return error as? JPEGScan.Fault }
  }

  @Test(arguments: [
    ("yuvj422p", "320x180", "yuv422p"), ("yuvj420p", "320x180", "yuv420p"),
    ("yuvj444p", "320x180", "yuv444p"), ("yuvj420p", "321x181", "yuv420p"),
    ("yuvj422p", "161x91", "yuv422p"),
  ])
  func `it decodes what FFmpeg decodes`(
    _ made: String, _ size: String, _ decoded: String
  ) async throws {
    let picture = try decode(try await jpeg(made, size))
    #expect("\(picture.width)x\(picture.height)" == size && picture.format == decoded)
    #expect(picture.time.nanoseconds == 5)
    let converter = PictureConverter(width: 320, height: 180, fill: .letterbox)
    let ours = try converter.convert(picture)
    let demuxer = try Demuxer(folder.file("\(made)-\(size).jpg"))
    let decoder = try Decoder(try #require(demuxer.video))
    let packet = try #require(try demuxer.next()?.packet)
    var theirs = decoder.pictures(packet, at: .now)
    theirs += decoder.pictures(nil, at: .now)
    #expect(largestDifference(ours, try converter.convert(try #require(theirs.first))) <= 4)
  }

  private func largestDifference(_ one: Picture, _ other: Picture) -> Int {
    one.withPlanes { y, _, _ in
      other.withPlanes { other, _, _ in
        var largest = 0
        for row in 0..<y.height {
          for column in 0..<y.width {
            let difference =
              Int(y.bytes[row * y.stride + column])
              - Int(other.bytes[row * other.stride + column])
            largest = max(largest, abs(difference))
          }
        }
        return largest
      }
    }
  }

  @Test func `what is not one whole picture is refused, and says why`() async throws {
    let whole = try await jpeg()
    #expect(fault(whole) == nil)
    #expect(fault([]) == .empty)
    #expect(fault([UInt8](repeating: 0, count: 5000)) == .empty)
    #expect(fault(Array(whole.dropFirst(2))) == .noStart)
    #expect(fault(Array(whole[..<(whole.count / 2)])) == .noEnd)
    #expect(fault(Array(whole.dropLast(2))) == .noEnd)
    #expect(fault(Array(whole[..<100])) == .noEnd)
    #expect(fault(whole + whole) == .twoPictures)
    #expect(fault(whole + [0xFF, 0xD9]) == .twoPictures)
    #expect(fault([0xFF, 0xD8, 0, 0, 0, 0]) == .brokenHead)
    for length in stride(from: 0, to: whole.count - 1, by: 7) {
      #expect(throws: JPEGDecoder.Failure.self) { try decode(Array(whole[..<length])) }
    }
  }

  @Test func `padding behind it, and an end marker in its head, are no fault`() async throws {
    let whole = try await jpeg()
    #expect(try decode(whole + [UInt8](repeating: 0, count: 4096)).width == 320)
    let comment: [UInt8] = [0xFF, 0xFE, 0, 6, 0xFF, 0xD8, 0xFF, 0xD9]
    #expect(try decode(Array(whole[..<2]) + comment + whole[2...]).width == 320)
    // Many webcams put bytes too many before the end.
    #expect(try decode(whole.dropLast(2) + [0x12, 0x34, 0xFF, 0xD9]).width == 320)
  }

  @Test func `holes in its samples are noticed`() async throws {
    var bytes = try await jpeg()
    bytes.replaceSubrange((bytes.count / 2)..<(bytes.count - 2), with: [])
    #expect(throws: JPEGDecoder.Failure.self) { try decode(bytes) }
  }

  @Test func `bytes too many before a marker in its middle are a loss`() async throws {
    let path = folder.file("restarts.jpg")
    // Slices, each with a restart marker behind it.
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=size=320x180", "-frames:v", "1", "-pix_fmt", "yuvj420p",
      "-threads", "4", "-thread_type", "slice", "-slices", "4", "-c:v", "mjpeg", path,
    ]) { _ in }
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    #expect(try decode(bytes).width == 320)
    let marker = try #require(
      bytes.indices.dropLast().last { bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1]) })
    bytes.insert(contentsOf: [0x12, 0x34, 0x56, 0x78], at: marker)
    #expect(throws: JPEGDecoder.Failure.self) { try decode(bytes) }
  }

  @Test func `a head that claims many times the agreed size is refused`() async throws {
    var bytes = try await jpeg()
    let head = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    bytes.replaceSubrange((head + 5)..<(head + 9), with: [0x3E, 0x80, 0x3E, 0x80])  // 16000x16000
    let form = FrameForm(FrameForm.jpeg, width: 320, height: 180, .jpeg)
    let picture = try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))
    let converter = PictureConverter(width: 320, height: 180, fill: .crop)
    let error = #expect(throws: JPEGDecoder.Failure.self) { try converter.convert(picture) }
    #expect(error?.description.contains("16000x16000") == true)
  }

  @Test func `a camera's buffer is decoded where it is converted, and goes back after that`()
    async throws
  {
    let whole = try await jpeg("yuvj422p")
    let converter = PictureConverter(width: 240, height: 136, fill: .crop)
    let expected = try converter.convert(try decode(whole))
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: whole.count)
    defer { bytes.deallocate() }
    bytes.initialize(from: whole, count: whole.count)
    let form = FrameForm(FrameForm.jpeg, width: 320, height: 180, .jpeg)
    var buffer = LentBuffer(bytes, count: whole.count, owner: Flag())
    var picture = buffer.lend(count: whole.count, form, time: expected.time)
    #expect(picture?.format == "jpeg" && picture?.width == 320 && picture?.height == 180)
    let converted = try converter.convert(try #require(picture))
    #expect(converted.time == expected.time && largestDifference(converted, expected) == 0)
    var isFree = buffer.isFree
    #expect(!isFree)
    picture = nil
    isFree = buffer.isFree
    #expect(isFree)
  }

  @Test(arguments: ["yuvj422p", "yuvj420p", "yuvj444p"], [2, 4])
  func `what is larger than the broadcast is shrunk while it is decoded, and looks the same`(
    _ pixelFormat: String, _ divisor: Int
  ) async throws {
    var bytes = try await jpeg(pixelFormat, "1280x720", of: "mandelbrot")
    let size = (width: 1280 / divisor, height: 720 / divisor)
    let form = FrameForm(FrameForm.jpeg, width: 1280, height: 720, .jpeg)
    let picture = try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))
    let converter = PictureConverter(width: size.width, height: size.height, fill: .letterbox)
    let shrunk = try converter.convert(picture)
    let scaled = try converter.convert(try decode(bytes))
    let likeness = likeness(shrunk, scaled)
    #expect(likeness.y > 34 && likeness.u > 34 && likeness.v > 34, "\(likeness)")
  }

  @Test(arguments: ["yuvj422p", "yuvj420p", "yuvj444p", "yuvj440p", "yuvj411p"])
  func `odd edges are shrunk too`(_ pixelFormat: String) async throws {
    let bytes = try await jpeg(pixelFormat, "323x181")
    let picture = try bytes.withUnsafeBytes {
      try JPEGDecoder().decode($0, time: .now) { width, height in
        width == 323 && height == 181 ? 2 : 1
      }
    }
    #expect(picture.width == 162 && picture.height == 91)
  }

  /// PSNR of each plane in dB.
  private func likeness(_ one: Picture, _ other: Picture) -> (y: Double, u: Double, v: Double) {
    func likeness(_ one: Picture.Plane, _ other: Picture.Plane) -> Double {
      var sum = 0.0
      for row in 0..<one.height {
        for column in 0..<one.width {
          let level = Double(one.bytes[row * one.stride + column])
          let difference = level - Double(other.bytes[row * other.stride + column])
          sum += difference * difference
        }
      }
      return 10 * log10(255 * 255 * Double(one.width * one.height) / max(sum, 1))
    }
    return one.withPlanes { y, u, v in
      other.withPlanes { (likeness(y, $0), likeness(u, $1), likeness(v, $2)) }
    }
  }

  @Test func `one that cannot be decoded says so, and spoils nothing that comes after`()
    async throws
  {
    let whole = try await jpeg()
    var holed = whole
    holed.replaceSubrange((whole.count / 2)..<(whole.count - 2), with: [])
    let converter = PictureConverter(width: 320, height: 180, fill: .crop)
    func convert(_ bytes: [UInt8], isFullRange: Bool = true) throws -> Picture {
      var bytes = bytes
      let colour = FrameColour(.bt601, isFullRange: isFullRange)
      let form = FrameForm(FrameForm.jpeg, width: 320, height: 180, colour)
      let picture = Picture.copied(&bytes, count: bytes.count, form, time: .now)
      return try converter.convert(try #require(picture))
    }
    let before = try convert(whole)
    #expect(throws: JPEGDecoder.Failure.self) { try convert(holed) }
    #expect(largestDifference(try convert(whole), before) == 0)
    // The user knows better what the samples mean.
    #expect(largestDifference(try convert(whole, isFullRange: false), before) > 5)
  }

  @Test func `the size may change, and what was decoded stays as it was`() async throws {
    let decoder = JPEGDecoder()
    let first = try decode(try await jpeg("yuvj420p"), by: decoder)
    let before = first.withPlanes { y, _, _ in y.bytes[90 * y.stride + 100] }
    let other = try decode(try await jpeg("yuvj422p", "640x360"), by: decoder)
    let black = try decode(try await jpeg("yuvj420p", "322x180"), by: decoder)
    #expect(other.width == 640 && black.width == 322)
    #expect(first.withPlanes { y, _, _ in y.bytes[90 * y.stride + 100] } == before)
  }
}
