import BunnyMedia
import BunnySystem
import CBunnyTurboJPEG
import CSupport
import Support
import Testing

private let canCount: Bool = {
  support_count_allocations()
  return support_allocations() >= 0
}()

/// What a picture costs in allocations on its way from the camera's memory to the encoder: nothing.
@Suite(.enabled(if: canCount, "a sanitizer has its own malloc"))
struct AllocationTests {
  private static let frames = 1000

  /// Of one picture after the other, of which three are in use at a time.
  private static func allocations(
    of pictures: [Picture], to size: (Int, Int), turned turn: PictureTurn = .none
  ) throws -> Int {
    let converter = PictureConverter(width: size.0, height: size.1, fill: .letterbox)
    var held = [Picture?](repeating: nil, count: 3)
    for index in 0..<8 {  // until there are enough
      held[index % 3] = try converter.convert(pictures[index % pictures.count], turned: turn)
    }
    support_count_allocations()
    for index in 0..<frames {
      held[index % 3] = try converter.convert(pictures[index % pictures.count], turned: turn)
    }
    return support_allocations()
  }

  private static func raw(
    _ format: String, bits: Int, _ colour: FrameColour = FrameColour(.bt601, isFullRange: false)
  ) throws -> [Picture] {
    var bytes = [UInt8](repeating: 100, count: 320 * 180 * bits / 8)
    let form = FrameForm(format, width: 320, height: 180, colour)
    return try (0..<2).map { _ in
      try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))
    }
  }

  @Test(arguments: [("yuyv422", 16), ("uyvy422", 16), ("nv12", 12), ("yuv422p", 16), ("bgra", 32)])
  func `what is not compressed costs none`(_ format: String, _ bits: Int) throws {
    let pictures = try Self.raw(format, bits: bits)
    for size in [(320, 180), (426, 240), (160, 90), (160, 120), (106, 60)] {
      #expect(try Self.allocations(of: pictures, to: size) == 0, "\(size)")
    }
  }

  @Test func `what has the broadcast's colours, or is turned, costs none either`() throws {
    let pictures = try Self.raw("yuyv422", bits: 16, FrameColour(.bt709, isFullRange: false))
    #expect(try Self.allocations(of: pictures, to: (320, 180)) == 0)
    let turn = PictureTurn(.quarter, isMirrored: true)
    #expect(try Self.allocations(of: pictures, to: (180, 320), turned: turn) == 0)
  }

  @Test func `what a camera lends costs none`() throws {
    let owner = Flag()
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 320 * 180 * 2)
    defer { bytes.deallocate() }
    bytes.update(repeating: 100, count: 320 * 180 * 2)
    let form = FrameForm("yuyv422", width: 320, height: 180, .jpeg)
    var buffer = LentBuffer(bytes, count: 320 * 180 * 2, owner: owner)
    let converter = PictureConverter(width: 320, height: 180, fill: .letterbox)
    var lent = 0
    for index in -8..<Self.frames {
      if index == 0 { support_count_allocations() }
      guard buffer.isFree,
        let picture = buffer.lend(count: 320 * 180 * 2, form, time: MonotonicTime(nanoseconds: 0))
      else { continue }
      _ = try converter.convert(picture)
      lent += 1
    }
    #expect(support_allocations() == 0 && lent == Self.frames + 8)
  }

  @Test(arguments: [(320, 180), (160, 90), (426, 240)])
  func `a JPEG costs those of libjpeg-turbo`(_ size: (Int, Int)) throws {
    let picture = PicturePool(width: 320, height: 180).picture(time: .now) { y, u, v in
      for plane in [y, u, v] { plane.fill(with: 90) }
    }
    var bytes = JPEGMaker().jpeg(picture)
    let form = FrameForm(FrameForm.jpeg, width: 320, height: 180, .jpeg)
    let pictures = [try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))]
    let count = try Self.allocations(of: pictures, to: size)
    #expect(count == Self.frames * Self.allocationsOfTurboJPEG(bytes))
  }

  /// What libjpeg-turbo takes and gives back for one picture: it has no way to be told to keep it.
  private static func allocationsOfTurboJPEG(_ bytes: [UInt8]) -> Int {
    let turbo = tjInitDecompress()
    defer { tjDestroy(turbo) }
    let planes = UnsafeMutablePointer<UInt8>.allocate(capacity: 3 * 320 * 192)
    defer { planes.deallocate() }
    var starts: [UnsafeMutablePointer<UInt8>?] = (0..<3).map { planes + $0 * 320 * 192 }
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    var count = 0
    for _ in 0..<2 {  // the first one is dearer
      support_count_allocations()
      tjDecompressHeader3(turbo, bytes, UInt(bytes.count), &width, &height, &sampling, &space)
      let code = tjDecompressToYUVPlanes(
        turbo, bytes, UInt(bytes.count), &starts, width, nil, height, 0)
      count = support_allocations()
      #expect(code == 0)
    }
    return count
  }
}
