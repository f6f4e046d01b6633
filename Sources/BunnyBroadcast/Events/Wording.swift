/// Figures in words.
package enum Wording {
  /// `HH:MM:SS`; hours are not wrapped.
  package static func clock(_ seconds: Double) -> String {
    let total = seconds.isFinite && seconds > 0 ? Int(min(seconds, 1e12)) : 0
    return "\(twoDigits(total / 3600)):\(twoDigits(total / 60 % 60)):\(twoDigits(total % 60))"
  }

  /// As ``clock(_:)``, from two days on with days: `100 days 00:00:00`.
  package static func span(_ seconds: Double) -> String {
    let days = seconds.isFinite ? Int(min(max(0, seconds), 1e12)) / 86_400 : 0
    return days < 2
      ? clock(seconds) : "\(days) days \(clock(seconds - Double(days) * 86_400))"
  }

  /// `850 kbit/s`, `2.48 Mbit/s`.
  package static func bitrate(_ bitsPerSecond: Double) -> String {
    bitsPerSecond < 999_500
      ? "\(fixed(bitsPerSecond / 1000, 0)) kbit/s" : "\(fixed(bitsPerSecond / 1_000_000, 2)) Mbit/s"
  }
}

package func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// `value` with exactly so many decimals.
package func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "-" }
  let factor = (0..<decimals).reduce(1) { product, _ in product * 10 }
  let scaled = Int((abs(value) * Double(factor)).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return "\(sign)\(scaled)" }
  let fraction = String(scaled % factor)
  let zeros = String(repeating: "0", count: decimals - fraction.count)
  return "\(sign)\(scaled / factor).\(zeros)\(fraction)"
}
