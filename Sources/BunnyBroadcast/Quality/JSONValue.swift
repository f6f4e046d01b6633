/// JSON whose keys keep their order when it is written: events and quality files are read by people
/// too, and `JSONEncoder` knows sorted keys or none.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(Double(value)) }

  /// On one line, without spaces.
  package var line: String {
    switch self {
    case .array(let values): "[\(values.map(\.line).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.key)):\($0.value.line)" }.joined(separator: ","))}"
    default: scalar
    }
  }

  /// On several lines, indented by two spaces; `depth` is how deep this value lies.
  package func page(depth: Int = 0) -> String {
    let inner = String(repeating: "  ", count: depth + 1)
    let outer = String(repeating: "  ", count: depth)
    switch self {
    case .array(let values) where !values.isEmpty:
      let lines = values.map { inner + $0.page(depth: depth + 1) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map {
        "\(inner)\(Self.quoted($0.key)): \($0.value.page(depth: depth + 1))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    default: return line
    }
  }

  private var scalar: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .number(let value): Self.shown(value)
    case .string(let text): Self.quoted(text)
    default: "null"
    }
  }

  /// As people write numbers: 30, not 30.0. JSON has no infinity: null.
  package static func shown(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
