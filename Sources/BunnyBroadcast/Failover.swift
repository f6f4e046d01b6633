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
    /// The primary carries the stream again once it has been ready for a minute.
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
    /// A GOP that went out on it is known to have arrived.
    case proven(LegID)
    /// It has owed a proof for half the stall limit, for all of it, not any more.
    case owing(LegID)
    case stalled(LegID)
    case paid(LegID)
    case ponged(LegID)
    /// The server wishes us to go elsewhere, soon.
    case reconnectRequest(LegID)
    case failed(LegID, Failure)
    /// What Bunny's API says of an ingest.
    case told(ingest: Int, isLive: Bool)
    case linkUp
    /// Time has passed.
    case tick
  }

  /// How a connection ended.
  package enum Failure: Sendable, Equatable {
    /// It broke, or never came about; the same may succeed later.
    case passing
    /// It was refused in a way that lasts.
    case lasting
    /// Somebody publishes under our name.
    case nameInUse
  }

  package enum Takeover: Sendable, Equatable {
    /// What is not known to have arrived goes there.
    case replay
    /// The other one still carries the stream: it changes at a keyframe.
    case atKeyframe
  }

  package enum Action: Sendable, Equatable {
    case open(LegID, ingest: Int)
    case publish(LegID, Takeover)
    case ping(LegID)
    /// End it, in the middle of whatever it does.
    case drop(LegID)
    case uplinkLost
    case uplinkBack
    /// Nothing can be done any more.
    case giveUp
  }

  struct Leg: Sendable {
    enum Stage: Sendable { case opening, ready, ordered, publishing }
    let ingest: Int
    let opened: MonotonicTime
    var stage = Stage.opening
    var readySince: MonotonicTime?
    /// It has answered since the carrier began to owe.
    var hasAnswered = false
  }

  struct Health: Sendable {
    var retries = Retries()
    var lastPublished: MonotonicTime?
    /// It was refused for good.
    var isRefused = false
    /// How often in a row a standby there was closed by the server.
    var closures = 0
    var wasToldLive = false
    var notLive = 0
  }

  let rules: Rules
  let chance: @Sendable () -> Double
  var legs: [LegID: Leg] = [:]
  var health: [Health]
  private var nextID = 0
  /// The connection that carries the stream, or is to.
  package internal(set) var carrier: LegID?
  var hasBeenLive = false
  var owes = Debt.none
  var isUplinkLost = false
  var isToMove = false
  var lastReturn: MonotonicTime?
  var uplinkBackAt: MonotonicTime?

  enum Debt: Sendable { case none, owing, stalled }

  /// - Parameter chance: numbers from 0 to 1.
  package init(_ rules: Rules, chance: @escaping @Sendable () -> Double) {
    self.rules = rules
    self.chance = chance
    health = Array(repeating: Health(), count: rules.ingests)
  }

  /// The ingest that carries the stream, or is to; nil: none does.
  package var carryingIngest: Int? { carrier.flatMap { legs[$0]?.ingest } }

  /// Failures in a row of the ingest that has had the fewest.
  package var failures: Int { health.map(\.retries.failures).min() ?? 0 }

  package mutating func take(_ input: Input, at now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    switch input {
    case .ready(let id): becameReady(id, now)
    case .publishing(let id): began(id, now)
    case .proven(let id):
      if let ingest = legs[id]?.ingest { health[ingest].retries.proven() }
    case .owing(let id): if id == carrier { actions += beganToOwe(now) }
    case .stalled(let id): if id == carrier { owes = .stalled }
    case .paid(let id): if id == carrier { actions += wasPaid() }
    case .ponged(let id): answered(id, now)
    case .reconnectRequest(let id):
      if id == carrier { isToMove = true } else { actions += end(id, now) }
    case .failed(let id, let failure): actions += failed(id, failure, now)
    case .told(let ingest, let isLive): actions += told(ingest, isLive, now)
    case .linkUp: for index in health.indices { health[index].retries.linkUp() }
    case .tick: break
    }
    return actions + settle(now)
  }

  mutating func open(_ ingest: Int, _ now: MonotonicTime) -> Action {
    nextID += 1
    legs[nextID] = Leg(ingest: ingest, opened: now)
    health[ingest].retries.tried(at: now)
    return .open(nextID, ingest: ingest)
  }

  func legs(at ingest: Int) -> [LegID] {
    legs.filter { $0.value.ingest == ingest }.map(\.key).sorted()
  }

  /// The connections that could take over, best first: ready ones before those that are being opened.
  func spares(_ stage: Leg.Stage) -> [LegID] {
    legs.filter { $0.key != carrier && $0.value.stage == stage }.map(\.key).sorted {
      (legs[$0]!.ingest, $0) < (legs[$1]!.ingest, $1)
    }
  }
}

// What happens.
extension Failover {
  /// A standby that is closed after so long was not closed for being idle.
  private static let longHold = Int64.seconds(120)

  private mutating func becameReady(_ id: LegID, _ now: MonotonicTime) {
    legs[id]?.stage = .ready
    legs[id]?.readySince = now
    answered(id, now)
  }

  private mutating func answered(_ id: LegID, _ now: MonotonicTime) {
    guard owes != .none, id != carrier else { return }
    if legs[id]?.hasAnswered == false, isUplinkLost { uplinkBackAt = now }
    legs[id]?.hasAnswered = true
  }

  private mutating func began(_ id: LegID, _ now: MonotonicTime) {
    guard let ingest = legs[id]?.ingest else { return }
    legs[id]?.stage = .publishing
    health[ingest].lastPublished = now
    health[ingest].isRefused = false
    health[ingest].closures = 0
    hasBeenLive = true
  }

  private mutating func beganToOwe(_ now: MonotonicTime) -> [Action] {
    owes = .owing
    for id in legs.keys { legs[id]?.hasAnswered = false }
    let ready = spares(.ready)
    if !ready.isEmpty { return ready.map { .ping($0) } }
    guard spares(.opening).isEmpty, let ingest = carryingIngest else { return [] }
    // Somebody beside it must be asked; where there is nobody else, the same server.
    return [open(rules.ingests == 2 ? 1 - ingest : ingest, now)]
  }

  private mutating func wasPaid() -> [Action] {
    owes = .none
    uplinkBackAt = nil
    // Those that were opened only to be asked.
    let extras = legs.filter {
      $0.key != carrier && !isToMove && ($0.value.ingest == carryingIngest || !rules.keepsStandby)
    }.map(\.key).sorted()
    for id in extras { legs[id] = nil }
    let wasLost = isUplinkLost
    isUplinkLost = false
    return (wasLost ? [.uplinkBack] : []) + extras.map { .drop($0) }
  }

  private mutating func failed(_ id: LegID, _ failure: Failure, _ now: MonotonicTime) -> [Action] {
    guard let leg = legs.removeValue(forKey: id) else { return [] }
    let wasCarrier = id == carrier
    if wasCarrier { letGo() }
    var state = health[leg.ingest]
    if leg.stage == .publishing { state.lastPublished = now }
    if leg.stage == .ready, !wasCarrier {
      let isOld = leg.readySince.map { now - $0 > Self.longHold } ?? false
      state.closures = isOld ? 1 : state.closures + 1
    }
    let remembers =
      failure == .nameInUse
      && (state.lastPublished.map { now - $0 < .seconds(180) } ?? false)
    state.isRefused = failure == .lasting && !hasBeenLive
    // A probe beside our own session at the same server proves nothing against it, and what fails
    // while our own uplink is down, nothing at all.
    let isProbe = !wasCarrier && carryingIngest == leg.ingest
    if !isProbe, !isUplinkLost || wasCarrier {
      state.retries.failed(at: now, chance: chance(), remembers: remembers)
    }
    health[leg.ingest] = state
    return health.allSatisfy(\.isRefused) ? [.giveUp] : []
  }

  /// Nothing carries the stream any more.
  private mutating func letGo() {
    carrier = nil
    owes = .none
    isToMove = false
    uplinkBackAt = nil
  }

  private mutating func end(_ id: LegID, _ now: MonotonicTime) -> [Action] {
    guard legs.removeValue(forKey: id) != nil else { return [] }
    return [.drop(id)]
  }

  /// Two explicit denials in a row of an ingest that was live; one, when we doubt it too.
  private mutating func told(_ ingest: Int, _ isLive: Bool, _ now: MonotonicTime) -> [Action] {
    guard health.indices.contains(ingest) else { return [] }
    if isLive {
      health[ingest].wasToldLive = true
      health[ingest].notLive = 0
      return []
    }
    guard health[ingest].wasToldLive, ingest == carryingIngest, let id = carrier,
      legs[id]?.stage == .publishing
    else { return [] }
    health[ingest].notLive += 1
    guard health[ingest].notLive >= 2 || owes != .none else { return [] }
    health[ingest].notLive = 0
    health[ingest].wasToldLive = false
    return leave(now)
  }

  /// Leaves the carrier, which is to blame.
  mutating func leave(_ now: MonotonicTime) -> [Action] {
    guard let id = carrier, let ingest = carryingIngest else { return [] }
    letGo()
    legs[id] = nil
    health[ingest].lastPublished = now
    health[ingest].retries.failed(at: now, chance: chance())
    return [.drop(id)]
  }
}
