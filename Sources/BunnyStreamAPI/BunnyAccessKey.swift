/// The access key of a video library: the secret that lets whoever holds it do anything there.
///
/// It is the key of the *library* (in the dashboard, on the library's API page); the account's key is
/// refused. Prints as `•••` whichever way it is printed. The text itself leaves this module only in
/// the `AccessKey` header of a request to the API's own host.
public struct BunnyAccessKey: Sendable, Hashable {
  private let text: HiddenText

  /// Spaces and line breaks around the key are left out.
  public init(_ text: String) {
    var key = text[...]
    while key.first?.isWhitespace == true { key.removeFirst() }
    while key.last?.isWhitespace == true { key.removeLast() }
    self.text = HiddenText(String(key))
  }

  /// Why no server can accept this key, in words that go on from "the access key"; nil when one may.
  ///
  /// Calls with such a key fail with ``BunnyLiveStreamError/Kind/unauthorized``, unsent.
  public var problem: String? {
    let key = text.reveal()
    if key.isEmpty { return "is empty" }
    let isHeader = key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isHeader ? nil : "holds a space, a line break or another character that no key has"
  }

  /// The key itself. For the request's header only.
  func reveal() -> String { text.reveal() }
}

extension BunnyAccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { HiddenText.mark }
  public var debugDescription: String { HiddenText.mark }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
