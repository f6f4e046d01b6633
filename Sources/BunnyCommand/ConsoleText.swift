package import BunnyBroadcast
import BunnySystem

/// How the log may look.
package struct ConsoleStyle: Equatable, Sendable {
  /// A status line at the foot, redrawn in place.
  package var redraws: Bool
  package var colours: Bool
  /// Times of day by the clock on the wall; otherwise full and in UTC.
  package var isTerminal: Bool

  package init(isTerminal: Bool, environment: [String: String]) {
    let isDumb = environment["TERM"].map { $0.isEmpty || $0 == "dumb" } ?? true
    self.isTerminal = isTerminal
    redraws = isTerminal && !isDumb
    colours = redraws && (environment["NO_COLOR"] ?? "").isEmpty
  }
}

/// What is written to standard error: log lines, and below them on a terminal the status line.
/// Makes text only.
package struct ConsoleText: Sendable {
  private let style: ConsoleStyle
  private var status = ""

  package init(_ style: ConsoleStyle) { self.style = style }

  /// A log line; the status line moves down by one.
  package func line(_ level: LogLevel, _ sentence: String, at moment: Moment) -> String {
    let time = style.isTerminal ? moment.localTime : moment.iso8601
    let text = "\(time) \(coloured(level)) \(Self.printable(sentence))\n"
    guard style.redraws, !status.isEmpty else { return text }
    return "\r\u{1B}[K\(text)\(status)"
  }

  /// The status line in place of the last one; nil when it already stands there.
  package mutating func draw(_ status: String) -> String? {
    guard style.redraws, status != self.status else { return nil }
    self.status = Self.steerless(status)  // cut to the terminal's width with no secret in it
    return "\r\(self.status)\u{1B}[K"
  }

  /// Takes the status line away; nil when there is none.
  package mutating func clear() -> String? {
    guard style.redraws, !status.isEmpty else { return nil }
    status = ""
    return "\r\u{1B}[K"
  }

  private func coloured(_ level: LogLevel) -> String {
    guard style.colours else { return level.name }
    switch level {
    case .error: return "\u{1B}[31m\(level.name)\u{1B}[0m"
    case .warning: return "\u{1B}[33m\(level.name)\u{1B}[0m"
    default: return level.name
    }
  }

  /// Names of files and words of servers cannot steer the terminal, nor fake a line. What addresses
  /// hold is left out once more, wherever they come from: FFmpeg's lines name what it opens.
  package static func printable(_ text: String) -> String {
    steerless(hidingAddresses(in: text))
  }

  private static func steerless(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0..<0x20, 0x7F...0x9F: "?"
          case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: "?"  // turn the line around
          default: scalar
          }
        }))
  }
}
