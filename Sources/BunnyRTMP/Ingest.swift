/// Where to publish: the one documented split of a publish URL.
///
/// `rtmp://HOST[:PORT]/APP[/INSTANCE]/NAME`, where `rtmps` is RTMP over TLS.
///
/// - The scheme is read in either case. Credentials (`user:password@`) are dropped: RTMP has no
///   common way to send them. Ports default to 1935, for `rtmps` to 443.
/// - Nothing is decoded: percent signs, `+`, `=` and `&` reach the server as they were written.
/// - A `?` opens a query, and slashes in a query part nothing. Before it: with two segments the first
///   is the app and the second opens the name; with three or more, the first two are the app (as
///   `ffmpeg` splits them) and all that follows is the name, with its query.
/// - An empty segment is no instance: `rtmp://host/app//name` publishes `/name` to `app`.
/// - A query straight after the only segment belongs to the app: `rtmp://host/app?vhost=a/name`.
/// - A key with slashes is given apart, as `streamName`: then the whole path is the app.
///
/// Printing an ingest shows the scheme, the host, a port that is not the default one and the app's
/// first segment: the rest may be part of a key.
public struct Ingest: Sendable, Hashable {
  /// The most bytes taken for a URL, and for a stream name.
  public static let longestURL = 8192

  /// A name or an address, IPv6 without its brackets.
  public let host: String
  public let port: UInt16
  /// Whether the URL asks for TLS (`rtmps`).
  public let isSecure: Bool
  /// What `connect` asks for: application and instance, with the app's query if it has one.
  public let app: String
  /// What is published, query included.
  public let streamName: StreamKey

  /// The URL as `connect` sends it: without stream name and credentials, default ports left out.
  /// Not for logs, since an instance or query in it may be secret.
  public var tcURL: String { "\(origin)/\(app)" }

  /// Splits `url`.
  ///
  /// - Parameters:
  ///   - url: As above; when `streamName` is given, everything in its path is the app.
  ///   - streamName: The stream key, given apart; taken as it is.
  public init(_ url: String, streamName: String? = nil) throws(IngestURLError) {
    try Self.check(url, inStreamName: false)
    let (isSecure, afterScheme) = try Self.splitScheme(url)
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let address = try Self.splitAuthority(authority)
    let path = afterScheme.dropFirst(authority.count)
    host = address.host
    self.isSecure = isSecure
    port = address.port ?? (isSecure ? 443 : 1935)
    guard path.first == "/" else { throw .noApp(host: address.host) }

    if let streamName {
      try Self.check(streamName, inStreamName: true)
      guard !streamName.isEmpty else { throw .noStreamName(host: address.host) }
      var path = path.dropFirst()
      while path.last == "/" { path.removeLast() }
      app = String(path)
      self.streamName = StreamKey(streamName)
    } else {
      let (app, name) = Self.splitPath(path.dropFirst())
      guard !app.isEmpty else { throw .noApp(host: address.host) }
      guard !name.isEmpty else { throw .noStreamName(host: address.host) }
      self.app = String(app)
      self.streamName = StreamKey(String(name))
    }
    guard app.first != nil, app.first != "?" else { throw .noApp(host: address.host) }
  }

  private var origin: String {
    let shownHost = host.contains(":") ? "[\(host)]" : host
    let isDefault = port == (isSecure ? 443 : 1935)
    return "\(isSecure ? "rtmps" : "rtmp")://\(shownHost)\(isDefault ? "" : ":\(port)")"
  }
}

extension Ingest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "\(origin)/\(app.prefix { $0 != "/" && $0 != "?" })/\(StreamKey.hidden)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  /// Every piece of text that must not come back out of a server's message: the stream name, its
  /// part before the query, and what the app holds beyond its first segment. Longest first.
  package var secrets: [String] {
    let name = streamName.reveal()
    let bare = String(name.prefix { $0 != "?" })
    let query = name.dropFirst(bare.count + 1)
    let values = query.split(separator: "&").map { String($0.drop { $0 != "=" }.dropFirst()) }
    let beyond = String(app.drop { $0 != "/" && $0 != "?" }.dropFirst())
    let pieces = [name, bare, String(query), beyond] + values.filter { $0.utf8.count >= 4 }
    return pieces.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
  }
}

// The split itself.
extension Ingest {
  private static func check(_ text: String, inStreamName: Bool) throws(IngestURLError) {
    guard text.utf8.count <= longestURL else { throw .tooLong(bytes: text.utf8.count) }
    let isClean = text.unicodeScalars.allSatisfy { scalar in
      scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value)
        && !scalar.properties.isWhitespace
    }
    guard isClean else { throw .whitespace(inStreamName: inStreamName) }
  }

  private static func splitScheme(
    _ url: String
  ) throws(IngestURLError) -> (isSecure: Bool, rest: Substring) {
    let scheme = url.prefix { $0 != ":" }
    let rest = url.dropFirst(scheme.count)
    guard rest.hasPrefix("://") else { throw .scheme }
    switch scheme.lowercased() {
    case "rtmp": return (false, rest.dropFirst(3))
    case "rtmps": return (true, rest.dropFirst(3))
    default: throw .scheme
    }
  }

  private static func splitAuthority(
    _ authority: Substring
  ) throws(IngestURLError) -> (host: String, port: UInt16?) {
    var rest = authority
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    var host: Substring
    if rest.first == "[" {
      guard let bracket = rest.firstIndex(of: "]") else { throw .host }
      host = rest[rest.index(after: rest.startIndex)..<bracket]
      rest = rest[rest.index(after: bracket)...]
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { throw .host }
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest.dropFirst(host.count)
      guard !rest.dropFirst().contains(":") else { throw .host }
    }
    guard !host.isEmpty else { throw .noHost }
    let digits = rest.dropFirst()
    guard !digits.isEmpty else { return (String(host), nil) }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .port(StreamKey.hidden)  // may be a password that lost its @
    }
    guard let port = UInt16(digits), port > 0 else { throw .port(String(digits.prefix(8))) }
    return (String(host), port)
  }

  /// `path` is what follows the slash behind the host.
  private static func splitPath(_ path: Substring) -> (app: Substring, name: Substring) {
    let beforeQuery = path.prefix { $0 != "?" }
    guard let first = beforeQuery.firstIndex(of: "/") else {
      guard let slash = path.lastIndex(of: "/") else { return (path, "") }
      return (path[..<slash], path[path.index(after: slash)...])
    }
    let afterFirst = path.index(after: first)
    guard let second = beforeQuery[afterFirst...].firstIndex(of: "/"), second > afterFirst else {
      return (path[..<first], path[afterFirst...])
    }
    return (path[..<second], path[path.index(after: second)...])
  }
}
