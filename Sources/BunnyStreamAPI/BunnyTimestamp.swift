package import FoundationEssentials

/// Reads and writes Bunny's dates: `2026-07-01T08:20:00`, with or without a fraction of a second, with or without
/// a `Z`; UTC either way.
package enum BunnyTimestamp {
  /// - Returns: nil for whatever is no such date.
  package static func date(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { date(Figures(rest: $0[...])) }
  }

  private static func date(_ text: Figures) -> Date? {
    var figures = text
    guard let year = figures.number(4), figures.take("-"),
      let month = figures.number(2), figures.take("-"),
      let day = figures.number(2), figures.take("T"),
      let hour = figures.number(2), figures.take(":"),
      let minute = figures.number(2), figures.take(":"),
      let second = figures.number(2), let fraction = figures.fraction()
    else { return nil }
    _ = figures.take("Z")
    guard figures.rest.isEmpty, (1...12).contains(month),
      (1...daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// As Bunny's own clients send it: UTC with milliseconds, as in `2026-08-01T18:00:00.000Z`.
  package static func text(_ date: Date) -> String {
    let milliseconds = milliseconds(of: date)
    let fraction = milliseconds - floored(milliseconds, 1000) * 1000
    return "\(dateAndTime(milliseconds)).\(digits(fraction, 3))Z"
  }

  /// UTC in whole seconds, as queries take it.
  package static func wholeSeconds(_ date: Date) -> String {
    dateAndTime(milliseconds(of: date)) + "Z"
  }

  /// From year 1 to 9999, which four figures can write; also of a date that is not a number.
  private static func milliseconds(of date: Date) -> Int {
    let seconds = min(max(-62_135_596_800, date.timeIntervalSince1970), 253_402_300_799)
    return Int((seconds * 1000).rounded())
  }

  private static func dateAndTime(_ milliseconds: Int) -> String {
    let seconds = floored(milliseconds, 1000)
    let day = floored(seconds, 86400)
    let second = seconds - day * 86400
    // The inverse of ``days(_:_:_:)``.
    let sinceEpoch = day + 719_468
    let era = floored(sinceEpoch, 146_097)
    let dayOfEra = sinceEpoch - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [
      digits(year, 4), digits(month, 2), digits(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2),
    ]
    let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }
    return date.joined(separator: "-") + "T" + time.joined(separator: ":")
  }

  private static func floored(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Days from 1970-01-01, in the Gregorian calendar; years begin in March, so that a leap day is the
  /// last of one.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let monthsFromMarch = (month + 9) % 12
    let century = year / 100
    let dayOfYear = (153 * monthsFromMarch + 2) / 5 + day - 1
    return 365 * year + year / 4 - century + century / 4 + dayOfYear - 719_468
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// What of a date has not been read yet.
private struct Figures {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// A number of exactly `count` figures.
  mutating func number(_ count: Int) -> Int? {
    let figures = rest.prefix(count)
    guard figures.count == count, figures.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    rest.removeFirst(count)
    return figures.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Seconds below one: 0 without a dot, nil without figures behind it or with more than nine.
  mutating func fraction() -> Double? {
    guard take(".") else { return 0 }
    let count = rest.prefix { (0x30...0x39).contains($0) }.count
    guard (1...9).contains(count), let value = number(count) else { return nil }
    return Double(value) / (0..<count).reduce(1.0) { power, _ in power * 10 }
  }
}
