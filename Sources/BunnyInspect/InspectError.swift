import BunnySystem

/// Why something cannot be inspected.
public enum InspectError: Error, Equatable, Sendable {
  /// There is no such file.
  case missing(String)
  /// It is there and cannot be read, or nobody answers at the address.
  case unreadable(String, reason: String)
  /// It was read, and holds neither pictures nor sound.
  case notMedia(String, reason: String)
}

extension InspectError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let location):
      "\(location) does not exist; check its spelling, and the folder this runs in"
    case .unreadable(let location, let reason):
      "\(location) cannot be read: \(reason); check that it is there and may be read"
    case .notMedia(let location, let reason):
      "\(location) is no media: \(reason); inspect takes recordings, playlists and streams"
    }
  }
}

/// A file's path or an address.
package struct Location {
  package let text: String

  package init(text: String) { self.text = text }

  var isAddress: Bool { text.contains("://") && !text.hasPrefix("file:") }

  /// Without what may be secret: an address's user, its query, and an RTMP stream's key.
  package var withoutSecrets: String {
    guard isAddress, let separator = text.firstRange(of: "://") else { return hidingAddress(text) }
    let scheme = text[..<separator.lowerBound]
    let rest = text[separator.upperBound...].prefix { $0 != "?" && $0 != "#" && $0 != " " }
    var parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    if let host = parts.first, let at = host.lastIndex(of: "@") {
      parts[0] = host[host.index(after: at)...]
    }
    if scheme.hasPrefix("rtmp") && parts.count > 2 { parts[2...] = ["•••"] }
    return "\(scheme)://\(parts.joined(separator: "/"))"
  }
}
