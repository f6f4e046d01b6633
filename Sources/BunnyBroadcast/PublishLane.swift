import BunnyMedia
import BunnyRTMP
import BunnySystem

/// The path of a tag, from the log to an ingest, over as many connections as it takes: obeys a
/// ``Failover``.
///
/// Belongs to one thread, and every connection has another. Returns when the broadcast is over and all
/// of it was sent, or could not be in the time there was.
struct PublishLane {
  private let configuration: BroadcastConfiguration
  private let around: TagFeed.Surroundings
  private let line: Line
  private let telemetry: Telemetry
  private let events: EventHub
  private let ingests: [Ingest]
  private let inbox: Inbox

  private var failover: Failover
  private var legs: [Failover.LegID: Leg] = [:]
  private var feeds: [Failover.LegID: TagFeed] = [:]
  private var carrier: Failover.LegID?
  /// The one that ends at a keyframe, where the carrier begins.
  private var predecessor: Failover.LegID?
  private var handover: KeyframeHandover?
  /// What is not known to have arrived at the last carrier.
  private var undelivered: TagFeed.Undelivered?
  private var lastFailure: RTMPError?
  private var failedOnce: Set<Int> = []
  private var isLastTry = false
  private var isOver = false
  private var resumptions: [Int: TLSResumption] = [:]
  private let book = AddressBook()

  /// - Parameter ingests: those that this lane publishes to, one at a time.
  init(
    _ configuration: BroadcastConfiguration, _ ingests: [Ingest], _ around: TagFeed.Surroundings,
    _ line: Line, _ inbox: Inbox, _ events: EventHub
  ) {
    self.configuration = configuration
    self.around = around
    self.line = line
    self.events = events
    telemetry = around.telemetry
    self.ingests = ingests
    self.inbox = inbox
    failover = Failover(Failover.Rules(configuration, ingests: ingests.count)) {
      .random(in: 0...1)
    }
  }

  /// - Throws: Why there is to be no other try; or why no ingest has ever accepted the stream.
  mutating func run() throws(RTMPError) {
    let began = MonotonicTime.now
    let isRunOver = WakeEvent()
    watchLinks(until: isRunOver)
    defer { isRunOver.signal() }
    try take(.tick)
    while !isOver {
      let now = MonotonicTime.now
      let deadline = failover.deadline(after: now) ?? now + .seconds(3600)
      let messages = inbox.take(until: deadline)
      if messages.isEmpty { try take(.tick) }
      for message in messages { try handle(message) }
    }
    for leg in legs.values { leg.connection.close() }
    guard !hasBeenLive else { return }
    let waited = Double(MonotonicTime.now - began) / 1e9
    throw lastFailure
      ?? RTMPError(.timedOut(.publish, seconds: waited), at: ingests[0])
  }

  /// A network that comes up ends a wait.
  private func watchLinks(until isRunOver: WakeEvent) {
    let watch = LinkWatch()
    guard watch.fileDescriptor >= 0 else { return }
    startThread("links") { [inbox] in
      watch.run(until: isRunOver) { inbox.put(.linkUp) }
    }
  }

  private var hasBeenLive: Bool { telemetry.statistics(at: .now).totals.connections > 0 }

  private mutating func handle(_ message: Inbox.Message) throws(RTMPError) {
    switch message {
    case .event(let id, let event): try handle(event, of: id)
    case .ended(let id, let error): try ended(id, error)
    case .proven(let id): try take(.proven(id))
    case .told(let ingest, let isLive): try take(.told(ingest: ingest, isLive: isLive))
    case .linkUp: try take(.linkUp)
    case .endTries(let abandoning):
      isLastTry = true
      if abandoning, carrier.map({ feeds[$0] == nil || !isPublishing }) ?? true { closeAll() }
      if legs.isEmpty { isOver = true }
    case .close:
      isLastTry = true
      closeAll()
      if legs.isEmpty { isOver = true }
    }
  }
  private var isPublishing = false  // the carrier was accepted

  private func closeAll() { for leg in legs.values { leg.connection.close() } }

  /// Tells the rules, and does what they say.
  private mutating func take(_ input: Failover.Input) throws(RTMPError) {
    for action in failover.take(input, at: .now) { try perform(action, because: input) }
  }
}

// What happens to connections.
extension PublishLane {
  private mutating func handle(
    _ event: RTMPEvent, of id: Failover.LegID
  ) throws(RTMPError) {
    guard let leg = legs[id] else { return }
    switch event {
    case .state(let state):
      events.send(.connection(leg.connection.ingest, state))
      if state == .ready { try take(.ready(id)) }
      if state == .publishing { try accepted(leg) }
    case .pong: try take(.ponged(id))
    case .owing: try take(.owing(id))
    case .stalled where id == predecessor: breakOff(leg)
    case .stalled: try take(.stalled(id))
    case .paid: try take(.paid(id))
    case .reconnectRequest: try take(.reconnectRequest(id))
    }
  }

  private mutating func accepted(_ leg: Leg) throws(RTMPError) {
    if leg.id == carrier {
      let wasLive = hasBeenLive
      isPublishing = true
      telemetry.connected(at: .now)
      line.carries(leg.connection)
      let ingest = leg.connection.ingest
      events.send(wasLive ? .reconnected(ingest) : .started(ingest))
    }
    try take(.publishing(leg.id))
  }

  private mutating func ended(_ id: Failover.LegID, _ error: RTMPError?) throws(RTMPError) {
    guard let leg = legs.removeValue(forKey: id) else { return }
    if let resumption = leg.connection.resumption { resumptions[leg.ingest] = resumption }
    if id == predecessor {
      if error != nil { breakOff(leg) }
      predecessor = nil
    }
    guard let error else {
      if id == carrier || legs.isEmpty && isLastTry { isOver = true }  // all was published
      return
    }
    let wasCarrier = id == carrier
    let carried = wasCarrier && isPublishing
    if wasCarrier { letGo(leg) }
    feeds[id] = nil
    if wasCarrier || carrier == nil { lastFailure = error }
    failedOnce.insert(leg.ingest)
    if carried { events.send(.lost(error.ingest, reason: error.cause)) }
    if !error.isRetryable, configuration.retry == .always, !hasBeenLive, ingests.count == 1 {
      throw error
    }
    try take(.failed(id, Failover.Failure(error)))
    if isLastTry || configuration.retry == .never, legs.isEmpty {
      isOver = true
      if configuration.retry == .never, !isLastTry { throw error }
      return
    }
    if carrier == nil || wasCarrier { sayWhatFollows(error) }
  }

  private func sayWhatFollows(_ error: RTMPError) {
    guard let (ingest, wait) = failover.nextTry(after: .now) else { return }
    events.send(
      .reconnecting(
        attempt: max(1, failover.failures), usingBackup: ingests[ingest] == configuration.backup,
        after: .nanoseconds(wait),
        reason: error.description))
  }

  /// The carrier is no more: what it leaves undelivered is remembered.
  private mutating func letGo(_ leg: Leg) {
    carrier = nil
    isPublishing = false
    telemetry.disconnected(at: .now)
    guard let feed = feeds[leg.id] else { return }
    var first = left(by: feed, of: leg)
    if let old = predecessor, let before = feeds[old], let leg = legs[old] {
      let earlier = left(by: before, of: leg)
      if earlier.serial < first.serial { first = earlier }
      drop(old)
      predecessor = nil
    }
    // Counted while it was kept, should nobody have taken more since.
    if first.serial != undelivered?.serial { undelivered = first }
  }

  /// The one that was to end at a keyframe ends now.
  private mutating func breakOff(_ leg: Leg) {
    if let feed = feeds[leg.id] { handover?.breaks(leaving: left(by: feed, of: leg)) }
    predecessor = nil
    drop(leg.id)
  }

  private func left(by feed: TagFeed, of leg: Leg) -> TagFeed.Undelivered {
    var first = feed.progress.undelivered
    if !leg.connection.counters.confirmsReading {
      first = max(min(first, feed.first), around.log.margin(of: around.gop, before: first))
    }
    return TagFeed.Undelivered(serial: first, frame: around.log.frame(at: first))
  }
}

// What the rules say.
extension PublishLane {
  private mutating func perform(
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
      }
      publish(id, .handover(handover))
    case .ping(let id): legs[id]?.connection.ping()
    case .drop(let id):
      if id == carrier, let leg = legs[id] {
        let isDenied = if case .told = input { true } else { false }
        events.send(
          .lost(
            leg.connection.ingest,
            reason: isDenied
              ? "Bunny says that it has no stream there"
              : "it does not show that it reads what it is sent"))
        letGo(leg)
      }
      drop(id)
    case .uplinkLost:
      events.send(.uplinkLost)
      if configuration.retry == .never, let leg = carrier.flatMap({ legs[$0] }) {
        throw RTMPError(.stalled(seconds: configuration.stallLimit), at: leg.connection.ingest)
      }
    case .uplinkBack: events.send(.uplinkBack)
    case .giveUp:
      if let lastFailure, configuration.retry == .always { throw lastFailure }
    }
  }

  private mutating func open(_ id: Failover.LegID, _ ingest: Int) {
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

  private mutating func publish(_ id: Failover.LegID, _ beginning: TagFeed.Beginning) {
    guard let leg = legs[id] else { return }
    let inbox = inbox
    let feed = TagFeed(around, beginning) { inbox.put(.proven(id)) }
    feeds[id] = feed
    carrier = id
    leg.connection.publish(feed)
  }

  /// It ends by itself; nobody waits for that.
  private mutating func drop(_ id: Failover.LegID) {
    legs.removeValue(forKey: id)?.connection.close()
    feeds[id] = nil
  }
}
