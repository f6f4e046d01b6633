import Synchronization

/// Bytes that were written once and that many may hold: a piece of a block of memory, which is kept as long
/// as somebody holds one of its pieces.
public struct SharedBytes: Sendable {
  private let block: Block
  private let offset: Int
  public let count: Int

  fileprivate init(_ block: Block, _ offset: Int, _ count: Int) {
    (self.block, self.offset, self.count) = (block, offset, count)
  }

  /// A copy of `bytes`, in a block of their own.
  public init(_ bytes: [UInt8]) {
    block = Block(Swift.max(1, bytes.count))
    (offset, count) = (0, bytes.count)
    block.memory.copyBytes(from: bytes)
  }

  /// The bytes, in one piece, while `body` runs.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withExtendedLifetime(block) {
      body(UnsafeRawBufferPointer(rebasing: block.memory[offset..<(offset + count)]))
    }
  }

  /// Memory of one size, freed with the last who holds it.
  fileprivate final class Block: @unchecked Sendable {  // a piece is written before it is shared
    let memory: UnsafeMutableRawBufferPointer

    init(_ size: Int) { memory = .allocate(byteCount: size, alignment: 16) }
    deinit { memory.deallocate() }
  }
}

extension SharedBytes: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "byte \(index) of \(count)")
    return block.memory[offset + index]
  }

  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try withExtendedLifetime(block) {
      try UnsafeRawBufferPointer(rebasing: block.memory[offset..<(offset + count)])
        .withMemoryRebound(to: UInt8.self, body)
    }
  }
}

extension SharedBytes: Hashable, ExpressibleByArrayLiteral {
  public init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

  public static func == (one: Self, other: Self) -> Bool {
    one.block === other.block && one.offset == other.offset && one.count == other.count
      || one.elementsEqual(other)
  }

  public func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// Where one thread writes ``SharedBytes``, piece after piece: a block that nobody holds any more is used
/// again, so that none costs an allocation once there are as many as are held at a time.
package struct BytePool {
  private let blockSize: Int
  /// The oldest first; the last one is being filled.
  private var blocks: [SharedBytes.Block] = []
  private var filled = 0

  /// - Parameter blockSize: bytes; a longer piece gets a block of its own.
  package init(blockSize: Int) { self.blockSize = blockSize }

  /// - Parameters:
  ///   - most: how many bytes `write` is given room for.
  ///   - write: returns how many it has written, from the front on.
  package mutating func bytes(
    atMost most: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int
  ) -> SharedBytes {
    if blocks.last.map({ $0.memory.count - filled < most }) ?? true { turnOver(to: most) }
    let block = blocks[blocks.count - 1]
    let count = write(
      UnsafeMutableRawBufferPointer(rebasing: block.memory[filled..<(filled + most)]))
    defer { filled += count }
    return SharedBytes(block, filled, count)
  }

  /// What is held is let go in about the order in which it was made: the oldest blocks are looked at first.
  private mutating func turnOver(to least: Int) {
    filled = 0
    // Who holds on to old pieces keeps their blocks alone: those behind are used again.
    if let free = firstFree() { blocks.removeFirst(free) }
    while blocks.count > Self.mostSpare, isFree(upTo: Self.mostSpare) { blocks.removeFirst() }
    if !blocks.isEmpty, isFree(upTo: 0) {
      let block = blocks.removeFirst()
      if block.memory.count >= least {
        atomicMemoryFence(ordering: .acquiring)  // whoever let go of it last has read all of it
        return blocks.append(block)
      }
    }
    blocks.append(SharedBytes.Block(max(blockSize, least)))
  }

  private mutating func firstFree() -> Int? {
    for index in blocks.indices where isKnownUniquelyReferenced(&blocks[index]) { return index }
    return nil
  }

  /// More than these are given back.
  private static let mostSpare = 4

  /// Nobody holds anything of the first blocks.
  private mutating func isFree(upTo last: Int) -> Bool {
    for index in 0...last where !isKnownUniquelyReferenced(&blocks[index]) { return false }
    return true
  }
}
