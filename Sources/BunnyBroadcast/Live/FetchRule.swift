package import BunnyStreamAPI
package import BunnySystem

/// What to do about a live stream that Bunny's API does not tell of, or not all of it, before it is
/// published to. A value, which asks nothing itself.
package struct FetchRule: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    /// Ask again after that, and say so.
    case ask(after: Duration)
    /// The same, without a word: a gateway may say of everything that it is not there, for a moment.
    case makeSure(after: Duration)
    /// Publish to what is remembered.
    case useMemory
    /// It was deleted.
    case deleted
    /// It is of no use to ask again.
    case giveUp
  }

  /// For how long a stream that was just created may have no key, or not be known everywhere, however
  /// little is tried again; nanoseconds.
  package static let keyPatience = Int64.seconds(30)
  /// How long the API is waited for where its answer is remembered too: at boot the network comes a moment
  /// later. Nanoseconds.
  package static let memoryPatience = Int64.seconds(5)

  private let began: MonotonicTime
  private let retries: Bool
  private let remembers: Bool
  private let wasPublishedTo: Bool
  private let sureAfter: Int64
  private var backoff = Backoff()
  private var missingSince: MonotonicTime?
  private var hasAnswered = false

  /// - Parameters:
  ///   - retries: what may pass is tried again.
  ///   - remembers: there is something else to publish to.
  ///   - wasPublishedTo: it has been there.
  ///   - sureAfter: nanoseconds of nothing but "not found" after which it is not there any more: longer where another
  ///     one is made then, for no ingest bears it out.
  package init(
    retries: Bool, remembers: Bool, wasPublishedTo: Bool,
    sureAfter: Int64 = StreamWatch.leastPause, at began: MonotonicTime
  ) {
    self.sureAfter = sureAfter
    (self.retries, self.remembers, self.wasPublishedTo) = (retries, remembers, wasPublishedTo)
    self.began = began
  }

  /// How long the next answer may take.
  package func patience(at now: MonotonicTime) -> Duration {
    guard remembers, !hasAnswered else { return .seconds(60) }
    return .nanoseconds(max(.seconds(1), Self.memoryPatience - (now - began)))
  }

  /// The API told of it; it is not time yet.
  package mutating func isEarly() {
    (backoff, missingSince, hasAnswered) = (Backoff(), nil, true)
  }

  /// The API told of it, and something is missing that will come.
  package mutating func isIncomplete(at now: MonotonicTime, chance: Double) -> Step {
    missingSince = nil
    guard retries || now - began < Self.keyPatience else { return .giveUp }
    return .ask(after: backoff.failed(chance: chance))
  }

  /// The API did not tell of it.
  ///
  /// - Parameter isKnown: it did before.
  package mutating func failed(
    _ error: BunnyLiveStreamError, isKnown: Bool, at now: MonotonicTime, chance: Double
  ) -> Step {
    guard retries else { return .giveUp }
    if error.kind == .notFound, wasPublishedTo || hasAnswered { return isMissing(at: now) }
    missingSince = nil
    let isNew = error.kind == .notFound && isKnown && now - began < Self.keyPatience
    guard isNew || !error.isPermanent else { return .giveUp }
    let wait = backoff.failed(chance: chance, retryAfter: error.retryAfter)
    guard remembers, !hasAnswered else { return .ask(after: wait) }
    let left = Duration.nanoseconds(Self.memoryPatience - (now - began))
    guard left > error.retryAfter ?? .zero else { return .useMemory }
    return .ask(after: min(wait, left))
  }

  private mutating func isMissing(at now: MonotonicTime) -> Step {
    if let missingSince, now - missingSince >= sureAfter { return .deleted }
    missingSince = missingSince ?? now
    return .makeSure(after: .nanoseconds(StreamWatch.leastPause + .milliseconds(500)))
  }
}
