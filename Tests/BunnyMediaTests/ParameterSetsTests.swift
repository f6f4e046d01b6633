import BunnyMedia
import Testing

@Suite struct ParameterSetsTests {
  private let sequence: [UInt8] = [0x67, 0x42, 0xC0, 0x1F, 0x95]
  private let first: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]
  private let second: [UInt8] = [0x68, 0x50, 0x3C]
  private let last: [UInt8] = [0x68, 0x00, 0x80, 0x7F, 0x01]  // number 255

  @Test func `a new picture parameter set takes the place of the one with its number`() {
    var sets = ParameterSets()
    sets.take([sequence, first, second, last])
    #expect(sets.pictures == [first, second, last])
    let other: [UInt8] = [0x68, 0xCE, 0x01, 0x20]
    for _ in 0..<300 {
      sets.take([other])
      sets.take([first])
    }
    #expect(sets.pictures == [first, second, last])
    sets.take([other, [0x68, 0x48], [0x68, 0x00, 0x80, 0x00]])
    #expect(sets.pictures == [other, [0x68, 0x48], [0x68, 0x00, 0x80, 0x00]])
    // One byte says how many there are.
    #expect(sets.sequenceHeader[6 + 5 + 2 + sequence.count] == 3)
  }

  @Test func `a new sequence forgets the pictures' sets of the old one`() {
    var sets = ParameterSets()
    sets.take([sequence, first])
    #expect(sets.isWhole)
    sets.take([[0x67, 0x64, 0x00, 0x28, 0xAC]])
    #expect(!sets.isWhole && sets.pictures == [])
  }
}
