/// A server to which Bunny forwards the incoming stream.
///
/// Printing one does not show its stream key.
public struct BunnyRtmpOutput: Equatable, Sendable {
  public let endpoint: String?
  private let key: HiddenText?

  /// Secret.
  public var streamKey: String? { key?.reveal() }

  public init(endpoint: String?, streamKey: String?) {
    self.endpoint = endpoint
    key = streamKey.map(HiddenText.init)
  }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    self.init(endpoint: json["endpoint"]?.text, streamKey: json["streamKey"]?.text)
  }
}
