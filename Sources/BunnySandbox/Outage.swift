package import BunnySystem

/// When the API does not work, because a test said so.
package struct Outage: Sendable {
  /// How it fails.
  package enum Kind: String, Sendable {
    /// Answers 503 without a body.
    case unavailable = "503"
    /// Hangs up on every request.
    case hangup
  }

  private var end = MonotonicTime(nanoseconds: 0)
  private var kind = Kind.unavailable

  package init() {}

  package mutating func begin(_ kind: Kind, seconds: Double, at now: MonotonicTime) {
    self.kind = kind
    end = now + .seconds(seconds)
  }

  /// nil when the API works.
  package func answer(at now: MonotonicTime) -> HTTPResponse? {
    guard now < end else { return nil }
    return kind == .hangup ? .hangUp : HTTPResponse(503)
  }
}
