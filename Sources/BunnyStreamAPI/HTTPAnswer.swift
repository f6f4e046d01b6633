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

  package init(
    status: Int, body: Data = Data(), isCut: Bool = false, refusedRedirect: String? = nil
  ) {
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
enum HTTPFailure: Sendable {
  case cancelled
  case timedOut(Duration)
  /// libcurl's words.
  case broken(String)

  var words: String {
    switch self {
    case .cancelled: "cancelled"
    case .timedOut(let limit): "not within \(Self.shown(limit / .seconds(1))) s"
    case .broken(let words): words
    }
  }

  private static func shown(_ seconds: Double) -> String {
    Int(exactly: seconds).map(String.init) ?? "\(seconds)"
  }
}
