/// `90`, `1.5`, `90s`, `5m`, `2h`, `MM:SS` or `HH:MM:SS`.
package enum DurationText {
  private static let longestSeconds = 36_000_000.0  // 10 000 hours

  package static func read(_ text: String, option: String) throws(CommandError) -> Duration {
    guard let seconds = seconds(text), seconds > 0, seconds <= longestSeconds else {
      throw CommandError(
        .usage,
        "\(option) is \(text); it takes SECONDS, MM:SS, HH:MM:SS, or a number with s, m or h "
          + "(more than 0, at most 10000h)")
    }
    return .milliseconds(max(1, Int64((seconds * 1000).rounded())))
  }

  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return withUnit(text)
    case 2, 3:
      var total = 0
      for (index, part) in parts.enumerated() {
        guard let number = digits(part), index == 0 || number < 60 else { return nil }
        total = total * 60 + number
      }
      return Double(total)
    default: return nil
    }
  }

  private static func digits(_ text: Substring) -> Int? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  private static func withUnit(_ text: String) -> Double? {
    let factors: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    let factor = text.last.flatMap { factors[$0] }
    let number = factor == nil ? text[...] : text.dropLast()
    // Double would also read "inf", "0x10" and "1e9".
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
    return Double(number).map { $0 * (factor ?? 1) }
  }
}
