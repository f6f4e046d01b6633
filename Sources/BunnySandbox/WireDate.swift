package import Foundation

extension Wire {
  /// The five forms in which Bunny writes dates. All mean UTC.
  package enum DateForm: CaseIterable, Sendable {
    /// `2026-07-01T08:20:00`
    case seconds
    /// `2026-07-01T08:20:00.123`
    case milliseconds
    /// `2026-07-01T08:20:00Z`
    case secondsWithZone
    /// `2026-07-01T08:20:00.123Z`
    case millisecondsWithZone
    /// `2026-07-01T08:20:00.1234567Z`
    case ticks

    package func text(_ date: Date) -> String {
      let ticks = Int((date.timeIntervalSince1970 * 10_000_000).rounded(.down))
      let whole = Self.whole(Date(timeIntervalSince1970: Double(ticks / 10_000_000)))
      let milliseconds = digits(ticks % 10_000_000 / 10_000, 3)
      return switch self {
      case .seconds: whole
      case .milliseconds: "\(whole).\(milliseconds)"
      case .secondsWithZone: "\(whole)Z"
      case .millisecondsWithZone: "\(whole).\(milliseconds)Z"
      case .ticks: "\(whole).\(digits(ticks % 10_000_000, 7))Z"
      }
    }

    private static func whole(_ date: Date) -> String {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: date)
      let day = [digits(parts.year, 4), digits(parts.month, 2), digits(parts.day, 2)]
      let time = [digits(parts.hour, 2), digits(parts.minute, 2), digits(parts.second, 2)]
      return day.joined(separator: "-") + "T" + time.joined(separator: ":")
    }
  }

  /// Which form each date of one answer has. Every answer begins with the next one, so that a client
  /// that polls meets all of them in every date.
  package struct DateForms: Sendable {
    private let first: Int

    /// - Parameter answer: how many there were before.
    package init(answer: Int) { first = answer }

    package subscript(place: Int) -> DateForm {
      DateForm.allCases[(first + place) % DateForm.allCases.count]
    }
  }
}

private func digits(_ number: Int?, _ count: Int) -> String {
  let text = String(number ?? 0)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}
