/// How talkative the log is.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable {
  case error, warning, info, debug, trace

  package var name: String { "\(self)" }

  package init?(named name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
