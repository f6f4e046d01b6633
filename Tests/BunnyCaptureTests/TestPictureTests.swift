import BunnyCapture
import BunnyMedia
import BunnySystem
import Testing

struct TestPictureTests {
  static let sizes = [
    (64, 64), (64, 640), (640, 64), (66, 98), (98, 66), (126, 72), (242, 136), (426, 240),
    (480, 854), (854, 480), (1080, 1920), (1918, 1078),
  ]

  @Test(arguments: sizes)
  func `any even size is drawn, and nothing outside it`(width: Int, height: Int) throws {
    let planes = Guarded(width: width, height: height)
    let pattern = TestPattern(width: width, height: height, grid: thirty)
    for index in [0, 1, 59, 60, 119] {
      let mark = FrameMark(number: UInt32(index), milliseconds: 1_796_010_512_767)
      planes.draw { pattern.draw(Int64(index), mark: mark, y: $0, u: $1, v: $2) }
      #expect(planes.isIntact)
      if width >= 426 && height >= 64 {
        #expect(planes.read { FrameMark.read(from: $0) } == mark)
      }
    }
  }

  @Test(arguments: [(1280, 720), (480, 854), (426, 240), (64, 64)])
  func `the bars have the documented levels`(width: Int, height: Int) {
    let pattern = TestPattern(width: width, height: height, grid: thirty)
    PicturePool(width: width, height: height).picture(time: .now) { y, u, v in
      pattern.draw(0, mark: FrameMark(number: 0, milliseconds: 0), y: y, u: u, v: v)
    }.withPlanes { y, u, v in
      for (index, bar) in TestPictureLayout.bars.enumerated() {
        let area = pattern.layout.bar(index)
        for x in [area.x, area.x + area.width - 1] {
          let row = area.y + area.height / 2
          #expect(y.bytes[row * y.stride + x] == bar.y, "\(bar.name)")
          #expect(u.bytes[row / 2 * u.stride + x / 2] == bar.u, "\(bar.name)")
          #expect(v.bytes[row / 2 * v.stride + x / 2] == bar.v, "\(bar.name)")
        }
      }
    }
  }

  @Test func `the bars are 75 percent in bt709, limited range`() {
    for (index, bar) in TestPictureLayout.bars.enumerated() {
      let code = 7 - index  // green, red, blue from the highest bit
      let (g, r, b) = (level(code, 2), level(code, 1), level(code, 0))
      let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
      #expect(bar.y == UInt8((16 + 219 * y).rounded()), "\(bar.name)")
      #expect(bar.u == UInt8((128 + 224 * (b - y) / 1.8556).rounded()), "\(bar.name)")
      #expect(bar.v == UInt8((128 + 224 * (r - y) / 1.5748).rounded()), "\(bar.name)")
    }
  }

  @Test(arguments: [
    Timebase(30, 1), Timebase(60, 1), Timebase(25, 1), Timebase(30000, 1001), Timebase(15, 1),
    Timebase(5, 1),
  ])
  func `it flashes in the frame nearest to each whole second, for a tenth`(rate: Timebase) {
    let grid = SourceGrid(before: MonotonicTime(nanoseconds: 7_654_321_000), rate: rate)
    let pattern = TestPattern(width: 64, height: 64, grid: grid)
    let count = Int64(rate.value * 100)
    let onsets = (0..<count).filter {
      pattern.isFlash($0) && ($0 == 0 || !pattern.isFlash($0 - 1))
    }
    let nearest = (0..<100).map { Int64((Double($0) * rate.value).rounded()) }
    #expect(onsets == nearest.filter { $0 < count })
    let lit = (0..<count).count { pattern.isFlash($0) }
    #expect(lit == onsets.count * Int(max(1, (rate.value / 10).rounded())))
  }

  @Test func `the first picture is there at once, the others come in their time`() throws {
    let source = TestPicture(width: 64, height: 64, frameRate: Timebase(100, 1))
    let start = MonotonicTime.now
    let pictures = (0..<5).compactMap { _ in source.next().map { ($0.time, MonotonicTime.now) } }
    #expect(pictures.count == 5)
    #expect(start - pictures[0].0 < .milliseconds(10))
    #expect(pictures[0].0.nanoseconds % .milliseconds(10) == 0)
    #expect(pictures.allSatisfy { time, delivered in delivered >= time })
    for (earlier, later) in zip(pictures, pictures.dropFirst()) {
      #expect(later.0 - earlier.0 == .milliseconds(10))
    }
  }

  @Test func `a cancelled source ends`() {
    let source = TestPicture(width: 64, height: 64, frameRate: Timebase(1, 3600))
    #expect(source.next() != nil)
    source.cancel()
    #expect(source.next() == nil)
  }

  private let thirty = SourceGrid(
    before: MonotonicTime(nanoseconds: 5_000_000_000), rate: Timebase(30, 1))

  private func level(_ code: Int, _ bit: Int) -> Double { code >> bit & 1 == 1 ? 0.75 : 0 }
}

struct SourceGridTests {
  private let start = MonotonicTime(nanoseconds: 3_000_000_000)

  @Test func `it starts at the last whole second`() {
    let grid = SourceGrid(before: start + 999_999_999, rate: Timebase(30, 1))
    #expect(grid.start == start)
    #expect(grid.time(of: 1) - start == 33_333_333)
    #expect(grid.time(of: 30) - start == 1_000_000_000)
  }

  @Test func `after weeks its moments are still exact`() {
    let grid = SourceGrid(before: start, rate: Timebase(30000, 1001))
    let index: Int64 = 30000 * 5000  // 5,005,000 s: 58 days
    #expect(grid.time(of: index) - start == 5_005_000 * 1_000_000_000)
    #expect(grid.last(before: grid.time(of: index)) == index)
    #expect(grid.last(before: grid.time(of: index) + -1) == index - 1)
  }

  @Test func `the next moment follows, unless more than a second was missed`() {
    let grid = SourceGrid(before: start, rate: Timebase(10, 1))
    #expect(grid.next(after: nil, now: start + .milliseconds(250)) == 2)
    #expect(grid.next(after: 2, now: start + .milliseconds(260)) == 3)
    #expect(grid.next(after: 2, now: start + .milliseconds(1300)) == 3)
    #expect(grid.next(after: 2, now: start + .milliseconds(1301)) == 13)
  }
}

/// Three planes with a margin all round that must not change.
private final class Guarded {
  private let planes: [GuardedPlane]

  init(width: Int, height: Int) {
    planes = [
      GuardedPlane(width, height), GuardedPlane(width / 2, height / 2),
      GuardedPlane(width / 2, height / 2),
    ]
  }

  func draw(_ body: (Picture.Plane, Picture.Plane, Picture.Plane) -> Void) {
    body(planes[0].plane, planes[1].plane, planes[2].plane)
  }

  func read<Result>(_ body: (Picture.Plane) -> Result) -> Result { body(planes[0].plane) }

  var isIntact: Bool { planes.allSatisfy(\.isIntact) }
}

private final class GuardedPlane {
  let plane: Picture.Plane
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private static let margin = 64
  private static let untouched: UInt8 = 201

  init(_ width: Int, _ height: Int) {
    let stride = width + 2 * Self.margin
    memory = .allocate(capacity: stride * (height + 2 * Self.margin))
    memory.initialize(repeating: Self.untouched)
    plane = Picture.Plane(
      over: memory.baseAddress! + Self.margin * (stride + 1), stride: stride, width: width,
      height: height)
  }

  deinit { memory.deallocate() }

  var isIntact: Bool {
    let above = Self.margin * plane.stride
    let below = memory.count - above
    let sides = (0..<plane.height).allSatisfy { row in
      let start = above + row * plane.stride
      return isUntouched(start..<(start + Self.margin))
        && isUntouched((start + Self.margin + plane.width)..<(start + plane.stride))
    }
    return sides && isUntouched(0..<above) && isUntouched(below..<memory.count)
  }

  private func isUntouched(_ range: Range<Int>) -> Bool {
    memory[range].allSatisfy { $0 == Self.untouched }
  }
}
