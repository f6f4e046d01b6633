import BunnySystem
import Glibc

/// The loop that obeys a ``PublishSession``: moves bytes between it, the socket and the feed.
struct PublishLoop {
  /// How long taking leave may last once it was asked for, in nanoseconds: a second at most in all,
  /// on a busy machine too.
  static let leaveLimit = Int64.milliseconds(600)
  /// How long a finished feed's last bytes may stay under way, and how long the server may then take
  /// to hang up.
  static let lingerLimit = Int64.seconds(5)
  static let hangUpLimit = Int64.milliseconds(500)

  /// After so many reads in a row it is looked at what the peer owes, whatever else it says.
  private static let mostWords = 8

  var session: PublishSession
  let options: RTMPConnection.Options
  let orders: ConnectionOrders
  var deadline: MonotonicTime  // for what is waited for now
  let report: (RTMPEvent) -> Void

  var wire: Wire
  var feed: (any RTMPFeed)?
  var opening: [RTMPTag] = []  // what opens the stream, until it is queued
  var counters = RTMPCounters()
  var delivery: Delivery
  var underway = Underway()
  var debt = Debt.none
  var wordsInARow = 0
  /// Where the last tag ends, among all bytes that were sent.
  var lastMediaEnd: Int64 = 0
  var lastLook = MonotonicTime(nanoseconds: 0)

  /// What was said of the peer's debt.
  enum Debt { case none, doubtful, overdue }

  init(
    session: PublishSession, wire: Wire, options: RTMPConnection.Options,
    orders: ConnectionOrders, deadline: MonotonicTime, report: @escaping (RTMPEvent) -> Void
  ) {
    self.session = session
    self.wire = wire
    self.options = options
    self.orders = orders
    self.deadline = deadline
    self.report = report
    delivery = Delivery(window: options.acknowledgementWindow)
  }

  mutating func run(
    over socket: borrowing TCPSocket, onCount: (RTMPCounters) -> Void
  ) throws(RTMPError) {
    defer { onCount(counters) }
    while true {
      obey()
      try write(to: socket)
      lookAtKernel(socket)
      onCount(counters)
      if isFinished() { return leave(socket, within: Self.lingerLimit) }
      try write(to: socket)  // a ping, perhaps
      let events: InlineArray<4, (descriptor: Int32, events: Int32)> = [
        (socket.fileDescriptor, wire.canSend ? POLLIN | POLLOUT : POLLIN),
        (orders.stop.fileDescriptor, POLLIN), (orders.wake.fileDescriptor, POLLIN),
        (feed?.wake.fileDescriptor ?? -1, POLLIN),
      ]
      let ready = wait(for: events, until: nextLimit)
      if ready[1] != 0 { return leave(socket, within: Self.leaveLimit) }
      if ready[2] != 0 { orders.wake.clear() }
      if ready[3] != 0 { feed?.wake.clear() }
      if ready[0] & ~POLLOUT != 0 {
        defer { takeEvents() }  // also what came before the end of the connection
        try read(from: socket)
      }
      // What a peer has said while this process was held up counts first; but one that always has
      // something to say may still read nothing.
      wordsInARow = ready[0] & ~POLLOUT == 0 ? 0 : wordsInARow + 1
      if wordsInARow == 0 || wordsInARow > Self.mostWords { try checkLimits(socket) }
    }
  }

  private mutating func lookAtKernel(_ socket: borrowing TCPSocket) {
    let now = MonotonicTime.now
    guard now - lastLook >= .milliseconds(100) else { return }
    lastLook = now
    counters.kernelQueueBytes = socket.bytesInFlight
  }

  var isPublishing: Bool { session.step == .publishing }

  /// All is sent; and read, by a peer that can tell: else another one must be sent it.
  private mutating func isFinished() -> Bool {
    guard isPublishing, wire.isEmpty, feed?.isFinished == true else { return false }
    guard delivery.answersPings, delivery.known < lastMediaEnd else { return true }
    if !delivery.isPinging { ping() }
    return false
  }

  /// Does what whoever holds the connection has asked for meanwhile.
  private mutating func obey() {
    let (feed, pings) = orders.take()
    if let feed {
      if session.step == .ready { deadline = .now + .seconds(options.budget) }
      self.feed = feed
      session.publish()
    }
    if pings, session.step == .ready || isPublishing, !delivery.isPinging { ping() }
  }

  private mutating func ping() {
    let stamp = delivery.newStamp()
    session.ping(stamp)
    delivery.pinged(stamp, endingAt: session.bytesSent, at: .now)
  }

  /// Passes on what has happened; at Publish.Start, opens the stream.
  private mutating func takeEvents() {
    for event in session.takeEvents() {
      switch event {
      case .connected: report(.state(.connected))
      case .ready:
        report(.state(.ready))
        ping()  // whether it answers is known before it matters
      case .publishing:
        report(.state(.publishing))
        opening = feed?.opening() ?? []
      case .reconnectRequest: report(.reconnectRequest)
      case .pong(let stamp):
        guard delivery.ponged(stamp, at: .now), let time = delivery.roundTrip else { continue }
        counters.roundTrip = .nanoseconds(time)
        report(.pong)
      }
    }
    confirm()
  }

  /// Tells the feed what has arrived.
  private mutating func confirm() {
    counters.bytesConfirmed = delivery.known
    counters.confirmsReading = delivery.isAnswering
    counters.pace = delivery.pace
    guard let feed else { return }
    while let serial = underway.next(upTo: delivery.known) { feed.confirmed(serial, at: .now) }
  }
}

// Time limits.
extension PublishLoop {
  private var nextLimit: MonotonicTime {
    let now = MonotonicTime.now
    let look = delivery.nextLook(at: now) ?? now + .seconds(3600)
    switch session.step {
    case .publishing: return look
    case .ready where feed == nil: return look
    default: return deadline
    }
  }

  private mutating func checkLimits(_ socket: borrowing TCPSocket) throws(RTMPError) {
    let now = MonotonicTime.now
    guard isPublishing || session.step == .ready && feed == nil else {
      guard now >= deadline else { return }
      let step = wire.isOpen ? session.step : .tls
      throw session.failure(.timedOut(step, seconds: options.budget))
    }
    delivery.arrived(upTo: counters.bytesSent - Int64(socket.bytesInFlight), at: now)
    confirm()
    if delivery.wantsPing(at: now) { ping() }
    try checkDebt(at: now)
  }

  private mutating func checkDebt(at now: MonotonicTime) throws(RTMPError) {
    let limit = Int64.seconds(options.stallLimit)
    let owed = delivery.owingSince().map { now - $0 } ?? 0
    switch debt {
    case .none where owed >= limit / 2:
      debt = .doubtful
      report(.owing)
    case .doubtful where owed >= limit:
      debt = .overdue
      report(.stalled)
      if options.endsWhenStalled { throw session.failure(.stalled(seconds: options.stallLimit)) }
    case .doubtful where owed < limit / 4, .overdue where owed < limit / 4:
      debt = .none
      report(.paid)
    default: break
    }
  }
}

// Bytes.
extension PublishLoop {
  /// Reads what is there, for a bounded while.
  private mutating func read(from socket: borrowing TCPSocket) throws(RTMPError) {
    for _ in 0..<16 {
      switch try receive(from: socket) {
      case .bytes(let bytes):
        counters.bytesReceived += Int64(bytes.count)
        try session.receive(bytes)
        delivery.acknowledged(upTo: session.bytesAcknowledged, at: .now)
      case .end: throw hangUp("end of file")
      case .nothing(EAGAIN), .nothing(EINTR): return
      case .nothing(let error): throw hangUp(systemWords(error))
      }
    }
  }

  /// Writes until the kernel takes no more or there is no more, one message a call.
  private mutating func write(to socket: borrowing TCPSocket) throws(RTMPError) {
    while true {
      try refill()
      if !wire.canSend { return }
      guard let (bytes, whole) = try send(to: socket) else {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        let error = errno
        try read(from: socket)  // a refusal may lie there; it says more than the broken pipe
        throw hangUp(systemWords(error))
      }
      let now = MonotonicTime.now
      counters.bytesSent += Int64(bytes)
      counters.unsentBytes = wire.unsentBytes
      delivery.wrote(upTo: counters.bytesSent, at: now)
      if let tag = whole?.tag {
        underway.add(tag.serial, endingAt: counters.bytesSent)
        lastMediaEnd = counters.bytesSent
        feed?.sent(tag, at: now)
      }
    }
  }

  private mutating func receive(
    from socket: borrowing TCPSocket
  ) throws(RTMPError) -> Wire.Arrival {
    do throws(TLSFailure) { return try wire.receive(from: socket) } catch { throw failure(error) }
  }

  private mutating func send(
    to socket: borrowing TCPSocket
  ) throws(RTMPError) -> (bytes: Int, whole: OutgoingMessage?)? {
    do throws(TLSFailure) { return try wire.send(to: socket) } catch { throw failure(error) }
  }

  /// A TLS session that breaks once it was established is a connection that breaks.
  private func failure(_ failure: TLSFailure) -> RTMPError {
    wire.isOpen ? session.hangUp(failure.cause) : session.failure(.tls(failure))
  }

  private func hangUp(_ cause: String) -> RTMPError {
    wire.isOpen
      ? session.hangUp(cause)
      : session.failure(.tls(.hungUp(host: session.ingest.host, cause: cause)))
  }

  /// Answers to the server first; then, when all is gone, the feed's next tag.
  private mutating func refill() throws(RTMPError) {
    session.moveOutgoing(answering: wire.isEmpty, to: &wire)
    if isPublishing, wire.isEmpty {
      for tag in opening { try session.send(tag) }
      if opening.isEmpty, let tag = feed?.next() { try session.send(tag) }
      opening = []
      session.moveOutgoing(to: &wire)
    }
    counters.unsentBytes = wire.unsentBytes
  }
}
