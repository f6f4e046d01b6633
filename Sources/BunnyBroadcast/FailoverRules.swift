package import BunnySystem

// What follows: called after whatever has happened.
extension Failover {
  /// How long, at the start, the primary may take to be ready before a backup that is goes first.
  private static let grace = Int64.milliseconds(500)
  /// How long the primary must have been ready before it is returned to, and between two returns.
  private static let proof = Int64.seconds(60)
  private static let returnPause = Int64.seconds(600)
  /// So often in a row may a server close a standby before it is left alone.
  private static let mostClosures = 3

  mutating func settle(_ now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    if carrier != nil { actions += mind(now) }
    if carrier == nil { actions += choose(now) }
    return actions + keepReady(now)
  }

  /// Looks whether the carrier is to be left.
  private mutating func mind(_ now: MonotonicTime) -> [Action] {
    if owes == .stalled {
      let answering = spares(.ready).first { legs[$0]?.hasAnswered == true }
      guard answering != nil else {
        guard !isUplinkLost else { return [] }
        isUplinkLost = true
        return [.uplinkLost]
      }
      // After an outage of our own uplink, it has a moment to show that it goes on.
      if let back = uplinkBackAt, now - back < rules.stallLimit / 2 { return [] }
      let wasLost = isUplinkLost
      isUplinkLost = false
      return (wasLost ? [.uplinkBack] : []) + leave(now)
    }
    if isToMove, let spare = spares(.ready).first { return move(to: spare) }
    guard returns(now), let spare = spares(.ready).first(where: { legs[$0]?.ingest == 0 }) else {
      return []
    }
    lastReturn = now
    return move(to: spare)
  }

  private func returns(_ now: MonotonicTime) -> Bool {
    guard rules.prefersPrimary, carryingIngest == 1, owes == .none else { return false }
    return returnTime.map { now >= $0 } ?? false
  }

  /// When the primary may carry the stream again; nil: not by itself.
  private var returnTime: MonotonicTime? {
    guard rules.prefersPrimary, carryingIngest == 1 else { return nil }
    let ready = spares(.ready).first { legs[$0]?.ingest == 0 }.flatMap { legs[$0]?.readySince }
    guard let ready else { return nil }
    return max(ready + Self.proof, lastReturn.map { $0 + Self.returnPause } ?? ready)
  }

  /// A planned change: the old one ends by itself, at a keyframe.
  private mutating func move(to id: LegID) -> [Action] {
    if let old = carrier { legs[old] = nil }
    isToMove = false
    owes = .none
    carrier = id
    legs[id]?.stage = .ordered
    return [.publish(id, .atKeyframe)]
  }

  /// Nothing carries the stream: what is ready does; what may be tried is.
  private mutating func choose(_ now: MonotonicTime) -> [Action] {
    if let id = spares(.ready).first(where: { mayBegin($0, now) }) {
      carrier = id
      legs[id]?.stage = .ordered
      return [.publish(id, .replay)]
    }
    let mostAtOnce = rules.keepsStandby ? rules.ingests : 1
    var actions: [Action] = []
    let free = health.indices.filter { legs(at: $0).isEmpty && !health[$0].isRefused }
    for ingest in free.sorted(by: { (health[$0].retries.next, $0) < (health[$1].retries.next, $1) })
    where legs.count < mostAtOnce && health[ingest].retries.next <= now {
      actions.append(open(ingest, now))
    }
    return actions
  }

  /// At the start the primary goes first, if it is not much slower.
  private func mayBegin(_ id: LegID, _ now: MonotonicTime) -> Bool {
    guard !hasBeenLive, legs[id]?.ingest != 0 else { return true }
    return spares(.opening).allSatisfy { now - legs[$0]!.opened >= Self.grace }
  }

  /// Keeps the other ingest ready, or opens it for a planned change.
  private mutating func keepReady(_ now: MonotonicTime) -> [Action] {
    guard let ingest = carryingIngest, let id = carrier, legs[id]?.stage == .publishing,
      legs.count == 1
    else { return [] }
    let other = rules.ingests == 2 ? 1 - ingest : ingest
    let isStandby =
      rules.ingests == 2 && rules.keepsStandby && health[other].closures < Self.mostClosures
    guard isStandby || isToMove || owes != .none, !health[other].isRefused,
      health[other].retries.next <= now
    else {
      return []
    }
    return [open(other, now)]
  }

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
    var times: [MonotonicTime] = []
    if let carrier {
      if owes == .stalled, let back = uplinkBackAt { times.append(back + rules.stallLimit / 2) }
      if isUplinkLost { times.append(now + rules.stallLimit / 3) }
      if let time = returnTime { times.append(time) }
      if legs.count == 1, legs[carrier]?.stage == .publishing {
        times += health.map(\.retries.next)
      }
    } else {
      times += health.filter { !$0.isRefused }.map(\.retries.next)
      times += spares(.opening).map { legs[$0]!.opened + Self.grace }
    }
    return times.filter { $0 > now }.min()
  }
}
