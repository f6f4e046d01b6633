import FoundationEssentials

/// The server's own words in the body of an answer that reports a failure.
enum ErrorBody {
  /// Knows StatusModel (`message`, and `data`'s strings), a JSON string, a list of strings, and plain
  /// text; an HTML page or other JSON says nothing to a person.
  static func words(in body: Data, _ cleaner: TextCleaner) -> String? {
    if let json = JSON(body) { return words(in: json, cleaner) }
    let text = String(decoding: body, as: UTF8.self)
    let start = text.first { !$0.isWhitespace }
    guard let start, !"<{[".contains(start) else { return nil }
    return cleaner.clean(text)
  }

  static func words(in json: JSON, _ cleaner: TextCleaner) -> String? {
    let message = json.text ?? json["message"]?.text ?? json["Message"]?.text
    let list = json.list ?? json["data"]?.list ?? []
    let parts = ([message] + list.map(\.text)).compactMap { $0.flatMap(cleaner.clean) }
    guard let first = parts.first else { return nil }
    // Some servers say the same twice.
    let others = parts.dropFirst().filter { $0 != first }
    guard !others.isEmpty, message != nil else {
      return cleaner.clean(others.isEmpty ? first : parts.joined(separator: "; "))
    }
    return cleaner.clean("\(first): \(others.joined(separator: "; "))")
  }
}
