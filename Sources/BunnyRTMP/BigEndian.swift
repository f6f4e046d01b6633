extension Array where Element == UInt8 {
  /// Appends an integer, its most significant byte first, as all of RTMP's but one are.
  package mutating func appendBigEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
    var shift = value.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

extension Collection<UInt8> {
  /// The first `size` bytes (four at most) as an integer, or nil when there are fewer.
  package func bigEndian(_ size: Int = 4) -> UInt32? {
    guard count >= size else { return nil }
    return prefix(size).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
