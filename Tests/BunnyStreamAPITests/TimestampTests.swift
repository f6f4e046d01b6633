import BunnyStreamAPI
import Foundation
import Testing

struct TimestampTests {
  @Test(arguments: [
    ("2026-07-01T08:20:00.1234567Z", 1_782_894_000.1234567),
    ("2026-07-01T08:20:00.123Z", 1_782_894_000.123),
    ("2026-07-01T08:20:00.123", 1_782_894_000.123),
    ("2026-07-01T08:20:00Z", 1_782_894_000),
    ("2026-07-01T08:20:00", 1_782_894_000),
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59", -1), ("2000-02-29T12:00:00", 951_825_600),
    ("2024-12-31T23:59:59.999999999Z", 1_735_689_599.999999999),
    ("0001-01-01T00:00:00", -62_135_596_800),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `all forms of a date are UTC`(_ text: String, _ seconds: Double) {
    let date = BunnyTimestamp.date(text)
    #expect(abs((date?.timeIntervalSince1970 ?? .infinity) - seconds) < 0.000_001)
  }

  @Test(arguments: [
    "", "2026", "2026-07-01", "2026-07-01 08:20:00", "2026-13-01T00:00:00", "2026-00-01T00:00:00",
    "2026-02-29T00:00:00", "2100-02-29T00:00:00", "2026-04-31T00:00:00", "2026-07-00T00:00:00",
    "2026-07-01T24:00:00", "2026-07-01T23:60:00", "2026-07-01T23:00:60", "2026-07-01T08:20:00.",
    "2026-07-01T08:20:00.Z", "2026-07-01T08:20:00.1234567890Z", "2026-07-01T08:20:00ZZ",
    "2026-07-01T08:20:00+02:00", "26-07-01T08:20:00", "２０26-07-01T08:20:00", " 2026-07-01T08:20:00",
    "2026-07-01T08:20:00z ", "-026-07-01T08:20:00", "tomorrow", "1782894000",
  ])
  func `what is no date is nil`(_ text: String) {
    #expect(BunnyTimestamp.date(text) == nil)
  }

  @Test func `the days agree with Foundation's calendar`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for day in stride(from: -25_000, to: 50_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let text = String(format: "%04d-%02d-%02dT00:00:00", parts.year!, parts.month!, parts.day!)
      #expect(BunnyTimestamp.date(text) == date)
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_782_894_012.25, "2026-07-01T08:20:12.250Z"),
    (951_782_400, "2000-02-29T00:00:00.000Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
    (4_107_542_399.9996, "2100-03-01T00:00:00.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
    (253_402_300_799, "9999-12-31T23:59:59.000Z"), (1e300, "9999-12-31T23:59:59.000Z"),
    (.nan, "0001-01-01T00:00:00.000Z"),
  ])
  func `a date is written in UTC, with milliseconds`(_ seconds: Double, _ text: String) {
    #expect(BunnyTimestamp.text(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func `what is written is read again`() {
    for day in stride(from: -200_000, to: 200_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86400 + Double(day & 0xFFFF) + 0.125)
      #expect(BunnyTimestamp.date(BunnyTimestamp.text(date)) == date)
      let whole = BunnyTimestamp.date(BunnyTimestamp.wholeSeconds(date))
      #expect(whole?.timeIntervalSince1970 == date.timeIntervalSince1970.rounded(.down))
    }
  }
}
