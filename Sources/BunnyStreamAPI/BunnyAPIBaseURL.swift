import FoundationEssentials

/// Where Bunny's API is: an `https` URL, or `http` on this machine, for the sandbox.
///
/// With `http` the access key travels in the clear, so any other host is refused unless
/// `allowingClearText` says that the network between is trusted. So is `http` where the environment
/// names a proxy for it (`http_proxy`), which would be sent the key.
public struct BunnyAPIBaseURL: Sendable, Hashable {
  /// Bunny's own.
  public static let bunny = BunnyAPIBaseURL(origin: "https://video.bunnycdn.com", path: "")

  /// Scheme, host and a port that is not the default one, as in `https://video.bunnycdn.com`.
  public let origin: String
  /// What goes before every call's path: empty, or begins with a slash and does not end in one.
  let path: String

  private init(origin: String, path: String) {
    self.origin = origin
    self.path = path
  }

  /// - Parameters:
  ///   - text: `https://HOST[:PORT][/PATH]`, or `http://` with a loopback host: `localhost`,
  ///     `127.x.x.x`, `[::1]`.
  ///   - allowingClearText: takes `http` to any host, and through a proxy.
  public init(_ text: String, allowingClearText: Bool = false) throws(BunnyAPIBaseURLError) {
    try self.init(
      text, allowingClearText: allowingClearText,
      environment: ProcessInfo.processInfo.environment)
  }

  package init(
    _ text: String, allowingClearText: Bool, environment: [String: String]
  ) throws(BunnyAPIBaseURLError) {
    let parts = try URLParts(text)
    if parts.scheme == "http" && !allowingClearText {
      guard parts.isLoopback else { throw .clearText(host: parts.host) }
      if let variable = Self.proxyVariable(for: parts.host, in: environment) {
        throw .proxied(host: parts.host, variable: variable)
      }
    }
    self.init(origin: parts.origin, path: parts.path)
  }

  /// The variable because of which libcurl would send a request for `host` to a proxy.
  private static func proxyVariable(
    for host: String, in environment: [String: String]
  ) -> String? {
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }
      .first { !$0.isEmpty } ?? ""
    let hosts = exceptions.split { $0 == "," || $0 == " " }
    // libcurl takes a star for every host only where it is all that the variable holds.
    guard exceptions != "*", !hosts.contains(Substring(host)) else { return nil }
    return ["http_proxy", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
  }
}

extension BunnyAPIBaseURL: CustomStringConvertible {
  public var description: String { origin + path }
}

/// A base URL, taken apart.
private struct URLParts {
  let scheme: String
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  let port: Int?
  let path: String

  init(_ text: String) throws(BunnyAPIBaseURLError) {
    // Else it would depend on which of Foundation's libraries the process has whether it is a name.
    guard Self.authority(of: text).allSatisfy(\.isASCII) else { throw .host }
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http"
    else { throw .notHTTP }
    guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
      throw .extras
    }
    guard let written = url.encodedHost?.lowercased(), !written.isEmpty else { throw .host }
    let isBracketed = written.hasPrefix("[") && written.hasSuffix("]")
    host = isBracketed ? String(written.dropFirst().dropLast()) : written
    // Only what every parser reads alike: what is checked here is resolved by libcurl.
    let isPlain = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      case UInt8(ascii: ":"): isBracketed
      default: false
      }
    }
    guard isPlain else { throw .host }
    if let port = url.port, !(1...65535).contains(port) { throw .port }
    self.scheme = scheme
    port = url.port == (scheme == "https" ? 443 : 80) ? nil : url.port
    var path = url.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// What stands between the scheme and the path.
  private static func authority(of text: String) -> Substring {
    guard let slash = text.firstIndex(of: "/") else { return "" }
    return text[slash...].drop { $0 == "/" }.prefix { !"/?#".contains($0) }
  }

  var origin: String {
    let shownHost = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(shownHost)" + (port.map { ":\($0)" } ?? "")
  }

  var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
    return bytes.count == 4 && bytes[0] == "127"
      && bytes.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }
}
