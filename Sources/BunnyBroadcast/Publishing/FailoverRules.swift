package import BunnySystem

// What follows: called after whatever has happened.
extension Failover {
  /// How long, at the start, the primary may take at least to be ready before a backup that is goes first.
  private static let grace = Int64.milliseconds(500)
  private static let shortOutage = Int64.seconds(5)
  /// How long the primary must have been ready before it is returned to, and between two returns.
  private static let proof = Int64.seconds(60)
  private static let returnPause = Int64.seconds(600)
  /// So often in a row may a server close a standby before it is left alone.
  private static let mostClosures = 3
  /// How often a standby is asked whether it is still there.
  private static let askPause = Int64.seconds(20)

  mutating func settle(_ now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    if isPublishing { actions += mind(now) }
    if carrier == nil { actions += choose(now) }
    return isPublishing ? actions + accompany(now) : actions
  }

  /// Looks whether the carrier is to be left.
  private mutating func mind(_ now: MonotonicTime) -> [Action] {
    if owes != .none { return doubt(now) }
    if let id = successor {
      return legs[id]!.isSilent ? [.drop(id)] + failed(id, .passing, now) : []
    }
    if isToMove, let spare = spares(.ready).first(where: { !legs[$0]!.isSilent }) {
      return move(to: spare)
    }
    guard let time = returnTime, now >= time, let spare = readyPrimary else { return [] }
    lastReturn = now
    return move(to: spare)
  }

  /// The carrier owes: is it to blame, or our own line?
  private mutating func doubt(_ now: MonotonicTime) -> [Action] {
    guard answering != nil else {
      uplinkBackAt = nil
      let isTime = owes == .stalled && now - askedAt >= rules.stallLimit / 2
      guard isTime, !isUplinkLost else { return [] }
      isUplinkLost = true
      return [.uplinkLost]
    }
    let isDenied = carryingIngest.map { health[$0].notLive > 0 } ?? false
    guard owes == .stalled || isDenied else { return [] }
    if let end = graceEnd, now < end { return [] }
    let wasLost = isUplinkLost
    return uplinkAnswers() + leave(now, blaming: !wasLost)
  }

  /// After an outage of our own line, the carrier has a moment to show that it goes on; more of one after a
  /// short outage, when little else is lost with it, and a slow line has much to catch up with.
  private var graceEnd: MonotonicTime? {
    uplinkBackAt.map {
      $0 + ($0 - askedAt < Self.shortOutage ? rules.stallLimit : rules.stallLimit / 2)
    }
  }

  /// A planned change. One wish of the server's is one try: should that fail, it will end the session, or
  /// ask again.
  private mutating func move(to id: LegID) -> [Action] {
    isToMove = false
    successor = id
    legs[id]?.stage = .ordered
    return [.publish(id, .atKeyframe)]
  }

  /// Nothing carries the stream: what is ready does; what may be tried is.
  private mutating func choose(_ now: MonotonicTime) -> [Action] {
    var actions = drop(
      heirs.filter { legs[$0]!.isSilent || isUplinkLost && !legs[$0]!.hasAnswered })
    if let id = heirs.first(where: { mayBegin($0, now) }) {
      carrier = id
      actions += uplinkAnswers()
      if id == successor {  // it has been told to publish
        successor = nil
        return actions
      }
      legs[id]?.stage = .ordered
      return actions + [.publish(id, .replay)]
    }
    let mostAtOnce = rules.keepsStandby ? rules.ingests : 1
    let taken = Set(legs.values.map(\.ingest))
    let free = health.indices.filter { !taken.contains($0) && mayTry($0, now) }
    for ingest in free.sorted(by: { (health[$0].retries.next, $0) < (health[$1].retries.next, $1) })
    where legs.count < mostAtOnce {
      actions.append(open(ingest, now))
    }
    return actions
  }

  /// At the start the primary goes first, if it is not much slower.
  private func mayBegin(_ id: LegID, _ now: MonotonicTime) -> Bool {
    guard !hasBeenLive, legs[id]?.ingest != 0, health[0].retries.failures == 0 else { return true }
    return spares(.opening).allSatisfy { now >= turn(of: id, before: $0) }
  }

  /// When a connection that is ready goes first although another is still being opened: that one has had
  /// twice as long. On a slow line both are slow.
  private func turn(of ready: LegID, before opening: LegID) -> MonotonicTime {
    let (ready, opening) = (legs[ready]!, legs[opening]!)
    let taken = ready.readySince.map { $0 - ready.opened } ?? 0
    return opening.opened + max(Self.grace, 2 * taken)
  }

  private func mayTry(_ ingest: Int, _ now: MonotonicTime) -> Bool {
    !health[ingest].isRefused && health[ingest].retries.next <= now
  }
}

// What is beside the carrier.
extension Failover {
  private mutating func accompany(_ now: MonotonicTime) -> [Action] {
    var actions = trim(now)
    if owes == .none {
      let due = spares(.ready).filter { now - legs[$0]!.lastAsked >= Self.askPause }
      for id in due { legs[id]?.lastAsked = now }
      actions += due.map { .ping($0) }
    }
    guard let next = nextBeside(now), next.at <= now else { return actions }
    if owes != .none { hasProbed = true }
    return actions + [open(next.ingest, now)]
  }

  /// Ends what is not needed beside a carrier that does well.
  private mutating func trim(_ now: MonotonicTime) -> [Action] {
    guard owes == .none else { return [] }
    if isToMove { return drop(spares(.ready).filter { legs[$0]!.isSilent }) }
    let spares = spares(.ready) + spares(.opening)
    let kept = spares.first {
      wantsStandby(now) && legs[$0]!.ingest != carryingIngest && !legs[$0]!.isSilent
    }
    return drop(spares.filter { $0 != kept })
  }

  private var other: Int? { rules.ingests == 2 ? carryingIngest.map { 1 - $0 } : nil }

  func wantsStandby(_ now: MonotonicTime) -> Bool {
    guard let other, health[other].closures < Self.mostClosures else { return false }
    return rules.keepsStandby || returnOpening.map { now >= $0 } ?? false
  }

  /// What may be opened beside the carrier, and when: a standby, a connection to move to, or a probe,
  /// which only shows whether anybody answers.
  private func nextBeside(_ now: MonotonicTime) -> (ingest: Int, at: MonotonicTime)? {
    guard spares(.opening).isEmpty, let own = carryingIngest else { return nil }
    let isProbe = owes != .none
    if isProbe {
      guard answering == nil, legs.count < 3, spares(.ready).isEmpty || isUplinkLost else {
        return nil
      }
    } else {
      guard legs.count == 1, isToMove || wantsStandby(now) else { return nil }
    }
    // Somebody else is asked first; where there is nobody else, the same server.
    let open = (isProbe || isToMove ? [other, own] : [other]).compactMap(\.self)
      .filter { !health[$0].isRefused }
    let times = open.map { ingest in
      let retries = health[ingest].retries
      return (ingest: ingest, at: isProbe && hasProbed ? retries.nextProbe : retries.next)
    }
    return times.first { $0.at <= now } ?? times.min { $0.at < $1.at }
  }

  private var readyPrimary: LegID? {
    spares(.ready).first { legs[$0]!.ingest == 0 && !legs[$0]!.isSilent }
  }

  /// When the primary may carry the stream again; nil: not by itself.
  private var returnTime: MonotonicTime? {
    guard let opening = returnOpening, let ready = readyPrimary.flatMap({ legs[$0]?.readySince })
    else { return nil }
    return max(ready, opening) + Self.proof
  }

  /// When the primary may be opened to return to it.
  private var returnOpening: MonotonicTime? {
    guard rules.prefersPrimary, carryingIngest == 1 else { return nil }
    return lastReturn.map { $0 + (Self.returnPause - Self.proof) } ?? MonotonicTime(nanoseconds: 0)
  }
}

// What comes next.
extension Failover {
  /// Which ingest is tried next, and in how many nanoseconds; nil: none.
  package func nextTry(after now: MonotonicTime) -> (ingest: Int, wait: Int64)? {
    if let ingest = carryingIngest ?? spares(.opening).first.flatMap({ legs[$0]?.ingest }) {
      return (ingest, 0)
    }
    let open = health.indices.filter { !health[$0].isRefused }
    guard let first = open.min(by: { health[$0].retries.next < health[$1].retries.next }) else {
      return nil
    }
    return (first, max(0, health[first].retries.next - now))
  }

  /// When to be told of a ``Input/tick``, if nothing happens before; nil: never.
  package func deadline(after now: MonotonicTime) -> MonotonicTime? {
    var times: [MonotonicTime?] = []
    if isPublishing {
      times = [nextBeside(now)?.at] + legs.values.map(\.probationEnd)
      if owes == .none {
        times += [returnTime, returnOpening]
        times += spares(.ready).map { legs[$0]!.lastAsked + Self.askPause }
      } else {
        times += [graceEnd, askedAt + rules.stallLimit / 2]
      }
    } else if carrier == nil {
      times = health.map { $0.isRefused ? nil : $0.retries.next }
      times += spares(.opening).flatMap { slow in heirs.map { turn(of: $0, before: slow) } }
    }
    return times.compactMap(\.self).filter { $0 > now }.min()
  }
}
