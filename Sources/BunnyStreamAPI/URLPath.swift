/// Paths and queries of a URL, made of pieces that may hold anything.
package enum URLPath {
  /// `/a/b%20c`; nil when a piece is blank or a dot or two, which servers drop or climb with.
  package static func encoded(_ pieces: [String]) -> String? {
    let areReal = pieces.allSatisfy { piece in
      !piece.allSatisfy(\.isWhitespace) && piece != "." && piece != ".."
    }
    return areReal ? pieces.map { "/" + encoded($0) }.joined() : nil
  }

  /// `?a=b&c=d`, or nothing.
  static func encoded(_ query: [RESTQueryItem]) -> String {
    let items = query.map { "\(encoded($0.name))=\(encoded($0.value))" }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }

  /// All but letters, figures, and `-._~` as percent signs.
  private static func encoded(_ piece: String) -> String {
    piece.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += byte < 0x10 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
