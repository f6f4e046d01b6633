import BunnyMedia
import BunnySystem
import Testing

@Suite struct LentPictureTests {
  private static let limited = FrameColour(.bt601, isFullRange: false)

  @Test func `memory is free when the last who holds the picture lets go, and lent again then`()
    throws
  {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64 * 64 * 2 + 64)
    defer { bytes.deallocate() }
    let form = FrameForm("yuyv422", width: 64, height: 64, Self.limited)
    let owner = Flag()
    var buffer = LentBuffer(bytes, count: 64 * 64 * 2 + 64, owner: owner)
    for number: Int64 in 0..<3 {
      let time = MonotonicTime(nanoseconds: number)
      var picture = buffer.lend(from: 64, count: 64 * 64 * 2, form, time: time)
      #expect(picture?.format == "yuyv422" && picture?.time == time)
      var other = picture
      picture = nil
      #expect(!isFree(&buffer))
      var stamped = other?.stamped(time)  // another picture over the same memory
      other = nil
      #expect(stamped != nil && !isFree(&buffer))
      stamped = nil
      #expect(isFree(&buffer))
    }
    #expect(lend(&buffer, count: 64 * 64 * 2 - 1, form) == nil && isFree(&buffer))
    #expect(Picture.copied(bytes, count: 64 * 64 * 2 - 1, form, time: .now) == nil)
    let jpeg = FrameForm(FrameForm.jpeg, width: 64, height: 64, .jpeg)
    #expect(lend(&buffer, count: 100, jpeg)?.format == "jpeg")
    #expect(lend(&buffer, count: 64 * 64 * 2, form)?.format == "yuyv422")
  }

  @Test func `whose memory it is stays as long as the picture`() {
    final class Owner: Sendable {}
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
    defer { bytes.deallocate() }
    let form = FrameForm("gray", width: 8, height: 8, Self.limited)
    weak var owner: Owner?
    var buffer: LentBuffer?
    do {
      let made = Owner()
      (owner, buffer) = (made, LentBuffer(bytes, count: 64, owner: made))
    }
    var picture = buffer?.lend(count: 64, form, time: .now)
    buffer = nil
    #expect(picture != nil && owner != nil)
    picture = nil
    #expect(owner == nil)
  }

  private func isFree(_ buffer: inout LentBuffer) -> Bool { buffer.isFree }

  private func lend(_ buffer: inout LentBuffer, count: Int, _ form: FrameForm) -> Picture? {
    buffer.lend(count: count, form, time: .now)
  }

  @Test(arguments: [
    (FrameForm("yuyv422", width: 640, height: 360, limited), 460_800),
    (FrameForm("nv12", width: 640, height: 360, limited), 345_600),
    (FrameForm("nv12", width: 640, height: 360, stride: 704, limited), 380_160),
    (FrameForm("yuv420p", width: 640, height: 360, stride: 704, limited), 380_160),
    (FrameForm("gray16le", width: 160, height: 120, limited), 38_400),
    (FrameForm("nosuch", width: 640, height: 360, limited), nil),
    (FrameForm("nv12", width: 0, height: 360, limited), nil),
    (FrameForm("nv12", width: 640, height: 1 << 30, limited), nil),
  ])
  func `a form knows how many bytes it takes`(_ form: FrameForm, _ count: Int?) {
    #expect(form.byteCount == count)
  }

  /// What one colour of a camera becomes in the broadcast.
  private func converted(
    _ y: UInt8, _ u: UInt8, _ v: UInt8, _ colour: FrameColour, _ size: (Int, Int) = (320, 180)
  ) throws -> [Int] {
    let count = size.0 * size.1 * 2
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    defer { bytes.deallocate() }
    for pair in 0..<(count / 4) {
      (bytes[4 * pair], bytes[4 * pair + 1]) = (y, u)
      (bytes[4 * pair + 2], bytes[4 * pair + 3]) = (y, v)
    }
    let form = FrameForm("yuyv422", width: size.0, height: size.1, colour)
    let picture = try #require(Picture.copied(bytes, count: count, form, time: .now))
    let out = try PictureConverter(width: 320, height: 180, fill: .letterbox).convert(picture)
    func middle(_ plane: Picture.Plane) -> Int {
      Int(plane.bytes[plane.height / 2 * plane.stride + plane.width / 2])
    }
    return out.withPlanes { y, u, v in [middle(y), middle(u), middle(v)] }
  }

  private func near(_ levels: [Int], _ expected: [Int]) -> Bool {
    zip(levels, expected).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test func `range and matrix are told truthfully to the converter`() throws {
    #expect(near(try converted(235, 128, 128, Self.limited), [235, 128, 128]))
    let full = FrameColour(.bt601, isFullRange: true)
    #expect(near(try converted(255, 128, 128, full), [235, 128, 128]))
    #expect(near(try converted(0, 128, 128, full), [16, 128, 128]))
    // Red: in BT.601 limited it is (81, 90, 240), in BT.709 limited (63, 102, 240).
    #expect(near(try converted(81, 90, 240, Self.limited), [63, 102, 240]))
    let hd = FrameColour(.bt709, isFullRange: false)
    #expect(near(try converted(63, 102, 240, hd), [63, 102, 240]))
    // Nobody says: by its size.
    let unknown = FrameColour(nil, isFullRange: false)
    #expect(near(try converted(81, 90, 240, unknown), [63, 102, 240]))
    #expect(near(try converted(63, 102, 240, unknown, (1280, 720)), [63, 102, 240]))
  }
}
