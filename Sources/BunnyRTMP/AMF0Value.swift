/// One value of AMF0, the encoding of RTMP's commands and metadata.
public enum AMF0Value: Sendable, Hashable {
  case number(Double)
  case boolean(Bool)
  /// Written as a long string when it has more than 65 535 bytes.
  case string(String)
  case object(AMF0Object)
  case null
  case undefined
  /// The index of an earlier object of the same message. Never followed.
  case reference(UInt16)
  case ecmaArray(AMF0Object)
  case strictArray([AMF0Value])
  /// Milliseconds since 1970, and the time zone's minutes, which the format wants ignored.
  case date(milliseconds: Double, timeZone: Int16)
  case longString(String)
  case unsupported
  case xmlDocument(String)
  case typedObject(className: String, AMF0Object)
}

/// Named AMF0 values, in order. A name may occur twice; the first one is found.
public struct AMF0Object: Sendable, Hashable {
  public struct Pair: Sendable, Hashable {
    public let name: String
    public let value: AMF0Value
    public init(name: String, value: AMF0Value) {
      self.name = name
      self.value = value
    }
  }

  public var pairs: [Pair]

  public init(_ pairs: [(String, AMF0Value)] = []) {
    self.pairs = pairs.map { Pair(name: $0.0, value: $0.1) }
  }

  public subscript(name: String) -> AMF0Value? { pairs.first { $0.name == name }?.value }
}

extension AMF0Object: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, AMF0Value)...) { self.init(elements) }
}

extension AMF0Value: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension AMF0Value {
  /// The text of a string or long string.
  public var text: String? {
    switch self {
    case .string(let text), .longString(let text): text
    default: nil
    }
  }

  public var double: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The named values of an object of any of the three kinds.
  public var properties: AMF0Object? {
    switch self {
    case .object(let object), .ecmaArray(let object), .typedObject(_, let object): object
    default: nil
    }
  }
}
