package import BunnyBroadcast

/// A request as the sandbox's parts see it.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Without the query, beginning with a slash.
  package var path: String
  package var query: [String: String] = [:]
  /// By lower-case name.
  package var headers: [String: String] = [:]
  package var body: [UInt8] = []

  package init(_ method: String, _ path: String) {
    self.method = method
    self.path = path
  }

  /// The path's parts: `/library/12/live` is `["library", "12", "live"]`.
  package var parts: [String] { path.split(separator: "/").map(String.init) }
}

/// What a request is answered with.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int
  package var contentType: String?
  package var body: [UInt8] = []
  /// Whether pages from anywhere may read it, and not only the sandbox's own.
  package var isForAllPages = false
  /// Hang up instead of answering.
  package var isHangUp = false

  package init(_ status: Int) { self.status = status }

  package static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    .text(value.line, type: "application/json; charset=utf-8", status: status)
  }

  package static func text(_ text: String, type: String, status: Int = 200) -> HTTPResponse {
    .bytes(Array(text.utf8), type: type, status: status)
  }

  package static func bytes(_ bytes: [UInt8], type: String, status: Int = 200) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.contentType = type
    response.body = bytes
    return response
  }

  package static let hangUp: HTTPResponse = {
    var response = HTTPResponse(0)
    response.isHangUp = true
    return response
  }()

  package static let notFound = HTTPResponse(404)
  package static let wrongMethod = HTTPResponse(405)
}
