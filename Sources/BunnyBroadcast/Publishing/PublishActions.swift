import BunnyRTMP
import BunnySystem

// What the rules say.
extension PublishLane {
  mutating func perform(
    _ action: Failover.Action, because input: Failover.Input
  ) throws(RTMPError) {
    switch action {
    case .open(let id, let ingest): open(id, ingest)
    case .publish(let id, .replay):
      carrier = id
      publish(id, undelivered.map { .replay(configuration.replay, $0) } ?? .oldest)
    case .publish(let id, .atKeyframe): change(to: id)
    case .resume(let id): resume(id)
    case .relieve(let id):
      carrier = nil
      telemetry.disconnected(at: .now)
      drop(id)
    case .ping(let id): legs[id]?.connection.ping()
    case .drop(let id):
      if id == carrier, let leg = legs[id] { try leave(leg, because: input) }
      drop(id)
    case .uplinkLost:
      if let leg = carrier.flatMap({ legs[$0] }) { try stayWith(leg) }
    case .uplinkBack where isOneOfTwo:
      events.send(.notice(message: "\(ingests[0]) answers again"))
    case .uplinkBack: events.send(.uplinkBack)
    case .giveUp:
      if let lastFailure, configuration.retry == .always { throw lastFailure }
    }
  }

  /// Another session begins at a keyframe; the carrier is held there.
  private mutating func change(to id: Failover.LegID) {
    guard let next = legs[id], let old = carrier else { return }
    let counters = legs[old]?.connection.counters ?? RTMPCounters()
    let handover = KeyframeHandover(
      awaitsArrival: counters.roundTrip != nil || !counters.confirmsReading)
    feeds[old]?.hold(at: handover)
    if let from = legs[old]?.connection.ingest {
      events.send(.notice(message: "going from \(from) to \(next.connection.ingest) at a keyframe"))
    }
    successor = (next, handover)
    publish(id, .handover(configuration.replay, handover))
  }

  private mutating func resume(_ id: Failover.LegID) {
    if let old = legs[id]?.connection.ingest, let new = successor?.leg.connection.ingest {
      events.send(.notice(message: "\(new) did not take over; \(old) carries the stream on"))
    }
    successor = nil
    feeds[id]?.hold(at: nil)
  }

  /// The carrier is given up.
  mutating func leave(
    _ leg: Leg, because input: Failover.Input
  ) throws(RTMPError) {
    let error = RTMPError(.stalled(seconds: configuration.stallLimit), at: leg.connection.ingest)
    let reason =
      switch input {
      case .told: "Bunny says that it has no stream there"
      case .reconnectRequest: "it asked to be left"
      default: error.cause
      }
    if isPublishing { events.send(.lost(leg.connection.ingest, reason: reason)) }
    letGo(leg)
    failedOnce.insert(leg.ingest)
    if configuration.retry == .never, ingests.count == 1 { throw error }
    leftBecause = reason
  }

  /// Neither the carrier nor anybody else answers.
  func stayWith(_ leg: Leg) throws(RTMPError) {
    let ingest = leg.connection.ingest
    if isOneOfTwo {
      events.send(.notice(message: "\(ingest) does not answer; waiting for it"))
    } else {
      events.send(.uplinkLost)
    }
    if configuration.retry == .never {
      throw RTMPError(.stalled(seconds: configuration.stallLimit), at: ingest)
    }
  }

  /// Another lane publishes to the other ingest: this one's silence says nothing of the uplink.
  var isOneOfTwo: Bool { configuration.targets.count > 1 }

  mutating func open(_ id: Failover.LegID, _ ingest: Int) {
    guard !isLastTry, configuration.retry == .always || !failedOnce.contains(ingest) else { return }
    var options = RTMPConnection.Options(configuration)
    options.endsWhenStalled = false
    let connection = RTMPConnection(
      to: ingests[ingest], options: options, resuming: resumptions[ingest], book: book)
    let leg = Leg(id, ingest: ingest, connection)
    legs[id] = leg
    line.opened(connection)
    leg.start(inbox, line)
  }

  mutating func publish(_ id: Failover.LegID, _ beginning: TagFeed.Beginning) {
    guard let leg = legs[id] else { return }
    let inbox = inbox
    let feed = TagFeed(around, beginning) { milestone in
      inbox.put(.input(milestone == .gop ? .proven(id) : .arrived(id)))
    }
    feeds[id] = feed
    leg.connection.publish(feed)
  }

  /// It ends by itself; nobody waits for that.
  mutating func drop(_ id: Failover.LegID) {
    feeds[id] = nil
    accepted.remove(id)
    if carrier == nil, id == successor?.leg.id { successor = nil }
    guard let leg = legs.removeValue(forKey: id) else { return }
    leaving[id] = leg
    leg.connection.close()
  }
}
