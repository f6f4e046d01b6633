import BunnyCapture
import BunnyMedia
import BunnySystem
import Testing

struct FrameMarkTests {
  @Test func `the check sum is CRC-16 CCITT-FALSE`() {
    #expect(FrameMark.checksum("123456789".utf8) == 0x29B1)
  }

  @Test(arguments: [(1280, 720), (854, 480), (426, 240), (480, 854), (1920, 1080), (100, 64)])
  func `what is drawn is read back at any size`(width: Int, height: Int) {
    let marks = [
      FrameMark(number: 0, milliseconds: 0),
      FrameMark(number: 1_073_741_823, milliseconds: 4_398_046_511_103),
      FrameMark(number: 123_456_789, milliseconds: 1_796_010_512_767),
    ]
    for mark in marks { #expect(read(mark, width: width, height: height) == mark) }
  }

  @Test func `the blocks are the documented ones`() {
    let mark = FrameMark(number: 1, milliseconds: 1)
    let width = 920
    picture(mark, width, 160).withPlanes { y, _, _ in
      let row = y.bytes + 155 * y.stride
      let white = (0..<92).filter { row[$0 * 10 + 5] == 235 }
      let black = (0..<92).filter { row[$0 * 10 + 5] == 16 }
      #expect(white.count + black.count == 92)
      // The marker's first, bit 30 of the number, bit 42 of the time, the sum, the marker's last.
      #expect(white.filter { $0 < 74 || $0 > 89 } == [0, 31, 73, 91])
      let sum = (74..<90).reduce(UInt16(0)) { $0 << 1 | (white.contains($1) ? 1 : 0) }
      // 30 + 42 bits: 00000000 00000000 00000000 000001|00 … 00000001
      #expect(sum == FrameMark.checksum([0, 0, 0, 4, 0, 0, 0, 0, 1]))
    }
  }

  @Test func `a damaged row is not read`() {
    let picture = picture(FrameMark(number: 77, milliseconds: 1_796_010_512_767), 920, 160)
    picture.withPlanes { y, _, _ in
      for row in 150..<160 {
        let block = y.bytes + row * y.stride + 200
        for x in 0..<10 { block[x] = 251 - block[x] }
      }
      #expect(FrameMark.read(from: y) == nil)
    }
  }

  @Test func `a picture without a row has no mark`() {
    let grey = PicturePool(width: 1280, height: 720).picture(time: .now) { y, _, _ in
      for row in 0..<y.height { (y.bytes + row * y.stride).update(repeating: 100, count: y.width) }
    }
    #expect(grey.withPlanes { y, _, _ in FrameMark.read(from: y) } == nil)
  }

  @Test func `a low contrast row is read all the same`() {
    let mark = FrameMark(number: 5, milliseconds: 6)
    let picture = picture(mark, 1280, 720)
    picture.withPlanes { y, _, _ in
      for row in 600..<720 {
        for x in 0..<1280 { y.bytes[row * y.stride + x] = 100 + y.bytes[row * y.stride + x] / 4 }
      }
      #expect(FrameMark.read(from: y) == mark)
    }
  }

  @Test func `numbers go on counting where they start again`() {
    let last = FrameMark(number: 1 << 30 - 1, milliseconds: 0)
    #expect(FrameMark(number: 2, milliseconds: 0) - last == 3)
    #expect(last - FrameMark(number: 2, milliseconds: 0) == -3)
    #expect(FrameMark(number: 9, milliseconds: 0) - FrameMark(number: 9, milliseconds: 0) == 0)
  }

  private func read(_ mark: FrameMark, width: Int, height: Int) -> FrameMark? {
    picture(mark, width, height).withPlanes { y, _, _ in FrameMark.read(from: y) }
  }

  private func picture(_ mark: FrameMark, _ width: Int, _ height: Int) -> Picture {
    PicturePool(width: width, height: height).picture(time: .now) { y, _, _ in
      for row in 0..<y.height { (y.bytes + row * y.stride).update(repeating: 40, count: y.width) }
      mark.draw(into: y)
    }
  }
}
