/// `host` as it stands in a URL: IPv6 in brackets.
func inURL(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

/// What a server may have made of `text`: `%2F` is a slash. What is no such triple stays.
func withoutPercentSigns(_ text: String) -> String {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2)
    if byte == .percent, digits.count == 2, digits.allSatisfy(\.isHexDigit),
      let code = UInt8(digits.text, radix: 16)
    {
      bytes.append(code)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

extension Substring.UTF8View {
  /// Of bytes that begin and end at whole characters.
  var text: String { String(Substring(self)) }
}

extension UInt8 {
  static let percent = UInt8(ascii: "%")
  static let ampersand = UInt8(ascii: "&")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let colon = UInt8(ascii: ":")
  static let equals = UInt8(ascii: "=")
  static let question = UInt8(ascii: "?")
  static let at = UInt8(ascii: "@")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")

  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isHexDigit: Bool { isDigit || (0x41...0x46).contains(self & 0xDF) }
  /// ASCII letters and digits, `-`, `.` and `_`.
  var isOfHostName: Bool {
    isDigit || (0x41...0x5A).contains(self & 0xDF) || self == 0x2D || self == .dot || self == 0x5F
  }
}
