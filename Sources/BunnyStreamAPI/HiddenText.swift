/// A text that prints as `•••` whichever way it is printed: interpolated, dumped, mirrored.
struct HiddenText: Hashable, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The text itself: never for a message, a log or an error.
  func reveal() -> String { text }
}

extension HiddenText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  static let mark = "•••"

  var description: String { Self.mark }
  var debugDescription: String { Self.mark }
  var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
