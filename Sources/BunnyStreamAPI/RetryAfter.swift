import CBunnyCurl
package import FoundationEssentials

/// The header `Retry-After`, and what the server's clock read when it was sent.
package struct RetryAfter: Equatable, Sendable {
  private let text: String
  private let date: String?

  /// - Parameters:
  ///   - text: seconds, or a date of HTTP's.
  ///   - date: the header `Date`: a machine whose own clock is wrong need not ask it.
  package init(_ text: String, date: String? = nil) {
    self.text = Self.trimmed(text)
    self.date = date
  }

  /// How long to wait; not at all for a date that has passed.
  ///
  /// - Parameter now: what this machine's clock reads, in case the server has sent no `Date`.
  /// - Returns: nil when it is neither seconds nor a date.
  package func pause(now: Date) -> Duration? {
    guard !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Int64(text).map { .seconds(min($0, Self.longest)) }
    }
    guard let then = Self.seconds(text) else { return nil }
    let sent = date.flatMap(Self.seconds) ?? Int64(now.timeIntervalSince1970)
    return .seconds(min(max(then - sent, 0), Self.longest))
  }

  /// Seconds; more is not told apart.
  private static let longest = Int64(1) << 32

  private static func seconds(_ date: String) -> Int64? {
    let time = curl_getdate(trimmed(date), nil)
    return time < 0 ? nil : Int64(time)
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}
