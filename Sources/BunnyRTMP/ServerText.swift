/// Cleans what a server wrote before anybody sees it.
struct ServerText: Sendable, CustomReflectable {
  /// The most characters of a server's text that are shown.
  static let longest = 300

  private let secrets: [String]  // longest first

  init(hiding secrets: [String]) { self.secrets = secrets }

  var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  /// Without secrets, control and formatting characters; cut with an ellipsis.
  func clean(_ text: String) -> String {
    let visible = hideSecrets(in: text).unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
      default: true
      }
    }
    // Again: what was filtered out may have stood inside a key.
    let clean = hideSecrets(in: String(String.UnicodeScalarView(visible))).unicodeScalars
    let kept = String(String.UnicodeScalarView(clean.prefix(Self.longest)))
    return clean.count > Self.longest ? kept + "…" : kept
  }

  private func hideSecrets(in text: String) -> String {
    secrets.reduce(text) { Self.replace($1, in: $0) }
  }

  /// By bytes: a combining mark behind a key must not hide it.
  private static func replace(_ secret: String, in text: String) -> String {
    let needle = Array(secret.utf8)
    let hay = Array(text.utf8)
    guard !needle.isEmpty, hay.count >= needle.count else { return text }
    var result: [UInt8] = []
    var position = 0
    while position < hay.count {
      if hay[position...].starts(with: needle) {
        result += StreamKey.hidden.utf8
        position += needle.count
      } else {
        result.append(hay[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
