import FoundationEssentials

/// What to ask of a server.
struct HTTPRequest: Sendable {
  let method: String
  /// In ASCII, percent signs included.
  var url: String
  /// Lines, as in `Accept: text/plain`.
  let headers: [String]
  var body = Data()
  /// What the body is; nil when there is none.
  var contentType: String?
  /// Goes over a connection of its own: libcurl sends a request twice when a kept one turns out to be
  /// dead, and whether the first was carried out nobody knows.
  var isOnlyOnce = false
}
