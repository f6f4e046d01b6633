/// H.264's byte stream: units with `00 00 01` before each.
enum AnnexB {
  /// The place of the first start code from `place` on.
  static func startCode(in bytes: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
    var place = place + 2
    while place < bytes.count {
      if bytes[place] > 1 {
        place += 3
      } else if bytes[place] == 1 && bytes[place - 1] == 0 && bytes[place - 2] == 0 {
        return place - 2
      } else {
        place += 1
      }
    }
    return nil
  }

  /// The places of the units, none of them empty, without the zeros that may follow one.
  static func forEachUnit(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
    var start = startCode(in: bytes, from: 0)
    while let begin = start.map({ $0 + 3 }) {
      start = startCode(in: bytes, from: begin)
      var end = start ?? bytes.count
      while end > begin && bytes[end - 1] == 0 { end -= 1 }
      if end > begin { body(begin..<end) }
    }
  }

  static func units(in bytes: [UInt8]) -> [[UInt8]] {
    var units: [[UInt8]] = []
    bytes.withUnsafeBufferPointer { bytes in
      forEachUnit(in: bytes) { units.append(Array(bytes[$0])) }
    }
    return units
  }
}
