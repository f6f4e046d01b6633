/// What opens an API: a library's access key for Bunny's own, or other headers for a service of yours
/// that stands in front of it, so that the key, which may do anything, stays off the machine.
///
/// Prints as `•••` whichever way it is printed.
public struct BunnyAPICredential: Sendable, Hashable {
  /// Headers by their names, without the colon.
  private let headers: [Header]
  /// What is wrong with it, in words that go on from "the access key".
  let problem: String?

  private struct Header: Hashable, Sendable {
    let name: String
    let value: HiddenText
  }

  /// The header `AccessKey` of Bunny's.
  public static func accessKey(_ key: BunnyAccessKey) -> Self {
    Self(
      headers: [Header(name: "AccessKey", value: HiddenText(key.reveal()))], problem: key.problem)
  }

  /// The header `Authorization: Bearer TOKEN`.
  public static func bearer(_ token: String) -> Self {
    let key = BunnyAccessKey(token)
    let value = HiddenText("Bearer \(key.reveal())")
    return Self(headers: [Header(name: "Authorization", value: value)], problem: key.problem)
  }

  /// Headers as text, one `Name: value` a line; blank lines and those that begin with `#` do not count.
  /// They go with every request in place of an access key.
  public static func headers(_ text: String) throws(BunnyAPIHeadersError) -> Self {
    var headers: [Header] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#") {
      headers.append(try header(line, number: index + 1))
    }
    guard !headers.isEmpty else { throw .none }
    return Self(headers: headers, problem: nil)
  }

  private static func header(
    _ line: Substring, number: Int
  ) throws(BunnyAPIHeadersError) -> Header {
    guard let colon = line.firstIndex(of: ":") else { throw .noColon(line: number) }
    let name = line[..<colon]
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
    guard isName, !name.isEmpty else { throw .name(line: number) }
    guard !ours.contains(name.lowercased()) else { throw .ours(line: number, name: String(name)) }
    var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
    while value.last?.isWhitespace == true { value.removeLast() }
    guard !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw .value(line: number)
    }
    return Header(name: String(name), value: HiddenText(String(value)))
  }

  /// What this client says itself in each request.
  private static let ours: Set<String> = [
    "accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "host",
    "transfer-encoding",
  ]

  /// Lines of a request. For the request only.
  var lines: [String] { headers.map { "\($0.name): \($0.value.reveal())" } }

  /// What must be in no error: the values, and what follows a scheme such as `Bearer`. A `1` is no
  /// secret, and stands in many a sentence.
  var secrets: [String] {
    headers.flatMap { header in
      let value = header.value.reveal()
      return [value] + (value.split(separator: " ", maxSplits: 1).dropFirst().map(String.init))
    }.filter { $0.utf8.count > 3 }
  }
}

extension BunnyAPICredential: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { HiddenText.mark }
  public var debugDescription: String { HiddenText.mark }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// Why a text is no list of headers. Names the line, and shows nothing of it that may be secret.
public enum BunnyAPIHeadersError: Error, Hashable, Sendable {
  case none
  case noColon(line: Int)
  /// Something before the colon that no header's name has.
  case name(line: Int)
  /// A header that each request has already.
  case ours(line: Int, name: String)
  /// Nothing behind the colon, or a character that no header holds.
  case value(line: Int)
}

extension BunnyAPIHeadersError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .none: "holds no header; write one `Name: value` a line"
    case .noColon(let line): "has no colon in line \(line); write `Name: value`"
    case .name(let line):
      "has no header's name in line \(line); it takes letters, figures and hyphens before the colon"
    case .ours(let line, let name):
      "names \(name) in line \(line), which each request says itself; leave it out"
    case .value(let line):
      "has no value in line \(line) that a header can hold; write printable ASCII after the colon"
    }
  }
}
