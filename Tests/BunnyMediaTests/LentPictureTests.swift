import BunnyMedia
import BunnySystem
import Synchronization
import Testing

@Suite struct LentPictureTests {
  private final class Count: Sendable {
    private let value = Atomic(0)
    func add() { value.add(1, ordering: .relaxed) }
    var now: Int { value.load(ordering: .relaxed) }
  }

  private static let limited = FrameColour(.bt601, isFullRange: false)

  @Test func `memory is given back when the last who holds the picture lets go`() throws {
    let released = Count()
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64 * 64 * 2 + 64)
    defer { bytes.deallocate() }
    let form = FrameForm("yuyv422", width: 64, height: 64, Self.limited)
    var picture = Picture.lent(bytes, count: 64 * 64 * 2, form, time: .now) { released.add() }
    var other = picture
    #expect(picture?.format == "yuyv422" && released.now == 0)
    picture = nil
    #expect(other != nil && released.now == 0)
    other = nil
    #expect(released.now == 1)
    #expect(Picture.lent(bytes, count: 100, form, time: .now) { released.add() } == nil)
    #expect(released.now == 2)
    #expect(Picture.copied(bytes, count: 64 * 64 * 2 - 1, form, time: .now) == nil)
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
