import BunnyMedia
import BunnyRTMP
import BunnySystem

/// The path of a tag, from the log to an ingest, over as many connections as it takes: obeys a
/// ``Failover``.
///
/// Belongs to one thread, and every connection has another. Returns when the broadcast is over and all
/// of it was sent, or could not be in the time there was.
struct PublishLane {
  let configuration: BroadcastConfiguration
  let around: TagFeed.Surroundings
  let line: Line
  let telemetry: LaneTelemetry
  let events: EventHub
  var ingests: [Ingest]
  let inbox: Inbox

  var failover: Failover
  var legs: [Failover.LegID: Leg] = [:]
  var feeds: [Failover.LegID: TagFeed] = [:]
  /// Dropped, and not over yet.
  var leaving: [Failover.LegID: Leg] = [:]
  /// Those at which an ingest has accepted the stream.
  var accepted: Set<Failover.LegID> = []
  var carrier: Failover.LegID?
  /// The one that is to begin at a keyframe, where the carrier ends.
  var successor: (leg: Leg, handover: KeyframeHandover)?
  /// What is not known to have arrived at the last carrier.
  var undelivered: TagFeed.Undelivered?
  var lastFailure: RTMPError?
  var primaryState = RTMPConnectionState.connecting
  var failedOnce: Set<Int> = []
  /// Said to be missing beside the carrier.
  var missing: Set<Int> = []
  var isLastTry = false
  var isOver = false
  /// Why the carrier has just been left, until it is said what follows.
  var leftBecause: String?
  var resumptions: [Int: TLSResumption] = [:]
  let book: AddressBook

  /// - Parameter ingests: those that this lane publishes to, one at a time.
  init(
    _ configuration: BroadcastConfiguration, _ ingests: [Ingest], _ around: TagFeed.Surroundings,
    _ line: Line, _ book: AddressBook, _ inbox: Inbox, _ events: EventHub
  ) {
    self.configuration = configuration
    self.around = around
    self.line = line
    self.book = book
    self.events = events
    telemetry = around.telemetry
    self.ingests = ingests
    self.inbox = inbox
    // A restart may follow a session that a server still remembers: for a while a name in use is taken
    // for that, since nothing here outlives the process.
    let now = MonotonicTime.now
    let published = Dictionary(uniqueKeysWithValues: ingests.indices.map { ($0, now) })
    failover = Failover(
      Failover.Rules(configuration, ingests: ingests.count), publishedBefore: published
    ) { .random(in: 0...1) }
  }

  /// - Throws: Why there is to be no other try; or why no ingest has ever accepted the stream.
  mutating func run() throws(RTMPError) {
    let began = MonotonicTime.now
    let isRunOver = WakeEvent()
    watchLinks(until: isRunOver)
    defer {
      isRunOver.signal()
      closeAll()
    }
    try take(.tick)
    while !isOver {
      let deadline = failover.deadline(after: failover.settledAt) ?? .now + .seconds(3600)
      let messages = inbox.take(until: deadline)
      if messages.isEmpty { try take(.tick) }
      for message in messages { try handle(message) }
    }
    guard !hasBeenLive else { return }
    throw lastFailure ?? stillWaiting(since: began)
  }

  /// A network that comes up ends a wait.
  func watchLinks(until isRunOver: WakeEvent) {
    let watch = LinkWatch()
    guard watch.fileDescriptor >= 0 else { return }
    startThread("links") { [inbox] in
      watch.run(until: isRunOver) { inbox.put(.input(.linkUp)) }
    }
  }

  var hasBeenLive: Bool { telemetry.whole.hasBeenLive }

  mutating func handle(_ message: Inbox.Message) throws(RTMPError) {
    switch message {
    case .event(let id, let event): try handle(event, of: id)
    case .ended(let id, let error): try ended(id, error)
    case .input(let input): try take(input)
    case .ingests(let others):
      ingests = others
      resumptions = [:]  // they are each a host's
      try take(.renamed)
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
  var isPublishing: Bool { carrier.map(accepted.contains) ?? false }
  var wasAccepted = false  // a carrier was, once

  func closeAll() { for leg in legs.values { leg.connection.close() } }

  /// Tells the rules, and does what they say.
  mutating func take(_ input: Failover.Input) throws(RTMPError) {
    for action in failover.take(input, at: .now) { try perform(action, because: input) }
    if carrier == nil, let leg = successor?.leg, leg.id == failover.carrier {
      (carrier, successor) = (leg.id, nil)
      if isPublishing { carries(leg) }
    }
    guard let reason = leftBecause else { return }
    leftBecause = nil
    if carrier == nil { sayWhatFollows(reason) }
  }
}

// What happens to connections.
extension PublishLane {
  mutating func handle(
    _ event: RTMPEvent, of id: Failover.LegID
  ) throws(RTMPError) {
    guard let leg = legs[id] ?? leaving[id] else { return }
    if case .state(let state) = event {
      events.send(.connection(leg.connection.ingest, state))
      if leg.ingest == 0, state != .closed { primaryState = state }
    }
    guard leaving[id] == nil else { return }
    switch event {
    case .state(let state):
      if state == .ready { try becameReady(leg) }
      if state == .publishing { try accepted(leg) }
    case .pong: try take(.ponged(id))
    case .owing: try take(.owing(id))
    case .stalled: try take(.stalled(id))
    case .paid: try take(.paid(id))
    case .reconnectRequest: try take(.reconnectRequest(id))
    }
  }

  private mutating func becameReady(_ leg: Leg) throws(RTMPError) {
    keepTLS(of: leg)
    if missing.remove(leg.ingest) != nil { events.send(.standbyBack(leg.connection.ingest)) }
    try take(.ready(leg.id))
  }

  /// The next handshake with that ingest is shorter.
  private mutating func keepTLS(of leg: Leg) {
    if let resumption = leg.connection.resumption { resumptions[leg.ingest] = resumption }
  }

  private mutating func accepted(_ leg: Leg) throws(RTMPError) {
    accepted.insert(leg.id)
    if leg.id == carrier { carries(leg) }
    try take(.publishing(leg.id))
  }

  /// The stream is there from now on.
  mutating func carries(_ leg: Leg) {
    telemetry.connected(at: .now)
    line.carries(leg.connection, lane: telemetry.lane)
    let ingest = leg.connection.ingest
    events.send(wasAccepted ? .reconnected(ingest) : .started(ingest))
    wasAccepted = true
  }

  mutating func ended(_ id: Failover.LegID, _ error: RTMPError?) throws(RTMPError) {
    if let leg = leaving.removeValue(forKey: id) { keepTLS(of: leg) }
    guard let leg = legs.removeValue(forKey: id) else { return }
    keepTLS(of: leg)
    guard let error else {
      feeds[id] = nil
      // All was published.
      if id == carrier || id == successor?.leg.id || legs.isEmpty && isLastTry { isOver = true }
      return
    }
    let wasCarrier = id == carrier
    let carried = wasCarrier && isPublishing
    if wasCarrier { letGo(leg) }
    feeds[id] = nil
    accepted.remove(id)
    if wasCarrier || carrier == nil { lastFailure = error }
    failedOnce.insert(leg.ingest)
    if carried { events.send(.lost(error.ingest, reason: error.cause)) }
    if !wasCarrier { sayMissing(leg, error) }
    if !error.isRetryable, configuration.retry == .always, !hasBeenLive, ingests.count == 1 {
      throw error
    }
    try take(.failed(id, Failover.Failure(error)))
    if isLastTry || configuration.retry == .never, legs.isEmpty {
      isOver = true
      if configuration.retry == .never, !isLastTry { throw error }
      return
    }
    if carrier == nil || wasCarrier, !isPublishing { sayWhatFollows(error.description) }
  }

  /// The carrier is no more: what it leaves undelivered is remembered.
  mutating func letGo(_ leg: Leg) {
    carrier = nil
    // One that was never accepted, or has not begun, has changed nothing.
    guard accepted.remove(leg.id) != nil else { return }
    telemetry.disconnected(at: .now)
    if let first = feeds[leg.id].flatMap({ left(by: $0, of: leg) }),
      // Counted while it was kept, should nobody have taken more since.
      first.serial != undelivered?.serial
    {
      undelivered = first
    }
    if let undelivered { successor?.handover.breaks(leaving: undelivered) }
  }

  private func left(by feed: TagFeed, of leg: Leg) -> TagFeed.Undelivered? {
    let progress = feed.progress
    guard let begin = progress.first else { return nil }
    let first = progress.undelivered
    guard !leg.connection.counters.confirmsReading else {
      return TagFeed.Undelivered(serial: first, frame: progress.frame)
    }
    let earlier = max(min(first, begin), around.log.margin(of: around.gop, before: first))
    return TagFeed.Undelivered(serial: earlier, frame: around.log.frame(at: earlier))
  }
}
