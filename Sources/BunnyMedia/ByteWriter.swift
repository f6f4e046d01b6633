/// Puts bytes into memory, one behind the other.
struct ByteWriter {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  mutating func add(_ byte: UInt8) {
    memory[count] = byte
    count += 1
  }

  /// The most significant one first.
  mutating func add(_ value: UInt32, bytes: Int) {
    for index in (0..<bytes).reversed() { add(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: bytes)
    count += bytes.count
  }
}
