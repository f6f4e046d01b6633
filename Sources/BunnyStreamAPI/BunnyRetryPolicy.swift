/// When a call that failed is sent once more. Decides, and does no I/O.
///
/// Tried again is what a pause may mend: no connection, an answer that broke off, HTTP 408, 429 and 5xx
/// (but 501 and 505). All tries and pauses together fit into the client's `timeout`. A call that must
/// not be done twice (making something, regenerating a key) is never sent again when the server may
/// have done it: only after HTTP 408 and 429, and when nothing of the request had left.
public struct BunnyRetryPolicy: Hashable, Sendable {
  /// Which calls are tried again.
  public enum Scope: Hashable, Sendable, Comparable {
    case none
    /// Those that change nothing.
    case reads
    /// Also those that come to the same when they are done twice: updating, starting, ending, deleting.
    /// A repeated one may be refused as already done.
    case repeatable
    /// Also those that must not be done twice, when they certainly were not done.
    case all
  }

  /// Which calls are tried again.
  public var scope: Scope
  /// How often a call is sent at most.
  public var tries: Int
  /// The pause after the first failure, before chance; it doubles with each.
  public var firstPause: Duration
  /// The longest pause before chance. A server that wants to be left alone for longer
  /// (`Retry-After`) is not asked again.
  public var longestPause: Duration

  public init(
    _ scope: Scope, tries: Int = 3, firstPause: Duration = .milliseconds(250),
    longestPause: Duration = .seconds(10)
  ) {
    self.scope = scope
    self.tries = tries
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// Reads, three times in all.
  public static let standard = BunnyRetryPolicy(.reads)
  /// Nothing is tried again: for callers that do so themselves, as a broadcast does.
  public static let never = BunnyRetryPolicy(.none, tries: 1)

  /// What there is to know of a call that failed.
  package struct Failure: Equatable, Sendable {
    package var repetition: RESTRepetition
    package var kind: BunnyLiveStreamError.Kind
    package var statusCode: Int?
    package var isCancelled = false
    /// Whether the server may have done what was asked.
    package var mayBeDone = true
    package var retryAfter: Duration?

    package init(
      _ repetition: RESTRepetition, _ kind: BunnyLiveStreamError.Kind, statusCode: Int? = nil
    ) {
      self.repetition = repetition
      self.kind = kind
      self.statusCode = statusCode
      mayBeDone = statusCode != 408 && statusCode != 429
    }
  }

  /// - Parameters:
  ///   - sent: how often the call was sent.
  ///   - chance: 0 to 1, drawn anew each time, so that a thousand boxes do not come back at once.
  /// - Returns: `max(p / 2, Retry-After) + chance × p / 2` with the pause p = 0.25, 0.5, 1 … s; nil when
  ///   the call has failed.
  package func pause(after failure: Failure, sent: Int, chance: Double) -> Duration? {
    guard sent < tries, covers(failure), Self.mayPass(failure) else { return nil }
    let wanted = failure.retryAfter ?? .zero
    guard wanted <= longestPause else { return nil }
    let doubled = firstPause * (1 << min(sent - 1, 30))
    let half = min(doubled, longestPause) / 2
    return max(half, wanted) + half * chance
  }

  private func covers(_ failure: Failure) -> Bool {
    switch failure.repetition {
    case .read: scope >= .reads
    case .same: scope >= .repeatable
    case .once: scope == .all && !failure.mayBeDone
    }
  }

  private static func mayPass(_ failure: Failure) -> Bool {
    switch failure.kind {
    case .transport: !failure.isCancelled
    case .server: failure.statusCode != 501 && failure.statusCode != 505
    case .unexpected: failure.statusCode == 408 || failure.statusCode == 429
    case .unauthorized, .notFound, .invalidRequest, .unprocessable, .invalidResponse: false
    }
  }
}

/// What it means to do a call twice.
package enum RESTRepetition: Sendable {
  /// It changes nothing.
  case read
  /// The same as doing it once.
  case same
  /// Something else: two things are made, or a key that somebody has noted is void.
  case once
}
