package import FoundationEssentials

/// What an answer holds, read without an opinion about it: a missing key and a value of the wrong type
/// are both nil.
package enum JSON: Equatable, Sendable {
  case null
  case flag(Bool)
  case whole(Int64)
  /// A number with a fraction, or too large for ``whole(_:)``.
  case number(Double)
  case text(String)
  case list([JSON])
  case object(JSONObject)

  /// - Returns: nil when `body` is no JSON.
  package init?(_ body: Data) {
    guard let json = body.withUnsafeBytes({ JSONParser.parse($0) }) else { return nil }
    self = json
  }

  /// The value at `key` of an object.
  subscript(_ key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  var isObject: Bool { if case .object = self { true } else { false } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var whole: Int64? {
    switch self {
    case .whole(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }
  var int: Int? { whole.flatMap { Int(exactly: $0) } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [JSON]? { if case .list(let items) = self { items } else { nil } }
  /// What can be read of the list at `key`.
  func items<Item>(_ key: String, _ read: (JSON) -> Item?) -> [Item] {
    (self[key]?.list ?? []).compactMap(read)
  }
  var date: Date? { text.flatMap(BunnyTimestamp.date) }

  var real: Double? {
    switch self {
    case .whole(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
  /// The items of a text with commas between them.
  var words: [String]? {
    text?.utf8.split(separator: UInt8(ascii: ",")).compactMap { item in
      guard let first = item.firstIndex(where: { $0 > 0x20 }),
        let last = item.lastIndex(where: { $0 > 0x20 })
      else { return nil }
      return String(Substring(item[first...last]))
    }
  }

  /// A text with something in it.
  var word: String? {
    guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text
  }
}

extension JSON: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .whole(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let text): try container.encode(text)
    case .list(let items): try container.encode(items)
    case .object(let object): try container.encode(object.members)
    }
  }

  /// The same bytes each time: keys are sorted.
  var bytes: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only a number that is none cannot be written, and nobody makes one here.
    return (try? encoder.encode(self)) ?? Data("null".utf8)
  }

  init(_ date: Date) { self = .text(BunnyTimestamp.text(date)) }
}
