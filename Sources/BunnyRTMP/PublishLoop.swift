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
  private let deadline: MonotonicTime  // for Publish.Start
  private let stop: WakeEvent

  private var wire: Wire
  private var counters = RTMPCounters()
  private var lastTaken = MonotonicTime.now  // when a byte was taken, or the first came to wait

  init(
    session: PublishSession, wire: Wire, options: RTMPConnection.Options, deadline: MonotonicTime,
    stop: WakeEvent
  ) {
    self.session = session
    self.wire = wire
    self.options = options
    self.deadline = deadline
    self.stop = stop
  }

  mutating func run(
    over socket: borrowing TCPSocket, _ feed: any RTMPFeed,
    onState: (RTMPConnectionState) -> Void, onCount: (RTMPCounters) -> Void
  ) throws(RTMPError) {
    defer { onCount(counters) }
    while true {
      try write(to: socket, feed)
      onCount(counters)
      if isFinished(feed) { return leave(socket, within: Self.lingerLimit) }
      let ready = wait(
        for: [
          (socket.fileDescriptor, wire.canSend ? POLLIN | POLLOUT : POLLIN),
          (stop.fileDescriptor, POLLIN), (feed.wake.fileDescriptor, POLLIN),
        ], until: nextLimit)
      if ready[1] != 0 { return leave(socket, within: Self.leaveLimit) }
      if ready[2] != 0 { feed.wake.clear() }
      if ready[0] & ~POLLOUT != 0 { try read(from: socket) }
      report(feed, onState)
      // A socket that is ready is not stalled, however long this process was held up.
      if ready[0] & POLLOUT == 0 { try checkLimits() }
    }
  }

  private var isPublishing: Bool { session.step == .publishing }

  private func isFinished(_ feed: any RTMPFeed) -> Bool {
    isPublishing && wire.isEmpty && feed.isFinished
  }

  /// Passes on what has happened; at Publish.Start, opens the stream.
  private mutating func report(_ feed: any RTMPFeed, _ onState: (RTMPConnectionState) -> Void) {
    for event in session.takeEvents() {
      switch event {
      case .connected: onState(.connected)
      case .publishing:
        onState(.publishing)
        opening = feed.opening()
      case .pong: break
      }
    }
  }
  private var opening: [RTMPTag] = []  // what opens the stream, until it is queued
}

// Time limits.
extension PublishLoop {
  private var stallDeadline: MonotonicTime { lastTaken + .seconds(options.sendStallLimit) }

  private var nextLimit: MonotonicTime {
    guard isPublishing else { return deadline }
    return wire.isEmpty ? .now + .seconds(3600) : stallDeadline
  }

  private func checkLimits() throws(RTMPError) {
    let now = MonotonicTime.now
    if !isPublishing, now >= deadline {
      let step = wire.isOpen ? session.step : .tls
      throw session.failure(.timedOut(step, seconds: options.budget))
    }
    if isPublishing, !wire.isEmpty, now >= stallDeadline {
      throw session.failure(.stalled(seconds: options.sendStallLimit))
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
        counters.bytesAcknowledged = session.bytesAcknowledged
      case .end: throw hangUp("end of file")
      case .nothing(EAGAIN), .nothing(EINTR): return
      case .nothing(let error): throw hangUp(systemText(error))
      }
    }
  }

  /// Writes until the kernel takes no more or there is no more, one message a call.
  private mutating func write(
    to socket: borrowing TCPSocket, _ feed: any RTMPFeed
  ) throws(RTMPError) {
    while true {
      let wasEmpty = wire.isEmpty
      try refill(from: feed)
      if !wire.canSend { return }
      if wasEmpty { lastTaken = .now }  // waiting begins here, however long there was nothing
      guard let (bytes, whole) = try send(to: socket) else {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        let error = errno
        try read(from: socket)  // a refusal may lie there; it says more than the broken pipe
        throw hangUp(systemText(error))
      }
      lastTaken = .now
      counters.bytesSent += Int64(bytes)
      counters.unsentBytes = wire.unsentBytes
      if let tag = whole?.tag { feed.sent(tag, at: lastTaken) }
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
  private mutating func refill(from feed: any RTMPFeed) throws(RTMPError) {
    if isPublishing, wire.isEmpty {
      for tag in opening { try session.send(tag) }
      if opening.isEmpty, let tag = feed.next() { try session.send(tag) }
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
          (stop.fileDescriptor, limit > Self.leaveLimit ? POLLIN : 0),
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
