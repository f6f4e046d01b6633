package import BunnySystem

/// How the API fails, for a while, because a test said so.
package struct Fault: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    // Answers with that status and no body.
    case unauthorized = "401"
    case notFound = "404"
    case unprocessable = "422"
    case broken = "500"
    case unavailable = "503"
    /// Hangs up on every request.
    case hangup
    /// Answers nothing, and hangs up when the fault is over.
    case hang
    /// Answers as ever, after ``pause``.
    case slow
    /// Answers 200 with what is no JSON.
    case garbage
    /// The ingest status does not say which ingest is live.
    case noFlags = "no-flags"
    /// It says that none is.
    case falseFlags = "false-flags"

    /// What every call is answered with; nil: as ever.
    var answer: HTTPResponse? {
      switch self {
      case .unauthorized, .notFound, .unprocessable, .broken, .unavailable:
        HTTPResponse(Int(rawValue)!)
      case .hangup, .hang: .hangUp
      case .garbage: .text("<html>Bad gateway", type: "text/html")
      case .slow, .noFlags, .falseFlags: nil
      }
    }
  }

  /// Seconds that a slow answer takes longer.
  package static let pause = 3.0

  private var end = MonotonicTime(nanoseconds: 0)
  private var kind = Kind.unavailable
  /// By their names in the log of calls; none: all.
  private var calls: Set<String> = []

  package init() {}

  package init(_ kind: Kind, calls: Set<String> = [], seconds: Double, at now: MonotonicTime) {
    self.kind = kind
    self.calls = calls
    end = now + .seconds(seconds)
  }

  /// Seconds until it is over.
  func secondsLeft(at now: MonotonicTime) -> Double { max(0, Double(end - now) / 1e9) }

  /// How a call fails; nil when it does not.
  package func kind(of call: String, at now: MonotonicTime) -> Kind? {
    now < end && (calls.isEmpty || calls.contains(call)) ? kind : nil
  }
}
