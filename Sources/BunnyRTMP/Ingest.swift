import Glibc

/// Where to publish: the one documented split of a publish URL.
///
/// `rtmp://HOST[:PORT]/APP[/INSTANCE]/NAME`, where `rtmps` is RTMP over TLS.
///
/// - The scheme is read in either case. Ports default to 1935, for `rtmps` to 443.
/// - Credentials (`user:password@`) are dropped: RTMP has no common way to send them, and a server that
///   wants them (`authmod=adobe`) says so when it refuses `connect`.
/// - A host is letters, digits, `-`, `.` and `_`, or an IPv6 address in brackets, with `%25` before its
///   zone. The dot behind a host that is looked up as it stands, and a zone, mean nothing to the server:
///   they are left out of tcUrl.
/// - Nothing is decoded: percent signs, `+`, `=`, `&` and letters of any alphabet reach the server as
///   they were written, byte by byte.
/// - A `?` opens a query, and slashes in a query part nothing. Before it: with two segments the first
///   is the app and the second opens the name; with three or more, the first two are the app (as
///   `ffmpeg` splits them) and all that follows is the name, with its query.
/// - An empty segment is no instance: `rtmp://host/app//name` publishes `/name` to `app`.
/// - A query straight after the only segment belongs to the app, up to its last slash:
///   `rtmp://host/app?vhost=a/name`.
/// - A key with slashes is given apart, as `streamName`: then the whole path is the app, without the
///   slashes at its end unless they end a query.
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
    try Self.check(url, isStreamName: false)
    let (isSecure, afterScheme) = try Self.splitScheme(url)
    let authority = afterScheme.prefix { !"/?#".utf8.contains($0) }
    let address = try Self.splitAuthority(authority)
    let path = afterScheme.dropFirst(authority.count)
    host = address.host
    self.isSecure = isSecure
    port = address.port ?? (isSecure ? 443 : 1935)
    guard path.first == .slash else { throw .noApp(host: address.host) }

    if let streamName {
      try Self.check(streamName, isStreamName: true)
      app = Self.wholeApp(path.dropFirst()).text
      self.streamName = StreamKey(streamName)
    } else {
      let (app, name) = Self.splitPath(path.dropFirst())
      self.app = app.text
      self.streamName = StreamKey(name.text)
    }
    guard !appName.isEmpty else { throw .noApp(host: address.host) }
    guard !self.streamName.reveal().isEmpty else { throw .noStreamName(host: address.host) }
  }

  private var origin: String {
    let zoneless = host.contains(":") ? host.utf8.prefix { $0 != .percent } : host.utf8[...]
    let name = zoneless.last == .dot ? zoneless.dropLast().text : zoneless.text
    let isDefault = port == (isSecure ? 443 : 1935)
    return "\(isSecure ? "rtmps" : "rtmp")://\(inURL(name))\(isDefault ? "" : ":\(port)")"
  }

  /// The app without its instance and query, which may be secret.
  private var appName: Substring.UTF8View {
    app.utf8.prefix { $0 != .slash && $0 != .question }
  }
}

extension Ingest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "\(origin)/\(appName.text)/\(StreamKey.hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  /// Every piece of text that must not come back out of a server's message: the stream name, its
  /// part before the query, what the app holds beyond its first segment, and the values of their
  /// queries; all of it with percent signs decoded too. Longest first.
  package var secrets: [String] {
    let name = streamName.reveal()
    let beyond = app.utf8.dropFirst(appName.count + 1)
    var pieces = [name, name.utf8.prefix { $0 != .question }.text, beyond.text]
    for query in [name, app].map({ $0.utf8.drop { $0 != .question }.dropFirst() }) {
      let values = query.split(separator: .ampersand).map { $0.drop { $0 != .equals }.dropFirst() }
      pieces += [query.text] + values.filter { $0.count >= 4 }.map(\.text)
    }
    let all = Set(pieces + pieces.map(withoutPercentSigns)).filter { !$0.isEmpty }
    return all.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }
}

// The split itself: by bytes, so that a combining mark behind a slash does not hide it.
extension Ingest {
  private typealias Bytes = Substring.UTF8View

  private static func check(_ text: String, isStreamName: Bool) throws(IngestURLError) {
    guard text.utf8.count <= longestURL else {
      throw .tooLong(bytes: text.utf8.count, inStreamName: isStreamName)
    }
    let isClean = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
      default: true
      }
    }
    guard isClean else { throw .whitespace(inStreamName: isStreamName) }
  }

  private static func splitScheme(
    _ url: String
  ) throws(IngestURLError) -> (isSecure: Bool, rest: Bytes) {
    let scheme = url.utf8.prefix { $0 != .colon }
    let rest = url.utf8.dropFirst(scheme.count)
    guard rest.starts(with: "://".utf8) else { throw .scheme }
    switch scheme.text.lowercased() {
    case "rtmp": return (false, rest.dropFirst(3))
    case "rtmps": return (true, rest.dropFirst(3))
    default: throw .scheme
    }
  }

  private static func splitAuthority(
    _ authority: Bytes
  ) throws(IngestURLError) -> (host: String, port: UInt16?) {
    var rest = authority
    if let at = rest.lastIndex(of: .at) { rest = rest[rest.index(after: at)...] }
    guard rest.first != .openBracket else { return try splitBrackets(rest.dropFirst()) }
    let host = rest.prefix { $0 != .colon }
    let afterHost = rest.dropFirst(host.count)
    guard !afterHost.dropFirst().contains(.colon) else { throw .host }  // IPv6 without brackets
    guard !host.isEmpty else { throw .noHost }
    guard host.allSatisfy({ $0 < 0x80 }) else { throw .foreignHost }
    guard host.allSatisfy(\.isOfHostName), host.contains(where: { $0 != .dot }) else {
      throw .host
    }
    return (host.text, try port(afterHost))
  }

  /// - Parameter rest: What follows the opening bracket.
  private static func splitBrackets(
    _ rest: Bytes
  ) throws(IngestURLError) -> (host: String, port: UInt16?) {
    guard let bracket = rest.firstIndex(of: .closeBracket) else { throw .host }
    let inside = rest[..<bracket]
    let afterHost = rest[rest.index(after: bracket)...]
    guard afterHost.isEmpty || afterHost.first == .colon else { throw .host }
    let figures = inside.prefix { $0 != .percent }.text
    var address = in6_addr()
    guard inet_pton(AF_INET6, figures, &address) == 1 else { throw .host }
    var zone = inside.dropFirst(figures.utf8.count + 1)
    if zone.starts(with: "25".utf8) { zone = zone.dropFirst(2) }
    guard zone.allSatisfy(\.isOfHostName) else { throw .host }
    return (zone.isEmpty ? figures : "\(figures)%\(zone.text)", try port(afterHost))
  }

  /// - Parameter text: The colon and what follows, if there is one.
  private static func port(_ text: Bytes) throws(IngestURLError) -> UInt16? {
    let digits = text.dropFirst()
    guard !digits.isEmpty else { return nil }
    guard digits.allSatisfy(\.isDigit) else {
      throw .port(StreamKey.hidden)  // may be a password that lost its @
    }
    guard let port = UInt16(digits.text), port > 0 else {
      throw .port(digits.prefix(8).text)
    }
    return port
  }

  /// - Parameter path: What follows the slash behind the host; likewise below.
  private static func wholeApp(_ path: Bytes) -> Bytes {
    var app = path
    while app.last == .slash, !app.contains(.question) { app = app.dropLast() }
    return app
  }

  private static func splitPath(_ path: Bytes) -> (app: Bytes, name: Bytes) {
    let beforeQuery = path.prefix { $0 != .question }
    guard let first = beforeQuery.firstIndex(of: .slash) else {
      guard let slash = path.lastIndex(of: .slash) else { return (path, path.suffix(0)) }
      return (path[..<slash], path[path.index(after: slash)...])
    }
    let afterFirst = path.index(after: first)
    guard let second = beforeQuery[afterFirst...].firstIndex(of: .slash), second > afterFirst else {
      return (path[..<first], path[afterFirst...])
    }
    return (path[..<second], path[path.index(after: second)...])
  }
}
