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
      publish(id, undelivered.map { .replay(configuration.replay, $0) } ?? .oldest)
    case .publish(let id, .atKeyframe):
      let handover = KeyframeHandover()
      if let old = carrier {
        feeds[old]?.end(at: handover)
        predecessor = old
        self.handover = handover
        if isPublishing { telemetry.disconnected(at: .now) }
      }
      publish(id, .handover(handover))
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

  /// The carrier is to blame.
  mutating func leave(
    _ leg: Leg, because input: Failover.Input
  ) throws(RTMPError) {
    let isDenied = if case .told = input { true } else { false }
    let error = RTMPError(.stalled(seconds: configuration.stallLimit), at: leg.connection.ingest)
    let reason = isDenied ? "Bunny says that it has no stream there" : error.cause
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
    let feed = TagFeed(around, beginning) { inbox.put(.proven(id)) }
    feeds[id] = feed
    carrier = id
    isPublishing = false
    leg.connection.publish(feed)
  }

  /// It ends by itself; nobody waits for that.
  mutating func drop(_ id: Failover.LegID) {
    legs.removeValue(forKey: id)?.connection.close()
    feeds[id] = nil
  }
}
