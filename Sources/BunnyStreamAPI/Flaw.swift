import FoundationEssentials

/// What is wrong with a value that a caller gave, in words that begin with the field's name; nil where
/// nothing is. What the server would refuse anyway is said sooner, and says what it takes.
enum Flaw {
  static func blank(_ field: String, _ text: String?) -> String? {
    guard let text, text.allSatisfy(\.isWhitespace) else { return nil }
    return "\(field) is blank; it takes some text"
  }

  /// A number from 1 on.
  static func count(_ field: String, _ number: Int?) -> String? {
    range(field, number, 1...Int(Int32.max))
  }

  static func range(_ field: String, _ number: Int?, _ range: ClosedRange<Int>) -> String? {
    guard let number, !range.contains(number) else { return nil }
    return "\(field) is \(number); it takes \(range.lowerBound) to \(range.upperBound)"
  }

  static func past(_ field: String, _ date: Date?, now: Date) -> String? {
    guard let date, date < now else { return nil }
    return
      "\(field) is \(BunnyTimestamp.wholeSeconds(date)), which is over; it takes a time to come"
  }

  static func order(_ start: (String, Date?), _ end: (String, Date?)) -> String? {
    guard let first = start.1, let last = end.1, last <= first else { return nil }
    return "\(end.0) is not later than \(start.0)"
  }

  /// The address of something that Bunny is to fetch.
  static func address(_ field: String, _ text: String) -> String? {
    let isOne = URLComponents(string: text).map { url in
      ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
    }
    return isOne == true ? nil : "\(field) is no URL of http or https"
  }

  static func picture(_ field: String, _ bytes: Data) -> String? {
    guard !bytes.isEmpty else { return "\(field) is empty; it takes a picture" }
    guard bytes.count > BunnyImageFormat.mostBytes else { return nil }
    return "\(field) has \(bytes.count) bytes; it takes at most \(BunnyImageFormat.mostBytes)"
  }
}
