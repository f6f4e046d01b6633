/// Why a publish URL was not taken. Shows the host at most: the rest of the URL may be the key.
public enum IngestURLError: Error, Hashable, Sendable {
  /// Does not begin with `rtmp://` or `rtmps://`.
  case scheme
  case noHost
  /// An IPv6 address without brackets, an unclosed bracket, something between bracket and port, or a
  /// character that is in no host's name.
  case host
  /// A name with letters that are not ASCII.
  case foreignHost
  /// The figures after the host's colon; `•••` when there is something else.
  case port(String)
  case noApp(host: String)
  case noStreamName(host: String)
  /// A space, a line break or an invisible character in the URL or in the stream name.
  case whitespace(inStreamName: Bool)
  /// More than ``Ingest/longestURL`` bytes.
  case tooLong(bytes: Int, inStreamName: Bool)
}

extension IngestURLError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .scheme:
      "the publish URL does not begin with rtmp:// or rtmps://; write rtmp://HOST/APP/KEY"
    case .noHost:
      "the publish URL names no host; write rtmp://HOST/APP/KEY"
    case .host:
      "the publish URL's host cannot be read; write a name, or an address, IPv6 in brackets "
        + "as in rtmp://[2001:db8::1]:1935/APP/KEY"
    case .foreignHost:
      "the publish URL's host has letters that are not ASCII; write its form that has xn-- in it"
    case .port(let text):
      "the publish URL's port \"\(text)\" is not a number from 1 to 65535"
    case .noApp(let host):
      "the publish URL for \(host) names no application; write rtmp://\(inURL(host))/APP/KEY"
    case .noStreamName(let host):
      "the publish URL for \(host) ends before the stream key; "
        + "write rtmp://\(inURL(host))/APP/KEY or give the key apart"
    case .whitespace(let inStreamName):
      "the \(inStreamName ? "stream key" : "publish URL") holds a space, a line break or an invisible "
        + "character; copy it again without what stands around it"
    case .tooLong(let bytes, let inStreamName):
      "the \(inStreamName ? "stream key" : "publish URL") has \(bytes) bytes; at most \(Ingest.longestURL) are taken"
    }
  }
}
