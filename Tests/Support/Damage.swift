public import Foundation

extension Data {
  /// A copy with some bytes changed, the same ones for the same seed.
  public func damaged(_ seed: UInt64) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func random(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var copy = self
    let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    for _ in 0...random(below: 12) {
      // Half of it where headers are.
      let place = random(below: random(below: 2) == 0 ? Swift.min(count, 800) : count)
      for offset in 0..<(1 + random(below: 9)) where place + offset < count {
        let value = random(below: 3) > 0 ? values[random(below: 5)] : UInt8(random(below: 256))
        copy[startIndex + place + offset] = value
      }
    }
    return copy
  }
}
