public import FoundationEssentials

/// Why a call of the API did not do what it was to do: the one error that every method of a
/// ``LiveStreamRepository``, a ``VideoRepository`` and a ``CollectionRepository`` throws.
///
/// Holds no secret: what a server wrote has been cleaned of the access key, of stream keys that this
/// client has seen, and of control characters.
public struct BunnyLiveStreamError: Error, Equatable, Sendable {
  /// What went wrong, in as many sorts as a caller may want to treat apart.
  public enum Kind: Equatable, Hashable, Sendable, CaseIterable {
    /// The access key is missing, wrong, or not allowed to do this (401, 403).
    case unauthorized
    /// No such library, stream or video (404), or not any more (410).
    case notFound
    /// The request is not a valid one, or not at this stage of the stream (400). Without a
    /// ``BunnyLiveStreamError/statusCode`` it was not sent, and the message names the field.
    case invalidRequest
    /// Understood, but cannot be done (422).
    case unprocessable
    /// The server failed (5xx).
    case server
    /// No answer came: unreachable, TLS, timed out; also when the task was cancelled.
    case transport
    /// An answer came that is not what this call answers with.
    case invalidResponse
    /// Any other status.
    case unexpected
  }

  /// What went wrong; ``isPermanent`` follows from it.
  public let kind: Kind
  /// The HTTP status; when a failure was reported inside a success, the one told there.
  public let statusCode: Int?
  /// The server's own words, if it had any; else what happened, when more is known than the status.
  public let message: String?
  /// What was tried, as in "could not …": "start the live stream 7b9f… of library 12".
  public let attempt: String?
  /// The next step, where the kind alone does not tell it.
  public let advice: String?
  /// For how long the server wants to be left alone, as it said itself (`Retry-After`).
  public var retryAfter: Duration?

  public init(
    kind: Kind, statusCode: Int? = nil, message: String? = nil, attempt: String? = nil,
    advice: String? = nil
  ) {
    self.advice = advice
    self.kind = kind
    self.statusCode = statusCode
    self.message = message
    self.attempt = attempt
  }

  /// Whether trying again is in vain until somebody changes something.
  public var isPermanent: Bool {
    switch kind {
    case .unauthorized, .notFound, .invalidRequest, .unprocessable: true
    case .server, .transport, .invalidResponse, .unexpected: false
    }
  }
}

extension BunnyLiveStreamError.Kind {
  /// The kind of an HTTP status that is not a success.
  package init(statusCode: Int) {
    switch statusCode {
    case 400: self = .invalidRequest
    case 401, 403: self = .unauthorized
    case 404, 410: self = .notFound
    case 422: self = .unprocessable
    case 500...599: self = .server
    default: self = .unexpected
    }
  }
}

extension BunnyLiveStreamError: CustomStringConvertible, LocalizedError {
  /// The most characters of ``message`` that ``description`` shows.
  private static let longestMessage = 300

  /// What could not be done, why, and the next step.
  public var description: String {
    "could not \(attempt ?? "do what was asked"): \(cause)\(details); \(advice ?? nextStep)"
  }

  public var errorDescription: String? { description }

  private var cause: String {
    switch kind {
    case .unauthorized: "the access key was refused"
    case .notFound: "it was not found"
    case .invalidRequest: statusCode == nil ? "it was not sent" : "the request was refused"
    case .unprocessable: "it cannot be done"
    case .server: "Bunny's API failed"
    case .transport: "no answer came"
    case .invalidResponse: "the answer cannot be read"
    case .unexpected: "the answer was not foreseen"
    }
  }

  private var nextStep: String {
    switch kind {
    case .unauthorized: "use the key on the API page of that library, not the account's"
    case .notFound: "check its GUID and the library's id"
    case .invalidRequest where statusCode == nil: "correct what was given"
    case .invalidRequest: "check the stream's state in Bunny's dashboard"
    case .unprocessable: "check what was sent"
    case .server, .unexpected: "try again later"
    case .transport: "check the network and the API URL"
    case .invalidResponse: "check the API URL"
    }
  }

  /// Status and words in parentheses.
  private var details: String {
    let status = statusCode.map { "HTTP \($0)" }
    let known = [status, message.map(Self.short)].compactMap { $0 }.filter { !$0.isEmpty }
    return known.isEmpty ? "" : " (\(known.joined(separator: ": ")))"
  }

  private static func short(_ text: String) -> String {
    let kept = String(text.prefix(longestMessage))
    return kept.utf8.count < text.utf8.count ? kept + "…" : kept
  }
}
