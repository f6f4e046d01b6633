package import FoundationEssentials

/// What a server answered.
package struct HTTPAnswer: Sendable {
  /// The most bytes of a body that are read.
  package static let longestBody = 1 << 20

  package let status: Int
  package let body: Data
  /// The body was longer than ``longestBody``.
  package let isCut: Bool
  /// The origin, as in `https://host`, of a redirect that was not followed.
  package let refusedRedirect: String?
  /// How long the server wants to be left alone.
  package let retryAfter: RetryAfter?

  package init(
    status: Int, body: Data = Data(), isCut: Bool = false, refusedRedirect: String? = nil,
    retryAfter: RetryAfter? = nil
  ) {
    self.retryAfter = retryAfter
    self.status = status
    self.body = body
    self.isCut = isCut
    self.refusedRedirect = refusedRedirect
  }
}

/// What came of a request.
enum HTTPOutcome: Sendable {
  case answer(HTTPAnswer)
  case failed(HTTPFailure)
}

/// Why no answer came.
enum HTTPFailure: Error, Equatable {
  case cancelled
  case timedOut
  /// The server's certificate is one of the future, by this machine's clock.
  case certificateTooEarly
  /// libcurl's words; whether anything of the request has left.
  case broken(String, wasSent: Bool)

  /// Whether the server may have done what was asked.
  var mayBeDone: Bool {
    switch self {
    case .cancelled, .timedOut: true
    case .certificateTooEarly: false
    case .broken(_, let wasSent): wasSent
    }
  }
}
