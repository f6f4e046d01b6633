import Glibc

/// Reads JSON (RFC 8259) that a machine wrote; where it is wrong helps nobody. Of two equal keys the last
/// one counts.
///
/// `JSONDecoder` throws and catches an error for each type that a value is not: 9 ms for a page of 100
/// streams.
struct JSONParser {
  /// Levels: more than any answer has, and fewer than overflow a stack.
  private static let deepest = 64

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// Of the last object of each depth.
  private var shapes = [Shape?](repeating: nil, count: deepest + 1)

  /// - Returns: nil for what is no JSON.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> JSON? {
    var parser = JSONParser(bytes: bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }  // a byte order mark
    guard let value = parser.value(depth: 0), parser.next() == nil else { return nil }
    return value
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func value(depth: Int) -> JSON? {
    switch next() {
    case UInt8(ascii: "{"): object(depth: depth + 1)
    case UInt8(ascii: "["): list(depth: depth + 1)
    case UInt8(ascii: "\""): string().map(JSON.text)
    case UInt8(ascii: "t"): word("true", .flag(true))
    case UInt8(ascii: "f"): word("false", .flag(false))
    case UInt8(ascii: "n"): word("null", .null)
    default: number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    guard depth <= Self.deepest else { return nil }
    position += 1
    var shape = shapes[depth] ?? Shape()
    var values: [JSON] = []
    if next() == UInt8(ascii: "}") {
      position += 1
    } else {
      values.reserveCapacity(shape.literals.count)
      var isMore = true
      while isMore {
        guard key(values.count, of: &shape), next() == UInt8(ascii: ":") else { return nil }
        position += 1
        guard let value = value(depth: depth), let goesOn = self.isMore(before: "}") else {
          return nil
        }
        values.append(value)
        isMore = goesOn
      }
    }
    let keys = shape.keys(values.count)
    shapes[depth] = shape
    return .object(JSONObject(keys, values))
  }

  /// Reads the key that is next, which is number `index` of its object.
  private mutating func key(_ index: Int, of shape: inout Shape) -> Bool {
    guard next() == UInt8(ascii: "\"") else { return false }
    if index < shape.literals.count, isNext(shape.literals[index]) {
      position += shape.literals[index].count
      return true
    }
    let start = position
    guard let name = string() else { return false }
    shape.put(name, start..<position, at: index)
    return true
  }

  /// Whether what is next stands at `range` too.
  private func isNext(_ range: Range<Int>) -> Bool {
    range.count <= bytes.count - position
      && memcmp(bytes.baseAddress! + position, bytes.baseAddress! + range.lowerBound, range.count)
        == 0
  }

  private mutating func list(depth: Int) -> JSON? {
    guard depth <= Self.deepest else { return nil }
    position += 1
    if next() == UInt8(ascii: "]") {
      position += 1
      return .list([])
    }
    var items: [JSON] = []
    while let item = value(depth: depth) {
      items.append(item)
      guard let isMore = isMore(before: "]") else { return nil }
      if !isMore { return .list(items) }
    }
    return nil
  }

  /// Past a comma: true; past `end`: false; nil: neither is there.
  private mutating func isMore(before end: Unicode.Scalar) -> Bool? {
    let byte = next()
    position += 1
    return byte == UInt8(ascii: ",") ? true : byte == UInt8(ascii: end) ? false : nil
  }

  private mutating func word(_ word: StaticString, _ value: JSON) -> JSON? {
    let length = word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { bytes[position...].prefix(length).elementsEqual($0) }
    position += length
    return isThere ? value : nil
  }

  private mutating func number() -> JSON? {
    let start = position
    take("-")
    if !take("0") { guard takeDigits() else { return nil } }
    var isWhole = true
    if take(".") {
      isWhole = false
      guard takeDigits() else { return nil }
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { take("-") }
      guard takeDigits() else { return nil }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let whole = Int64(text) { return .whole(whole) }
    guard let number = Double(text) else { return nil }
    return number.isFinite ? .number(number) : .null
  }

  // MARK: Strings

  private mutating func string() -> String? {
    position += 1
    let start = position
    var bits: UInt8 = 0
    while let byte = peek(), byte >= 0x20 {
      if byte == UInt8(ascii: "\"") {
        defer { position += 1 }
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        // To validate costs more than to read the rest.
        return bits < 0x80
          ? String(decoding: text, as: UTF8.self) : String(validating: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") { return escapedString(from: start) }
      bits |= byte
      position += 1
    }
    return nil
  }

  /// - Parameter start: of the string; an escape is next.
  private mutating func escapedString(from start: Int) -> String? {
    var text = Array(bytes[start..<position])
    while let byte = peek(), byte >= 0x20 {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text += UTF8.encode(scalar)!
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    defer { position += 1 }
    switch peek().map({ Unicode.Scalar($0) }) {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let unit = unit() else { return nil }
      guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
      position += 1
      guard take("\\"), peek() == UInt8(ascii: "u"), let low = self.unit(),
        (0xDC00..<0xE000).contains(low)
      else { return nil }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  /// The four figures behind the `u` that is next; stops at the last one.
  private mutating func unit() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      position += 1
      guard let figure = peek().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        return nil
      }
      unit = unit << 4 + UInt32(figure)
    }
    return unit
  }

  // MARK: Bytes

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The next byte that is no white space.
  private mutating func next() -> UInt8? {
    while let byte = peek() {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      position += 1
    }
    return nil
  }

  @discardableResult
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// - Returns: whether there was one at least.
  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = peek(), (0x30...0x39).contains(byte) { position += 1 }
    return position > start
  }
}

/// The keys of an object, and where they stand in the text with their quotes: the next object of that
/// depth likely has the same, and needs not read them again.
private struct Shape {
  private(set) var literals: [Range<Int>] = []
  private var names: [String] = []
  private var keys: JSONObject.Keys?

  mutating func put(_ name: String, _ literal: Range<Int>, at index: Int) {
    cut(to: index)
    literals.append(literal)
    names.append(name)
    keys = nil
  }

  /// - Parameter count: how many the object has.
  mutating func keys(_ count: Int) -> JSONObject.Keys {
    cut(to: count)
    let keys = keys ?? JSONObject.Keys(names)
    self.keys = keys
    return keys
  }

  private mutating func cut(to count: Int) {
    guard count < names.count else { return }
    literals.removeLast(literals.count - count)
    names.removeLast(names.count - count)
    keys = nil
  }
}
