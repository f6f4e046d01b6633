package import BunnySystem

/// Which ingest carries the stream, which is kept ready beside it, and when that changes. A value: it is
/// told what happens to connections and when, and answers with what to do; it opens nothing and reads
/// no clock.
package struct Failover: Sendable {
  package struct Rules: Sendable, Equatable {
    /// 1, or 2: the primary and the backup.
    package var ingests = 1
    /// The other ingest is kept connected up to `publish`; false: it is connected when it is needed.
    package var keepsStandby = true
    /// The primary carries the stream again once it has been ready for a minute, and not sooner than
    /// ten minutes after the last time.
    package var prefersPrimary = false
    /// Nanoseconds for which an ingest may owe us a proof that it reads.
    package var stallLimit = Int64.milliseconds(1500)

    package init() {}
  }

  /// One connection, by number; none is used again.
  package typealias LegID = Int

  package enum Input: Sendable, Equatable {
    /// The connection is up to, not including, `publish`.
    case ready(LegID)
    case publishing(LegID)
    /// Media that went out on it is known to have arrived.
    case arrived(LegID)
    /// A whole GOP is.
    case proven(LegID)
    /// It has owed a proof for half the stall limit.
    case owing(LegID)
    /// It has owed one for all of the stall limit.
    case stalled(LegID)
    /// It does not owe any more.
    case paid(LegID)
    /// It has answered a ping.
    case ponged(LegID)
    /// The server wishes us to go elsewhere, soon.
    case reconnectRequest(LegID)
    case failed(LegID, Failure)
    /// What Bunny's API says of an ingest, each time that it says something.
    case told(ingest: Int, isLive: Bool)
    /// The ingests have another address or key: what is not publishing is of no use any more.
    case renamed
    case linkUp
    /// Time has passed.
    case tick
  }

  /// How a connection ended.
  package enum Failure: Sendable, Equatable {
    /// It broke, or was refused; the same may succeed later.
    case passing
    /// Nobody was there: no name, no route, no open port.
    case unanswered
    /// It was refused in a way that lasts.
    case lasting
    /// Somebody publishes under our name.
    case nameInUse
  }

  package enum Takeover: Sendable, Equatable {
    /// What is not known to have arrived goes there.
    case replay
    /// The carrier goes on up to a keyframe, and the new one begins there; see ``Action/relieve(_:)`` and
    /// ``Action/resume(_:)``.
    case atKeyframe
  }

  package enum Action: Sendable, Equatable {
    case open(LegID, ingest: Int)
    case publish(LegID, Takeover)
    /// Ask whether it is there.
    case ping(LegID)
    /// End it, in the middle of whatever it does.
    case drop(LegID)
    /// Another has taken over at a keyframe: it takes its leave.
    case relieve(LegID)
    /// None will: the carrier goes on.
    case resume(LegID)
    /// Nobody answers: it is our own line.
    case uplinkLost
    case uplinkBack
    /// Nothing can be done any more.
    case giveUp
  }

  struct Leg: Sendable {
    /// A GOP that went out on it is known to have arrived.
    var isProven = false
    enum Stage: Sendable { case opening, ready, ordered, publishing }
    let ingest: Int
    let opened: MonotonicTime
    var stage = Stage.opening
    var readySince: MonotonicTime?
    /// Since when it publishes, until its ingest's failures are forgotten.
    var onProbationSince: MonotonicTime?
    /// When they are.
    var probationEnd: MonotonicTime? {
      isProven ? onProbationSince.map { $0 + Retries.proof } : nil
    }
    var lastAsked: MonotonicTime
    /// It has answered since the carrier began to owe.
    var hasAnswered = false
    /// It owes us a proof itself.
    var isSilent = false
  }

  struct Health: Sendable {
    var retries = Retries()
    var lastPublished: MonotonicTime?
    /// It was refused for good.
    var isRefused = false
    /// How often in a row a standby there was closed by the server.
    var closures = 0
    var wasToldLive = false
    /// How often in a row it was told not to be.
    var notLive = 0
  }

  enum Debt: Sendable { case none, owing, stalled }

  let rules: Rules
  let chance: @Sendable () -> Double
  var legs: [LegID: Leg] = [:]
  var health: [Health]
  private var nextID = 0
  /// When it was told something last. What is due is due after that: whoever asks a moment later for
  /// the deadline would miss one in between.
  package private(set) var settledAt = MonotonicTime(nanoseconds: 0)
  /// The connection that carries the stream, or is to.
  package internal(set) var carrier: LegID?
  /// The one that is to begin where the carrier ends: a planned change. The carrier is kept until media
  /// has arrived over it.
  var successor: LegID?
  var hasBeenLive = false
  var owes = Debt.none
  /// When somebody beside the carrier was asked, because it owes.
  var askedAt = MonotonicTime(nanoseconds: 0)
  /// A connection was opened since then, only to see whether anybody answers.
  var hasProbed = false
  var isUplinkLost = false
  var uplinkBackAt: MonotonicTime?
  var isToMove = false
  var lastReturn: MonotonicTime?

  /// - Parameters:
  ///   - publishedBefore: when each ingest was last published to before this process began, as far as
  ///     that is known: it may remember that session.
  ///   - chance: numbers from 0 to 1.
  package init(
    _ rules: Rules, publishedBefore: [Int: MonotonicTime] = [:],
    chance: @escaping @Sendable () -> Double
  ) {
    self.rules = rules
    self.chance = chance
    health = (0..<rules.ingests).map { Health(lastPublished: publishedBefore[$0]) }
  }

  /// The ingest that carries the stream, or is to; nil: none does.
  package var carryingIngest: Int? { carrier.flatMap { legs[$0]?.ingest } }

  /// Failures in a row of the ingest that has had the fewest.
  package var failures: Int { health.map(\.retries.failures).min() ?? 0 }

  /// Takes what has happened, and says what to do, in this order.
  package mutating func take(_ input: Input, at now: MonotonicTime) -> [Action] {
    settledAt = now
    return happened(input, now) + settle(now)
  }

  mutating func open(_ ingest: Int, _ now: MonotonicTime) -> Action {
    nextID += 1
    legs[nextID] = Leg(ingest: ingest, opened: now, lastAsked: now)
    health[ingest].retries.tried(at: now)
    return .open(nextID, ingest: ingest)
  }

  mutating func drop(_ ids: [LegID]) -> [Action] {
    if let id = successor, ids.contains(id) { successor = nil }
    return ids.compactMap { legs.removeValue(forKey: $0) == nil ? nil : .drop($0) }
  }

  /// Nothing carries the stream any more.
  mutating func letGo() {
    carrier = nil
    owes = .none
    isToMove = false
    uplinkBackAt = nil
  }

  /// The stream was accepted, and nothing has happened to it.
  var isPublishing: Bool { carrier.flatMap { legs[$0]?.stage } == .publishing }

  /// Whether nothing is to be ready beside the carrier once `id`, which has failed, is gone: it was to
  /// be, and not only to see whether anybody answers.
  package func isMissing(without id: LegID) -> Bool {
    guard isPublishing, owes == .none, let leg = legs[id], leg.stage == .opening else {
      return false
    }
    return wantsStandby(settledAt) && leg.ingest != carryingIngest
      && !legs.contains { $0.key != id && $0.value.ingest == leg.ingest }
  }

  /// The connections that could take over, best first: those that have answered, by ingest.
  func spares(_ stage: Leg.Stage) -> [LegID] {
    legs.filter { $0.key != carrier && $0.value.stage == stage }
      .sorted { ($0.value.rank, $0.key) < ($1.value.rank, $1.key) }
      .map(\.key)
  }

  /// Those that can carry the stream in the carrier's place, best first.
  var heirs: [LegID] { [successor].compactMap(\.self) + spares(.ready) }

  /// The first connection that could take over, and shows that it could.
  var answering: LegID? { heirs.first { legs[$0]?.hasAnswered == true } }
}

extension Failover.Leg {
  fileprivate var rank: Int { (hasAnswered ? 0 : 2) + ingest }
}
