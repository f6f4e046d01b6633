import Foundation
import FoundationNetworking

/// One request on its way, as URLSession's delegate sees it. Decides, and does no I/O.
struct HTTPExchange {
  enum Step {
    case wait
    /// It is over, whatever else comes.
    case finish(HTTPOutcome)
  }

  private static let mostRedirects = 5

  private let method: String?
  private let origin: String
  private var status: Int?
  private var body = Data()
  private var redirects = 0
  private var refusedRedirect: String?

  init(_ request: URLRequest) {
    method = request.httpMethod
    origin = Self.origin(of: request.url)
  }

  mutating func respond(status: Int?) {
    self.status = status
    body = Data()
  }

  mutating func take(_ piece: Data) -> Step {
    let room = HTTPAnswer.longestBody - body.count
    body += piece.prefix(room)
    return piece.count > room ? .finish(outcome(isCut: true)) : .wait
  }

  /// Only within the same scheme, host and port: URLSession would carry the access key anywhere. Only
  /// with the same method: a PUT that became a GET would pass for done.
  mutating func follows(_ redirect: URLRequest) -> Bool {
    redirects += 1
    let target = Self.origin(of: redirect.url)
    guard target == origin, redirect.httpMethod == method, redirects <= Self.mostRedirects else {
      refusedRedirect = target
      return false
    }
    return true
  }

  /// With what has been read: the server has nothing more to say.
  func outcome(isCut: Bool = false, orStatus unreported: Int? = nil) -> HTTPOutcome {
    guard let status = status ?? unreported else {
      return .failed(.broken("the server said nothing"))
    }
    return .answer(
      HTTPAnswer(status: status, body: body, isCut: isCut, refusedRedirect: refusedRedirect))
  }

  private static func origin(of url: URL?) -> String {
    guard let url, let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else {
      return "nowhere"
    }
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    let shownHost = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(scheme)://\(shownHost):\(port)"
  }
}
