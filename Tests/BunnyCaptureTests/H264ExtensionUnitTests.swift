import BunnyCapture
import Testing

@Suite struct H264ExtensionUnitTests {
  private static let h264: [UInt8] = [
    0x41, 0x76, 0x9E, 0xA2, 0x04, 0xDE, 0xE3, 0x47, 0x8B, 0x2B, 0xF4, 0x34, 0x1A, 0xFF, 0x00, 0x3B,
  ]
  private static let other = [UInt8](h264.reversed())

  private static func videoControl(_ number: UInt8) -> [UInt8] {
    [9, 0x04, number, 0, 1, 0x0E, 0x01, 0, 0]
  }
  private static let audioControl: [UInt8] = [9, 0x04, 2, 0, 0, 0x01, 0x01, 0, 0]
  private static func unit(_ id: UInt8, _ guid: [UInt8]) -> [UInt8] {
    [27, 0x24, 0x06, id] + guid + [8, 1, 3, 2, 0xFF, 0x07, 0]
  }
  /// Device, configuration and association, as of a webcam.
  private static let head: [UInt8] =
    [18, 0x01, 0, 2, 0xEF, 2, 1, 64, 0x6D, 0x04, 0x2D, 0x08, 0x11, 0, 0, 0, 1, 1]
    + [9, 0x02, 0x3F, 0x0A, 4, 1, 0, 0x80, 0xFA] + [8, 0x0B, 0, 2, 0x0E, 0x03, 0, 0]
    + videoControl(0) + [13, 0x24, 0x01, 0, 1, 0xD7, 0, 0, 0x6C, 0xDC, 2, 1, 1]

  private func id(_ rest: [UInt8], of interface: UInt8 = 0) -> UInt8? {
    H264ExtensionUnit.id(in: Self.head + rest, ofInterface: interface)
  }

  @Test func `it is found by its GUID`() {
    #expect(id(Self.unit(6, Self.other) + Self.unit(12, Self.h264) + Self.audioControl) == 12)
    #expect(id(Self.unit(6, Self.other)) == nil)
    #expect(id([]) == nil)
  }

  @Test func `another interface's is another camera's`() {
    let second = Self.videoControl(4) + Self.unit(9, Self.h264)
    #expect(id(Self.audioControl + Self.unit(12, Self.h264)) == nil)
    #expect(id(second) == nil)
    #expect(id(second, of: 4) == 9)
  }

  @Test func `what is broken ends the search`() {
    let whole = Self.unit(12, Self.h264)
    for length in 0..<27 { #expect(id(Array(whole[..<length])) == nil) }
    #expect(id([0, 0] + whole) == nil)
    #expect(id([1] + whole) == nil)
  }
}
