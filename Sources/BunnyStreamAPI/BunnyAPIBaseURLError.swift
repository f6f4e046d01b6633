/// Why a base URL was not taken. Shows the host at most.
public enum BunnyAPIBaseURLError: Error, Hashable, Sendable {
  /// Does not begin with `https://` or `http://`, or is no URL at all.
  case notHTTP
  /// A user, a password, a query or a fragment.
  case extras
  /// No host, or characters that no host name has.
  case host
  /// A port that is not one of 1 to 65535.
  case port
  /// `http` to a host that is not this machine.
  case clearText(host: String)
  /// `http` to this machine, which this variable of the environment sends through a proxy.
  case proxied(host: String, variable: String)
}

extension BunnyAPIBaseURLError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notHTTP:
      "the API URL is not one of https; write https://HOST, as in https://video.bunnycdn.com"
    case .extras:
      "the API URL holds a user, a password, a query or a fragment; write https://HOST"
    case .host:
      "the API URL's host cannot be read; write a name in ASCII, or an address "
        + "(IPv6 in brackets)"
    case .port:
      "the API URL's port is not a number from 1 to 65535"
    case .clearText(let host):
      "the API URL would send the access key to \(host) in the clear; "
        + "write https://\(host) (http:// is for this machine: 127.0.0.1)"
    case .proxied(let host, let variable):
      "\(variable) in the environment would send the access key for \(host) to a proxy, "
        + "in the clear; set no_proxy=\(host)"
    }
  }
}
