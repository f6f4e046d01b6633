import BunnySystem
import Testing

@Suite struct SharedBytesTests {
  private func piece(_ pool: inout BytePool, _ value: UInt8, _ count: Int) -> SharedBytes {
    pool.bytes(atMost: count + 7) { memory in
      for index in 0..<count { memory[index] = value }
      return count
    }
  }

  @Test func `they are compared and hashed by what they hold`() {
    var pool = BytePool(blockSize: 100)
    let (one, other) = (piece(&pool, 5, 3), piece(&pool, 5, 3))
    #expect(one == other && one == [5, 5, 5] && one != [5, 5] && one != [5, 5, 6])
    #expect(Set([one, other, [5, 5, 5]]).count == 1)
    #expect(Array(one.dropFirst()) == [5, 5] && SharedBytes([]).isEmpty)
    one.withUnsafeBytes { #expect(Array($0) == [5, 5, 5]) }
  }

  @Test func `a piece stays as it is while others come and go, short ones and long ones`() {
    var pool = BytePool(blockSize: 64)
    var held: [(bytes: SharedBytes, value: UInt8)] = []
    for index in 0..<2000 {
      let value = UInt8(truncatingIfNeeded: index)
      let count = index.isMultiple(of: 37) ? 500 : index % 50
      held.append((piece(&pool, value, count), value))
      #expect(held.last?.bytes.count == count)
      if held.count > 30 { held.removeFirst(index % 3) }
      if index.isMultiple(of: 100) {
        #expect(held.allSatisfy { item in item.bytes.allSatisfy { $0 == item.value } })
      }
    }
  }

  @Test(arguments: [false, true])
  func `memory is used again once nobody holds it, also if one piece is kept for ever`(
    _ isOneKept: Bool
  ) {
    var pool = BytePool(blockSize: 64)
    var places: Set<UnsafeRawPointer> = []
    var held: [SharedBytes] = []
    let kept = isOneKept ? piece(&pool, 7, 40) : []
    defer { #expect(kept.allSatisfy { $0 == 7 }) }
    for _ in 0..<1000 {
      held.append(piece(&pool, 1, 40))
      places.insert(held.last!.withUnsafeBytes { $0.baseAddress! })
      if held.count > 3 { held.removeFirst() }
    }
    #expect(places.count <= 6)
  }
}
