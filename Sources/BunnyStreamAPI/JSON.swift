import FoundationEssentials

/// What an answer holds, read without an opinion about it: a missing key and a value of the wrong type
/// are both nil.
enum JSON: Equatable, Sendable {
  case null
  case flag(Bool)
  case whole(Int64)
  /// A number with a fraction, or too large for ``whole(_:)``.
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  /// - Returns: nil when `body` is no JSON.
  init?(_ body: Data) {
    guard let json = try? JSONDecoder().decode(JSON.self, from: body) else { return nil }
    self = json
  }

  /// The value at `key` of an object.
  subscript(_ key: String) -> JSON? {
    if case .object(let members) = self { members[key] } else { nil }
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
  var date: Date? { text.flatMap(BunnyTimestamp.date) }

  /// A text with something in it.
  var word: String? {
    guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text
  }
}

extension JSON: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let whole = try? value.decode(Int64.self) {
      self = .whole(whole)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let list = try? value.decode([JSON].self) {
      self = .list(list)
    } else if let members = try? value.decode([String: JSON].self) {
      self = .object(members)
    } else {
      self = .null  // a number beyond a Double
    }
  }
}
