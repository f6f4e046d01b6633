/// What to ask of a server. Has no body.
struct HTTPRequest: Sendable {
  let method: String
  /// In ASCII, percent signs included.
  var url: String
  /// Lines, as in `Accept: text/plain`.
  let headers: [String]
}
