import BunnySystem

// What happens: noted here, and acted upon by ``settle(_:)``.
extension Failover {
  /// A standby that is closed after so long was not closed for being idle.
  private static let longHold = Int64.seconds(120)
  /// For how long a server may remember a dead session.
  private static let memory = Int64.seconds(180)

  mutating func happened(_ input: Input, _ now: MonotonicTime) -> [Action] {
    if case .proven(let id) = input { legs[id]?.isProven = true }
    clearProven(now)
    switch input {
    case .ready(let id): becameReady(id, now)
    case .publishing(let id): began(id, now)
    case .arrived(let id): return tookOver(id, now)
    case .owing(let id): return id == carrier ? beganToOwe(now) : []
    case .stalled(let id): return stalled(id, now)
    case .paid(let id): return id == carrier ? wasPaid() : answered(id, now)
    case .ponged(let id): return answered(id, now)
    case .reconnectRequest(let id): return askedToMove(id, now)
    case .failed(let id, let failure): return failed(id, failure, now)
    case .told(let ingest, let isLive): return told(ingest, isLive, now)
    case .renamed: return renamed()
    case .linkUp: for index in health.indices { health[index].retries.linkUp(at: now) }
    case .proven, .tick: break
    }
    return []
  }

  /// Forgets the failures of what has carried the stream for a while. That a GOP has arrived is not enough:
  /// the server's kernel takes one in an instant, whatever the server then does with it.
  private mutating func clearProven(_ now: MonotonicTime) {
    for (id, leg) in legs {
      guard let end = leg.probationEnd, now >= end else { continue }
      legs[id]?.onProbationSince = nil
      health[leg.ingest].retries.proven()
    }
  }

  private mutating func becameReady(_ id: LegID, _ now: MonotonicTime) {
    guard legs[id]?.stage == .opening else { return }
    legs[id]?.stage = .ready
    legs[id]?.readySince = now
    legs[id]?.lastAsked = now
    _ = answered(id, now)
  }

  private mutating func answered(_ id: LegID, _ now: MonotonicTime) -> [Action] {
    guard id != carrier, legs[id] != nil else { return [] }
    legs[id]?.hasAnswered = true
    legs[id]?.isSilent = false
    if isUplinkLost, owes != .none { uplinkBackAt = uplinkBackAt ?? now }
    return []
  }

  private mutating func began(_ id: LegID, _ now: MonotonicTime) {
    guard let ingest = legs[id]?.ingest, legs[id]?.stage == .ordered else { return }
    legs[id]?.stage = .publishing
    legs[id]?.onProbationSince = now
    _ = answered(id, now)
    health[ingest].lastPublished = now
    health[ingest].closures = 0
    health[ingest].wasToldLive = false
    health[ingest].notLive = 0
    for index in health.indices { health[index].isRefused = false }
    hasBeenLive = true
  }

  /// All that the carrier had is known to have arrived, and what follows over its successor too.
  private mutating func tookOver(_ id: LegID, _ now: MonotonicTime) -> [Action] {
    guard id == successor, legs[id]?.stage == .publishing, let old = carrier,
      let ingest = carryingIngest
    else { return [] }
    letGo()
    (carrier, successor) = (id, nil)
    legs[old] = nil
    health[ingest].lastPublished = now
    return uplinkAnswers() + [.relieve(old)]
  }
}

// What is owed.
extension Failover {
  private mutating func beganToOwe(_ now: MonotonicTime) -> [Action] {
    guard isPublishing, owes == .none else { return [] }
    owes = .owing
    askedAt = now
    hasProbed = false
    for id in legs.keys { legs[id]?.hasAnswered = false }
    let asked = heirs.filter { legs[$0]?.stage != .ordered }
    for id in asked { legs[id]?.lastAsked = now }
    return asked.map { .ping($0) }
  }

  private mutating func stalled(_ id: LegID, _ now: MonotonicTime) -> [Action] {
    guard id == carrier else {
      legs[id]?.isSilent = true
      return []
    }
    let actions = beganToOwe(now)
    if isPublishing { owes = .stalled }
    return actions
  }

  private mutating func wasPaid() -> [Action] {
    owes = .none
    uplinkBackAt = nil
    return uplinkAnswers()
  }

  mutating func uplinkAnswers() -> [Action] {
    defer { isUplinkLost = false }
    return isUplinkLost ? [.uplinkBack] : []
  }
}

// What ends.
extension Failover {
  private mutating func askedToMove(_ id: LegID, _ now: MonotonicTime) -> [Action] {
    guard legs[id] != nil else { return [] }
    if id == carrier, isPublishing {
      isToMove = true
      return []
    }
    return [.drop(id)] + failed(id, .passing, now)
  }

  mutating func failed(
    _ id: LegID, _ failure: Failure, _ now: MonotonicTime
  ) -> [Action] {
    guard let leg = legs.removeValue(forKey: id) else { return [] }
    let isBlamed = isBlamed(id, at: leg.ingest)
    let isStandby = carrier != nil && id != carrier && leg.stage == .ready
    let wasSuccessor = id == successor
    if wasSuccessor { successor = nil }
    let wasCarrier = id == carrier
    if wasCarrier { letGo() }
    var state = health[leg.ingest]
    if leg.stage == .publishing { state.lastPublished = now }
    if isStandby, isBlamed {
      let isOld = leg.readySince.map { now - $0 > Self.longHold } ?? false
      state.closures = isOld ? 1 : state.closures + 1
    }
    let isRecent = state.lastPublished.map { now - $0 < Self.memory } ?? false
    state.isRefused = failure == .lasting && !hasBeenLive
    if isBlamed {
      state.retries.failed(
        at: now, chance: chance(), remembers: failure == .nameInUse && isRecent)
    }
    if failure == .unanswered { state.retries.reachedNobody(triedAt: leg.opened) }
    health[leg.ingest] = state
    if wasCarrier, leg.isProven { needOthers(than: leg.ingest) }
    if health.allSatisfy(\.isRefused) { return [.giveUp] }
    return wasSuccessor ? [carrier].compactMap(\.self).map { .resume($0) } : []
  }

  /// A second connection to the carrier's own server proves nothing against it; what fails while the
  /// carrier owes may fail for the same reason; and the carrier itself, while our own line is down.
  private func isBlamed(_ id: LegID, at ingest: Int) -> Bool {
    guard carrier != nil else { return true }
    return id == carrier ? !isUplinkLost : ingest != carryingIngest && owes == .none
  }

  /// Two explicit denials in a row of an ingest that was live; one, when we doubt it too.
  private mutating func told(_ ingest: Int, _ isLive: Bool, _ now: MonotonicTime) -> [Action] {
    guard ingest == carryingIngest, isPublishing else { return [] }
    if isLive {
      health[ingest].wasToldLive = true
      health[ingest].notLive = 0
    } else if health[ingest].wasToldLive {
      health[ingest].notLive += 1
      if health[ingest].notLive >= 2 || owes != .none { return leave(now) }
    }
    return []
  }

  /// One that has been told to publish is refused, if it is to be, in a moment.
  private mutating func renamed() -> [Action] {
    for index in health.indices {
      health[index].retries.proven()
      health[index].isRefused = false
    }
    let kept = [carrier, successor].compactMap(\.self)
    return drop(legs.keys.filter { !kept.contains($0) }.sorted())
  }

  /// The first try elsewhere is immediate.
  private mutating func needOthers(than ingest: Int) {
    for other in health.indices where other != ingest { health[other].retries.isNeeded() }
  }

  /// Leaves the carrier.
  ///
  /// - Parameter blaming: it is to blame.
  mutating func leave(_ now: MonotonicTime, blaming: Bool = true) -> [Action] {
    guard let id = carrier, let ingest = carryingIngest else { return [] }
    letGo()
    health[ingest].lastPublished = now
    if legs[id]?.isProven == true { needOthers(than: ingest) }
    if blaming { health[ingest].retries.failed(at: now, chance: chance()) }
    return drop([id])
  }
}
