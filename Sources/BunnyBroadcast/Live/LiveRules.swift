package import BunnyStreamAPI

/// Whether a live stream, as it was fetched, may be published to.
package enum Admission: Equatable, Sendable {
  /// - Parameters:
  ///   - needsStart: viewers do not see it yet.
  ///   - warning: what is odd about it, in a sentence; nil when nothing is.
  case publish(key: String, needsStart: Bool, warning: String?)
  /// It is over for good.
  case refuse(BunnyLiveStreamStatus)
  /// Something is missing that will come: fetch it again. Why, in words.
  case again(String)

  package init(_ stream: BunnyLiveStream) {
    switch stream.status {
    case .ended, .vodProcessing, .error:
      self = .refuse(stream.status)
      return
    case .unknown, .created, .scheduled, .preview, .running: break
    }
    guard let key = stream.streamKey, !key.isEmpty else {
      self = .again("it has no stream key yet")
      return
    }
    self = .publish(
      key: key, needsStart: stream.status != .running,
      warning: stream.status == .unknown
        ? "Bunny does not say what state the stream is in; trying it" : nil)
  }
}

/// What to ask Bunny's API next, once an ingest has accepted the stream: whether it is ready every
/// second, to start it when it is, then how it does every five seconds. An API that fails is asked every
/// five seconds at most, and later if it says so. Asks nothing itself.
package struct Readiness: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    /// Ask for the stream itself after so many seconds; where its time comes then, no later than `atMost`.
    case find(after: Double, atMost: Double? = nil)
    /// Ask for the ingest status after so many seconds.
    case ask(after: Double)
    /// Show it to viewers.
    case start
    /// Ask after so many seconds, only to know.
    case watch(after: Double)
  }

  /// Seconds between two questions whether the stream is ready.
  package static let pace = 1.0
  /// Seconds between two looks at a stream that is running, or not to be started; and after a failure.
  package static let watchPace = 5.0
  /// Seconds of waiting before a person is told what is awaited.
  package static let patience = 30.0

  private var isFinding: Bool
  private let isQuietFor: Double
  private var isWaiting: Bool
  private var hasSaid = false
  private var failedStarts = 0
  private var failedFinds = 0

  /// - Parameters:
  ///   - starts: the stream is to be started, and is not running yet; nil: the API has not told of it, and it is
  ///     published to from memory.
  ///   - retryAfter: for how long an API that has just failed wants to be left alone.
  package init(starts: Bool?, retryAfter: Duration? = nil) {
    (isFinding, isWaiting) = (starts == nil, starts ?? false)
    isQuietFor = Self.seconds(retryAfter)
  }

  /// The first thing to do.
  package var first: Step {
    isFinding ? .find(after: isQuietFor) : isWaiting ? .ask(after: 0) : .watch(after: 0)
  }

  /// The API told of the stream.
  ///
  /// - Parameters:
  ///   - starts: it is to be started, and is not running yet.
  ///   - wait: but not before so many seconds have passed, since it is scheduled; nil: now.
  package mutating func found(starts: Bool, wait: Double? = nil) -> Step {
    if starts, let wait { return .find(after: min(wait, Countdown.look), atMost: wait) }
    (isFinding, isWaiting) = (false, starts)
    return first
  }

  /// It did not: it is asked again after 1, 2, 4, 8, then every 15 s.
  package mutating func notFound(retryAfter: Duration? = nil) -> Step {
    defer { failedFinds += 1 }
    return .find(after: Self.pause(failedFinds, retryAfter))
  }

  /// - Parameters:
  ///   - isReady: what the status said; nil when the API failed.
  ///   - seconds: since the ingest accepted the stream.
  ///   - retryAfter: for how long the API that failed wants to be left alone.
  /// - Returns: The next step, and whether it is time to say what is awaited: once at most, and never
  ///   of a stream that has been ready.
  package mutating func answered(
    isReady: Bool?, after seconds: Double, retryAfter: Duration? = nil
  ) -> (step: Step, saysWhatIsAwaited: Bool) {
    let slow = max(Self.watchPace, Self.seconds(retryAfter))
    guard isWaiting else { return (.watch(after: slow), false) }
    if isReady == true {
      hasSaid = true
      return (.start, false)
    }
    let saysIt = !hasSaid && seconds >= Self.patience
    if saysIt { hasSaid = true }
    return (.ask(after: isReady == nil ? slow : Self.pace), saysIt)
  }

  /// The stream was started, or was found running.
  package mutating func started() -> Step {
    isWaiting = false
    return .watch(after: Self.watchPace)
  }

  /// Starting it failed: it is asked again after 1, 2, 4, 8, then every 15 s, whatever the reason:
  /// media flows meanwhile, and a stream that is shown late is better than one that never is.
  package mutating func startFailed(retryAfter: Duration? = nil) -> Step {
    defer { failedStarts += 1 }
    return .ask(after: Self.pause(failedStarts, retryAfter))
  }

  private static func pause(_ failures: Int, _ retryAfter: Duration?) -> Double {
    max(failures < 4 ? pace * Double(1 << failures) : 15, seconds(retryAfter))
  }

  private static func seconds(_ retryAfter: Duration?) -> Double {
    min(retryAfter ?? .zero, Backoff.longest) / .seconds(1)
  }
}

/// How a broadcast to a live stream was asked to end, and why.
package enum Ending: Equatable, Sendable {
  /// Leave the stream as it is: the next broadcast resumes it.
  case leave(String)
  /// End the stream too. It can never run again.
  case end(String)

  package var reason: String {
    switch self {
    case .leave(let reason), .end(let reason): reason
    }
  }

  package var leaves: Bool { if case .leave = self { true } else { false } }
}

/// Leave is not end: who may send `stop`. Only an explicit end, or a duration that is over.
package struct Farewell: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    /// Send `stop`.
    case stop
    /// Leave the stream as it is, and say so with the reason.
    case leave(String)
    /// There is no stream to leave.
    case nothing
  }

  package private(set) var ending: Ending?

  package init() {}

  /// Leaving wins, whenever it is asked for: what was left can still be ended.
  ///
  /// - Returns: Whether that changes anything.
  package mutating func ask(_ wanted: Ending) -> Bool {
    guard ending == nil || (wanted.leaves && ending?.leaves == false) else { return false }
    ending = wanted
    return true
  }

  /// - Parameters:
  ///   - failure: why media ended, when nobody had asked for that.
  ///   - wasFound: there was a session: Bunny's API had told of the stream, or it was remembered, and nobody else was
  ///     known to publish to it.
  ///   - hasDuration: the broadcast was to last for a configured time only.
  ///   - isUnstarted: viewers were to see it, and never did, for the API failed.
  package func step(
    failure: BroadcastError?, wasFound: Bool, hasDuration: Bool, isUnstarted: Bool = false
  ) -> Step {
    if failure?.isOver == true { return .nothing }
    switch ending {
    case .end where wasFound: return .stop
    case .end(let reason) where failure == nil:
      // It may be somebody else's show.
      return .leave(
        "\(reason); it is not ended, for this broadcast had not got hold of it: `bunny-broadcast "
          + "streams stop` ends it")
    case nil where wasFound && hasDuration && failure == nil:
      // What can still be shown is not ended unseen.
      return isUnstarted ? .leave("its duration was over, and nobody has seen it") : .stop
    default: break
    }
    guard wasFound else { return .nothing }
    return .leave(ending?.reason ?? failure?.description ?? "its media ended")
  }
}

/// What became of a stream whose `stop` failed, by what the API tells of it then.
package enum FailedStop: Equatable, Sendable {
  /// It has ended all the same: the answer was lost, or somebody else sent one.
  case ended
  /// It has not begun, so there is nothing to end, and no later `stop` will do better.
  case notBegun
  /// Nothing is known to have changed.
  case open

  /// - Parameters:
  ///   - status: the stream's; nil: not known.
  ///   - mayPass: the same `stop` may succeed later.
  package init(_ status: BunnyLiveStreamStatus?, mayPass: Bool) {
    switch status {
    case .ended, .vodProcessing, .error: self = .ended
    case .created where !mayPass, .scheduled where !mayPass: self = .notBegun
    default: self = .open
    }
  }
}
