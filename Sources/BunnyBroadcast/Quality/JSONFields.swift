/// An object of a quality file while it is read, key by key: knows the path of each for errors, and
/// which were never asked for.
struct JSONFields {
  private let path: String
  private var members: [String: JSONValue]
  private var asked: [String] = []

  init(_ value: JSONValue) throws(QualityError) {
    try self.init(value, path: "")
  }

  private init(_ value: JSONValue, path: String) throws(QualityError) {
    guard case .object(let members) = value else {
      throw QualityError(
        field: path.isEmpty ? "the file" : path, problem: "is \(value.line); it takes an object")
    }
    self.path = path
    self.members = Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
  }

  /// All keys that nobody asked for are unknown.
  func finish() throws(QualityError) {
    guard let unknown = members.keys.sorted().first else { return }
    throw QualityError(
      field: path.isEmpty ? unknown : "\(path).\(unknown)",
      problem: "is unknown" + didYouMean(unknown, among: asked))
  }

  mutating func number(_ key: String, or standard: Double? = nil) throws(QualityError) -> Double {
    try take(key, "a number", or: standard) {
      if case .number(let value) = $0 { value } else { nil }
    }
  }

  mutating func integer(_ key: String, or standard: Int? = nil) throws(QualityError) -> Int {
    try take(key, "a whole number", or: standard) {
      if case .number(let value) = $0 { Int(exactly: value) } else { nil }
    }
  }

  mutating func integer(_ key: String, orNull standard: Int?) throws(QualityError) -> Int? {
    try take(key, "a whole number or null", or: .some(standard)) {
      switch $0 {
      case .null: .some(nil)
      case .number(let value): Int(exactly: value).map { .some($0) }
      default: nil
      }
    }
  }

  mutating func flag(_ key: String, or standard: Bool) throws(QualityError) -> Bool {
    try take(key, "true or false", or: standard) {
      if case .bool(let flag) = $0 { flag } else { nil }
    }
  }

  mutating func text(_ key: String, or standard: String) throws(QualityError) -> String {
    try take(key, "a string", or: standard) { if case .string(let text) = $0 { text } else { nil } }
  }

  mutating func text(_ key: String, orNull standard: String?) throws(QualityError) -> String? {
    try take(key, "a string or null", or: .some(standard)) {
      switch $0 {
      case .null: .some(nil)
      case .string(let text): .some(text)
      default: nil
      }
    }
  }

  /// The object at `key`; an empty one when `isOptional` and it is not there.
  mutating func fields(_ key: String, isOptional: Bool) throws(QualityError) -> JSONFields {
    let value = try take(key, "an object", or: isOptional ? .object([]) : nil) { $0 }
    return try JSONFields(value, path: fullName(key))
  }

  /// All that is left, as strings; numbers as they would be written.
  mutating func remainingTexts() throws(QualityError) -> [String: String] {
    var texts: [String: String] = [:]
    for key in members.keys.sorted() {
      texts[key] = try take(key, "a string or a number", or: nil) { value -> String? in
        switch value {
        case .string(let text): text
        case .number(let number): JSONValue.shown(number)
        default: nil
        }
      }
    }
    return texts
  }

  private mutating func take<Value>(
    _ key: String, _ expected: String, or standard: Value?, _ read: (JSONValue) -> Value?
  ) throws(QualityError) -> Value {
    asked.append(key)
    guard let value = members.removeValue(forKey: key) else {
      guard let standard else {
        throw QualityError(field: fullName(key), problem: "is missing; it takes \(expected)")
      }
      return standard
    }
    guard let result = read(value) else {
      throw QualityError(field: fullName(key), problem: "is \(value.line); it takes \(expected)")
    }
    return result
  }

  private func fullName(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
