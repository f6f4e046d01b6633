/// Cleans what a server wrote, or a caller gave, before it goes into an error.
package struct TextCleaner: Sendable, CustomReflectable {
  /// The most bytes of a text that are kept.
  package static let longest = 4096

  private let secrets: [String]

  package init(hiding secrets: [String]) { self.secrets = secrets }

  package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  /// Without secrets, control and formatting characters (a run of line breaks and the like is one
  /// space), at most ``longest`` bytes; nil when nothing is left.
  package func clean(_ text: String) -> String? {
    let visible = hideSecrets(in: text).unicodeScalars.filter { !Self.isDropped($0) }
    let words = String(String.UnicodeScalarView(visible)).split(whereSeparator: \.isWhitespace)
    // Again: what was filtered out may have stood inside a key.
    let clean = hideSecrets(in: words.joined(separator: " "))
    return clean.isEmpty ? nil : Self.cut(clean)
  }

  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.properties.isWhitespace else { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .privateUse, .unassigned, .surrogate: true
    default: false
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longest)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }

  private func hideSecrets(in text: String) -> String {
    // The longest first: one may be a part of another.
    secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(text) { Self.replace($1, in: $0) }
  }

  /// By bytes: a combining mark behind a key must not hide it.
  private static func replace(_ secret: String, in text: String) -> String {
    let needle = Array(secret.utf8)
    let hay = Array(text.utf8)
    var result: [UInt8] = []
    var position = 0
    while position < hay.count {
      if hay[position...].starts(with: needle) {
        result += HiddenText.mark.utf8
        position += needle.count
      } else {
        result.append(hay[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
