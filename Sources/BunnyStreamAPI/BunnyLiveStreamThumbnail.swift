public import FoundationEssentials

/// A picture of a live stream that was taken while it ran.
public struct BunnyLiveStreamThumbnail: Equatable, Sendable {
  /// A whole URL; only where the stream has no playback URL a relative one stays as the server wrote
  /// it.
  public let url: String?
  /// When it was taken.
  public let timestamp: Date?

  public init(url: String?, timestamp: Date?) {
    self.url = url
    self.timestamp = timestamp
  }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    self.init(url: json["url"]?.word, timestamp: json["timestamp"]?.date)
  }

  /// The server writes some URLs without scheme and host.
  var isRelative: Bool {
    guard let url else { return false }
    return url.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:.*/.dotMatchesNewlines()) == nil
  }

  /// With scheme and host of the stream's playback URL, when that has them.
  func absolute(with playback: URL?) -> Self {
    guard isRelative, let url, let playback, let scheme = playback.scheme,
      let host = playback.host, !host.isEmpty
    else { return self }
    if url.hasPrefix("//") { return Self(url: "\(scheme):\(url)", timestamp: timestamp) }
    let shownHost = host.contains(":") ? "[\(host)]" : host
    let origin = "\(scheme)://\(shownHost)" + (playback.port.map { ":\($0)" } ?? "")
    let path = url.hasPrefix("/") ? url : "/" + url
    return Self(url: origin + path, timestamp: timestamp)
  }
}
