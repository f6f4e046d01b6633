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
  let telemetry: Telemetry
  let events: EventHub
  let ingests: [Ingest]
  let inbox: Inbox

  var failover: Failover
  var legs: [Failover.LegID: Leg] = [:]
  var feeds: [Failover.LegID: TagFeed] = [:]
  var carrier: Failover.LegID?
  /// The one that ends at a keyframe, where the carrier begins.
  var predecessor: Failover.LegID?
  var handover: KeyframeHandover?
  /// What is not known to have arrived at the last carrier.
  var undelivered: TagFeed.Undelivered?
  var lastFailure: RTMPError?
  var failedOnce: Set<Int> = []
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
      let now = MonotonicTime.now
      let deadline = failover.deadline(after: now) ?? now + .seconds(3600)
      let messages = inbox.take(until: deadline)
      if messages.isEmpty { try take(.tick) }
      for message in messages { try handle(message) }
    }
    guard !hasBeenLive else { return }
    let waited = Double(MonotonicTime.now - began) / 1e9
    throw lastFailure
      ?? RTMPError(.timedOut(.publish, seconds: waited), at: ingests[0])
  }

  /// A network that comes up ends a wait.
  func watchLinks(until isRunOver: WakeEvent) {
    let watch = LinkWatch()
    guard watch.fileDescriptor >= 0 else { return }
    startThread("links") { [inbox] in
      watch.run(until: isRunOver) { inbox.put(.linkUp) }
    }
  }

  var hasBeenLive: Bool { telemetry.statistics(at: .now).totals.connections > 0 }

  mutating func handle(_ message: Inbox.Message) throws(RTMPError) {
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
  var isPublishing = false  // the carrier was accepted
  var wasAccepted = false  // a carrier was, once

  func closeAll() { for leg in legs.values { leg.connection.close() } }

  /// Tells the rules, and does what they say.
  mutating func take(_ input: Failover.Input) throws(RTMPError) {
    for action in failover.take(input, at: .now) { try perform(action, because: input) }
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

  mutating func accepted(_ leg: Leg) throws(RTMPError) {
    if leg.id == carrier {
      let wasLive = wasAccepted
      isPublishing = true
      wasAccepted = true
      telemetry.connected(at: .now)
      line.carries(leg.connection)
      let ingest = leg.connection.ingest
      events.send(wasLive ? .reconnected(ingest) : .started(ingest))
    }
    try take(.publishing(leg.id))
  }

  mutating func ended(_ id: Failover.LegID, _ error: RTMPError?) throws(RTMPError) {
    guard let leg = legs.removeValue(forKey: id) else { return }
    if let resumption = leg.connection.resumption { resumptions[leg.ingest] = resumption }
    if id == predecessor {
      if error != nil { breakOff(leg) }
      predecessor = nil
    }
    guard let error else {
      feeds[id] = nil
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
    if carrier == nil || wasCarrier { sayWhatFollows(error.description) }
  }

  func sayWhatFollows(_ reason: String) {
    guard let (ingest, wait) = failover.nextTry(after: .now) else { return }
    events.send(
      .reconnecting(
        attempt: max(1, failover.failures), usingBackup: ingests[ingest] == configuration.backup,
        after: .nanoseconds(wait), reason: reason))
  }

  /// The carrier is no more: what it leaves undelivered is remembered.
  mutating func letGo(_ leg: Leg) {
    // One that was never accepted has changed nothing.
    let hasBegun = isPublishing || predecessor != nil
    carrier = nil
    if isPublishing { telemetry.disconnected(at: .now) }
    isPublishing = false
    guard hasBegun, let feed = feeds[leg.id] else { return }
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
  mutating func breakOff(_ leg: Leg) {
    if let feed = feeds[leg.id] { handover?.breaks(leaving: left(by: feed, of: leg)) }
    predecessor = nil
    drop(leg.id)
  }

  func left(by feed: TagFeed, of leg: Leg) -> TagFeed.Undelivered {
    var first = feed.progress.undelivered
    if !leg.connection.counters.confirmsReading {
      first = max(min(first, feed.first), around.log.margin(of: around.gop, before: first))
    }
    return TagFeed.Undelivered(serial: first, frame: around.log.frame(at: first))
  }
}
