import BunnySystem
import Glibc

/// The loop that obeys a ``PublishSession``: moves bytes between it, the socket and the feed.
struct PublishLoop {
  /// How long taking leave may last once it was asked for, in nanoseconds: a second at most in all,
  /// on a busy machine too.
  private static let leaveLimit = Int64.milliseconds(600)
  /// How long a finished feed's last bytes may stay under way, and how long the server may then take
  /// to hang up.
  private static let lingerLimit = Int64.seconds(5)
  private static let hangUpLimit = Int64.milliseconds(500)

  private var session: PublishSession
  private let options: RTMPConnection.Options
  private let orders: ConnectionOrders
  private var deadline: MonotonicTime  // for what is waited for now
  private let report: (RTMPEvent) -> Void

  private var wire: Wire
  private var feed: (any RTMPFeed)?
  private var opening: [RTMPTag] = []  // what opens the stream, until it is queued
  private var counters = RTMPCounters()
  private var delivery: Delivery
  private var underway = Underway()
  private var debt = Debt.none
  private var lastLook = MonotonicTime(nanoseconds: 0)

  /// What was said of the peer's debt.
  private enum Debt { case none, doubtful, overdue }

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
      if isFinished { return leave(socket, within: Self.lingerLimit) }
      let ready = wait(
        for: [
          (socket.fileDescriptor, wire.canSend ? POLLIN | POLLOUT : POLLIN),
          (orders.stop.fileDescriptor, POLLIN), (orders.wake.fileDescriptor, POLLIN),
          (feed?.wake.fileDescriptor ?? -1, POLLIN),
        ], until: nextLimit)
      if ready[1] != 0 { return leave(socket, within: Self.leaveLimit) }
      if ready[2] != 0 { orders.wake.clear() }
      if ready[3] != 0 { feed?.wake.clear() }
      if ready[0] & ~POLLOUT != 0 { try read(from: socket) }
      takeEvents()
      // A peer that says something is not stalled, however long this process was held up.
      if ready[0] & ~POLLOUT == 0 { try checkLimits(socket) }
    }
  }

  private mutating func lookAtKernel(_ socket: borrowing TCPSocket) {
    let now = MonotonicTime.now
    guard now - lastLook >= .milliseconds(100) else { return }
    lastLook = now
    counters.kernelQueueBytes = socket.bytesInFlight
  }

  private var isPublishing: Bool { session.step == .publishing }

  private var isFinished: Bool { isPublishing && wire.isEmpty && feed?.isFinished == true }

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
      case .nothing(let error): throw hangUp(systemText(error))
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
        throw hangUp(systemText(error))
      }
      let now = MonotonicTime.now
      counters.bytesSent += Int64(bytes)
      counters.unsentBytes = wire.unsentBytes
      delivery.wrote(upTo: counters.bytesSent, at: now)
      if let tag = whole?.tag {
        underway.add(tag.serial, endingAt: counters.bytesSent)
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
    if isPublishing, wire.isEmpty {
      for tag in opening { try session.send(tag) }
      if opening.isEmpty, let tag = feed?.next() { try session.send(tag) }
      opening = []
    }
    wire.append(session.takeOutgoing())
    counters.unsentBytes = wire.unsentBytes
  }
}

// Leaving.
extension PublishLoop {
  /// Sends what is queued and the farewell, then waits until the server has hung up, so that closing
  /// with bytes unread does not reset the connection under its last media. Nothing here is an error.
  private mutating func leave(_ socket: borrowing TCPSocket, within limit: Int64) {
    session.close()
    wire.append(session.takeOutgoing())
    wire.close()
    var end = MonotonicTime.now + limit
    var hasFinishedSending = false
    while MonotonicTime.now < end {
      if !flush(to: socket) { return }
      if wire.isEmpty, !hasFinishedSending {
        socket.finishSending()
        hasFinishedSending = true
      }
      let now = MonotonicTime.now
      let hasArrived = hasFinishedSending && socket.bytesInFlight == 0
      if hasArrived { end = min(end, now + Self.hangUpLimit) }
      let ready = wait(
        for: [
          (socket.fileDescriptor, wire.canSend ? POLLIN | POLLOUT : POLLIN),
          (orders.stop.fileDescriptor, limit > Self.leaveLimit ? POLLIN : 0),
        ], until: min(end, now + .milliseconds(hasArrived ? 1000 : 20)))
      if ready[1] != 0, limit > Self.leaveLimit { return leave(socket, within: Self.leaveLimit) }
      if ready[0] & ~POLLOUT != 0, !drain(socket) { return }
    }
  }

  /// False when the connection is broken.
  private mutating func flush(to socket: borrowing TCPSocket) -> Bool {
    while wire.canSend {
      do {
        guard let (bytes, _) = try wire.send(to: socket) else { return errno == EAGAIN }
        counters.bytesSent += Int64(bytes)
        counters.unsentBytes = wire.unsentBytes
      } catch { return false }
    }
    return true
  }

  /// Reads and forgets. False at the end of the stream or when the connection is broken.
  private mutating func drain(_ socket: borrowing TCPSocket) -> Bool {
    while true {
      switch try? wire.receive(from: socket) {
      case .bytes(let bytes): counters.bytesReceived += Int64(bytes.count)
      case .nothing(let error): return error == EAGAIN || error == EINTR
      case .end, nil: return false
      }
    }
  }
}
