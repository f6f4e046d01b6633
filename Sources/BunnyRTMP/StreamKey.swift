/// A stream key: the secret that lets whoever holds it publish.
///
/// Prints as `•••` whichever way it is printed: interpolated, dumped, mirrored, in an error. The text
/// itself comes out only inside this package, where it is written to the ingest.
public struct StreamKey: Sendable, Hashable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The key itself. For the wire only: never for a message, a log or an error.
  package func reveal() -> String { text }
}

extension StreamKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What stands in every text in place of a secret.
  public static let hidden = "•••"

  public var description: String { Self.hidden }
  public var debugDescription: String { Self.hidden }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
