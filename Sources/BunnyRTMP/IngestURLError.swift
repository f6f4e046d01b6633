/// Why a publish URL was not taken. Shows the host at most: the rest of the URL may be the key.
public enum IngestURLError: Error, Hashable, Sendable {
  /// Does not begin with `rtmp://` or `rtmps://`.
  case scheme
  case noHost
  /// An IPv6 address without brackets, an unclosed bracket, or something between bracket and port.
  case host
  /// The figures after the host's colon; `•••` when there is something else.
  case port(String)
  case noApp(host: String)
  case noStreamName(host: String)
  /// A space, line break or other control character in the URL or in the stream name.
  case whitespace(inStreamName: Bool)
  /// More than ``Ingest/longestURL`` bytes.
  case tooLong(bytes: Int)
}

extension IngestURLError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .scheme:
      "the publish URL does not begin with rtmp:// or rtmps://; write rtmp://HOST/APP/KEY"
    case .noHost:
      "the publish URL names no host; write rtmp://HOST/APP/KEY"
    case .host:
      "the publish URL's host cannot be read; write an IPv6 address in brackets, "
        + "as in rtmp://[2001:db8::1]:1935/APP/KEY"
    case .port(let text):
      "the publish URL's port \"\(text)\" is not a number from 1 to 65535"
    case .noApp(let host):
      "the publish URL for \(host) names no application; write rtmp://\(host)/APP/KEY"
    case .noStreamName(let host):
      "the publish URL for \(host) ends before the stream key; "
        + "write rtmp://\(host)/APP/KEY or give the key apart"
    case .whitespace(let inStreamName):
      "the \(inStreamName ? "stream key" : "publish URL") holds a space, a line break or a control "
        + "character; copy it again without what stands around it"
    case .tooLong(let bytes):
      "the publish URL has \(bytes) bytes; at most \(Ingest.longestURL) are taken"
    }
  }
}
