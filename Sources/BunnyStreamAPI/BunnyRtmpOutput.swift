/// A server to which Bunny forwards the incoming stream.
///
/// Printing one does not show its stream key.
public struct BunnyRtmpOutput: Equatable, Sendable {
  /// Where Bunny forwards to, as an RTMP URL without the stream key.
  public let endpoint: String?
  private let key: HiddenText?

  /// What Bunny publishes under there. Secret.
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
