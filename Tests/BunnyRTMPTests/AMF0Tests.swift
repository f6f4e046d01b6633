import BunnyRTMP
import BunnySystem
import Testing

/// A function and not a constant: the leak sanitizer cannot see through enum payloads kept for ever.
private func everything() -> [AMF0Value] {
  [
    0, -1.5, .number(.infinity), true, false, "", "naïve ✓", .null, .undefined, .unsupported,
    .reference(7), .object([:]), .object(["a": 1, "b": .object(["c": .null])]),
    .ecmaArray(["width": 1280, "encoder": "x"]), .strictArray([1, "two", .strictArray([])]),
    .date(milliseconds: 1.7e12, timeZone: -60), .longString("long"), .xmlDocument("<a/>"),
    .typedObject(className: "Point", ["x": 1]),
  ]
}

@Suite struct AMF0Tests {
  @Test(arguments: everything())
  func `every kind of value comes back as it was written`(value: AMF0Value) throws {
    #expect(try AMF0Value.decode(AMF0Value.encode([value])) == [value])
  }

  @Test func `values follow each other`() throws {
    #expect(try AMF0Value.decode(AMF0Value.encode(everything())) == everything())
  }

  @Test func `bytes are those of the specification`() {
    #expect(AMF0Value.encode([1]) == [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
    #expect(AMF0Value.encode(["live"]) == [2, 0, 4, 0x6C, 0x69, 0x76, 0x65])
    #expect(AMF0Value.encode([.object(["a": true])]) == [3, 0, 1, 0x61, 1, 1, 0, 0, 9])
    #expect(
      AMF0Value.encode([.ecmaArray(["a": .null])]) == [8, 0, 0, 0, 1, 0, 1, 0x61, 5, 0, 0, 9])
    #expect(AMF0Value.encode([.strictArray([.undefined])]) == [10, 0, 0, 0, 1, 6])
  }

  @Test func `a string beyond 65535 bytes is written as a long one`() throws {
    let text = String(repeating: "x", count: 65_536)
    #expect(try AMF0Value.decode(AMF0Value.encode([.string(text)])) == [.longString(text)])
    let short = String(repeating: "x", count: 65_535)
    #expect(try AMF0Value.decode(AMF0Value.encode([.string(short)])) == [.string(short)])
  }

  @Test func `whatever is cut off is an error`() throws {
    for value in everything() {
      let bytes = AMF0Value.encode([value])
      for count in 1..<bytes.count {
        #expect(throws: AMF0Error.truncated) { try AMF0Value.decode(bytes[..<count]) }
      }
    }
  }

  @Test(arguments: [4, 9, 14, 17, 255] as [UInt8])
  func `bytes that begin no value are an error`(marker: UInt8) {
    #expect(throws: AMF0Error.marker(marker)) { try AMF0Value.decode([marker]) }
  }

  @Test func `a count is not believed`() {
    #expect(throws: AMF0Error.truncated) { try AMF0Value.decode([10, 255, 255, 255, 255, 5]) }
    #expect(throws: AMF0Error.truncated) { try AMF0Value.decode([12, 255, 255, 255, 255, 5]) }
    let nulls = [UInt8](repeating: 5, count: 10_001)
    #expect(throws: AMF0Error.tooMany) { try AMF0Value.decode(nulls) }
    #expect(throws: AMF0Error.tooMany) { try AMF0Value.decode([10, 255, 255, 255, 255] + nulls) }
  }

  @Test func `values nested too deep are an error`() throws {
    func nested(_ depth: Int) -> AMF0Value {
      depth == 0 ? .null : .strictArray([nested(depth - 1)])
    }
    let deepest = nested(AMF0Value.deepest)
    #expect(try AMF0Value.decode(AMF0Value.encode([deepest])) == [deepest])
    let bytes = AMF0Value.encode([nested(AMF0Value.deepest + 1)])
    #expect(throws: AMF0Error.tooDeep) { try AMF0Value.decode(bytes) }
    let objects = [[UInt8]](repeating: [3, 0, 1, 0x61], count: 100_000).flatMap { $0 }
    #expect(throws: AMF0Error.tooDeep) { try AMF0Value.decode(objects) }
  }

  @Test func `text that is not UTF-8 is repaired`() throws {
    #expect(try AMF0Value.decode([2, 0, 2, 0x41, 0xE9]) == ["A\u{FFFD}"])
  }

  @Test func `metadata opens with the order to set it`() throws {
    let tag = RTMPTag.metadata([("width", 1280), ("stereo", true)])
    let array: AMF0Value = .ecmaArray(["width": 1280, "stereo": true])
    #expect(try AMF0Value.decode(Array(tag.body)) == ["@setDataFrame", "onMetaData", array])
    #expect(tag.kind == .data)
  }
}
