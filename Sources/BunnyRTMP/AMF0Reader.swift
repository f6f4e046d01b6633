/// Why bytes are no AMF0.
public enum AMF0Error: Error, Hashable, Sendable {
  /// The bytes end inside a value.
  case truncated
  /// No value begins with this byte (also AMF3's 0x11, which we never ask for).
  case marker(UInt8)
  /// Objects and arrays inside each other, more than ``AMF0Value/deepest``.
  case tooDeep
  /// More values than ``AMF0Value/mostValues`` in one message.
  case tooMany
}

extension AMF0Error: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated: "an AMF0 value is cut off"
    case .marker(let byte): "no AMF0 value begins with 0x\(String(byte, radix: 16))"
    case .tooDeep: "AMF0 values are nested more than \(AMF0Value.deepest) deep"
    case .tooMany: "more than \(AMF0Value.mostValues) AMF0 values in one message"
    }
  }
}

extension AMF0Value {
  /// How deep objects and arrays may be nested.
  public static let deepest = 16
  /// How many values one message may hold, nested ones included.
  public static let mostValues = 10_000

  /// Every value in `bytes`. Text that is not UTF-8 is repaired with U+FFFD, since servers do write
  /// descriptions in the code page of their machine.
  public static func decode(_ bytes: some Collection<UInt8>) throws(AMF0Error) -> [AMF0Value] {
    var reader = AMF0Reader(Array(bytes))
    var values: [AMF0Value] = []
    while !reader.isAtEnd { values.append(try reader.read(depth: 0)) }
    return values
  }
}

/// Reads AMF0 values from the front of some bytes. What is only announced is never allocated.
private struct AMF0Reader {
  private let bytes: [UInt8]
  private var position = 0
  private var count = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func read(depth: Int) throws(AMF0Error) -> AMF0Value {
    count += 1
    guard count <= AMF0Value.mostValues else { throw .tooMany }
    let marker = try readByte()
    switch marker {
    case AMF0Marker.number: return .number(try readDouble())
    case AMF0Marker.boolean: return .boolean(try readByte() != 0)
    case AMF0Marker.string: return .string(try readText(lengthBytes: 2))
    case AMF0Marker.null: return .null
    case AMF0Marker.undefined: return .undefined
    case AMF0Marker.unsupported: return .unsupported
    case AMF0Marker.reference: return .reference(UInt16(try readInteger(2)))
    case AMF0Marker.longString: return .longString(try readText(lengthBytes: 4))
    case AMF0Marker.xmlDocument: return .xmlDocument(try readText(lengthBytes: 4))
    case AMF0Marker.date:
      let milliseconds = try readDouble()
      let zone = Int16(truncatingIfNeeded: try readInteger(2))
      return .date(milliseconds: milliseconds, timeZone: zone)
    default: return try readContainer(marker, depth: depth + 1)
    }
  }

  private mutating func readContainer(
    _ marker: UInt8, depth: Int
  ) throws(AMF0Error) -> AMF0Value {
    guard depth <= AMF0Value.deepest else { throw .tooDeep }
    switch marker {
    case AMF0Marker.object: return .object(try readObject(depth: depth))
    case AMF0Marker.ecmaArray:
      _ = try readInteger(4)  // only a hint: the end mark counts
      return .ecmaArray(try readObject(depth: depth))
    case AMF0Marker.typedObject:
      let className = try readText(lengthBytes: 2)
      return .typedObject(className: className, try readObject(depth: depth))
    case AMF0Marker.strictArray:
      var left = try readInteger(4)
      var values: [AMF0Value] = []
      while left > 0 {
        values.append(try read(depth: depth))
        left -= 1
      }
      return .strictArray(values)
    default: throw .marker(marker)
    }
  }

  private mutating func readObject(depth: Int) throws(AMF0Error) -> AMF0Object {
    var object = AMF0Object()
    while true {
      let name = try readText(lengthBytes: 2)
      if name.isEmpty, position < bytes.count, bytes[position] == AMF0Marker.objectEnd {
        position += 1
        return object
      }
      object.pairs.append(.init(name: name, value: try read(depth: depth)))
    }
  }

  private mutating func readByte() throws(AMF0Error) -> UInt8 {
    guard position < bytes.count else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  /// Up to eight bytes, the most significant first.
  private mutating func readInteger(_ size: Int) throws(AMF0Error) -> UInt64 {
    guard bytes.count - position >= size else { throw .truncated }
    defer { position += size }
    return bytes[position..<position + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func readDouble() throws(AMF0Error) -> Double {
    Double(bitPattern: try readInteger(8))
  }

  private mutating func readText(lengthBytes: Int) throws(AMF0Error) -> String {
    let length = Int(try readInteger(lengthBytes))  // at most 32 bits
    guard bytes.count - position >= length else { throw .truncated }
    defer { position += length }
    return String(decoding: bytes[position..<position + length], as: UTF8.self)
  }
}
