import BunnyStreamAPI
import FoundationEssentials

extension Arguments {
  /// A moment in UTC, with its zone: a plain time would be taken for the reader's own.
  func date(_ name: String) throws(CommandError) -> Date? {
    guard let text = value(name) else { return nil }
    guard text.hasSuffix("Z"), let date = BunnyTimestamp.date(text) else {
      throw CommandError(.usage, "\(name) is no time; it takes UTC, as in 2026-12-24T18:00:00Z")
    }
    return date
  }
}
