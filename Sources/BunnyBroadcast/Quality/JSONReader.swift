/// Reads JSON (RFC 8259) that people wrote, and says where it goes wrong: `JSONDecoder` on Linux
/// tells neither line nor column, and takes the last of two equal keys.
struct JSONReader {
  /// What was wrong, and where.
  struct Malformed: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  private static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  static func read(_ bytes: [UInt8]) throws(Malformed) -> JSONValue {
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value()
    guard reader.next() == nil else { throw reader.expected("nothing more") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func value() throws(Malformed) -> JSONValue {
    switch next() {
    case UInt8(ascii: "{"): return try nested { reader throws(Malformed) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(Malformed) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case let byte? where "-0123456789".utf8.contains(byte): return try number()
    default: throw expected("a value")
    }
  }

  private mutating func nested(
    _ read: (inout JSONReader) throws(Malformed) -> JSONValue
  ) throws(Malformed) -> JSONValue {
    guard depth < Self.deepest else { throw expected("no more than \(Self.deepest) levels") }
    depth += 1
    position += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(Malformed) -> JSONValue {
    var members: [JSONValue.Member] = []
    while next() != UInt8(ascii: "}") || !members.isEmpty {
      guard next() == UInt8(ascii: "\"") else {
        throw expected(members.isEmpty ? "a key in quotes, or }" : "a key in quotes")
      }
      let key = try string()
      guard !members.contains(where: { $0.key == key }) else {
        throw malformed("\"\(key)\" is there twice")
      }
      guard next() == UInt8(ascii: ":") else { throw expected(": after the key \"\(key)\"") }
      position += 1
      members.append(.init(key, try value()))
      guard try separator("}") else { return .object(members) }
    }
    position += 1
    return .object(members)
  }

  private mutating func array() throws(Malformed) -> JSONValue {
    var values: [JSONValue] = []
    while next() != UInt8(ascii: "]") || !values.isEmpty {
      values.append(try value())
      guard try separator("]") else { return .array(values) }
    }
    position += 1
    return .array(values)
  }

  /// Past a comma: true; past `end`: false.
  private mutating func separator(_ end: Unicode.Scalar) throws(Malformed) -> Bool {
    let byte = next()
    guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: end) else {
      throw expected(", or \(end)")
    }
    position += 1
    return byte == UInt8(ascii: ",")
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw expected(word) }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(Malformed) -> JSONValue {
    let start = position
    while let byte = peek(), "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let digits = text.drop { $0 == "-" }
    let isPlain =
      digits.first?.isNumber == true
      && !(digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true)
    guard isPlain, text.last != ".", let number = Double(text), number.isFinite else {
      position = start
      throw expected("a number")
    }
    return .number(number)
  }

  // MARK: Strings

  private mutating func string() throws(Malformed) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = peek(), byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw expected("\" at the string's end") }
      position += 1
      if byte == UInt8(ascii: "\\") {
        text += try escaped()
      } else {
        text.append(byte)
      }
    }
    guard peek() != nil else { throw expected("\" at the string's end") }
    position += 1
    guard let string = String(validating: text, as: UTF8.self) else {
      throw malformed("the string is not UTF-8")
    }
    return string
  }

  private mutating func escaped() throws(Malformed) -> [UInt8] {
    let plain: [Unicode.Scalar: Unicode.Scalar] = [
      "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]
    guard let letter = peek().map({ Unicode.Scalar($0) }) else { throw expected("an escape") }
    position += 1
    if let scalar = plain[letter] { return Array(String(scalar).utf8) }
    guard letter == "u" else { throw malformed("\\\(letter) is no escape") }
    var unit = try hexadecimal()
    if (0xD800..<0xDC00).contains(unit), bytes[position...].starts(with: "\\u".utf8) {
      position += 2
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw malformed("half a surrogate pair") }
      unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw malformed("half a surrogate pair") }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func hexadecimal() throws(Malformed) -> UInt32 {
    let digits = bytes[position...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, text.first != "+", let value = UInt32(text, radix: 16) else {
      throw expected("four hexadecimal digits")
    }
    position += 4
    return value
  }

  // MARK: Where we are

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The next byte that is no white space.
  private mutating func next() -> UInt8? {
    while let byte = peek(), " \t\r\n".utf8.contains(byte) { position += 1 }
    return peek()
  }

  private func expected(_ what: String) -> Malformed {
    guard let byte = peek() else { return malformed("it ends where \(what) should be") }
    let found = (0x21..<0x7F).contains(byte) ? "\(Unicode.Scalar(byte))" : "byte \(byte)"
    return malformed("\(found) stands where \(what) should be")
  }

  private func malformed(_ what: String) -> Malformed {
    let before = bytes[..<position]
    let line = before.count { $0 == 0x0A } + 1
    let column = position - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return Malformed(description: "\(what) (line \(line), column \(column))")
  }
}
