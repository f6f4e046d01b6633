import BunnySystem
import Foundation

/// The loop of an ingest's thread.
struct IngestLoop {
  private let listener: Int32
  private let script: IngestScript
  private let visitors: Watched<[IngestVisit]>
  private let orders: IngestOrders
  private var conduct = IngestConduct()
  private var guests: [IngestGuest] = []

  init(
    listener: Int32, script: IngestScript, visitors: Watched<[IngestVisit]>, orders: IngestOrders
  ) {
    self.listener = listener
    self.script = script
    self.visitors = visitors
    self.orders = orders
  }

  mutating func run() {
    defer {
      for index in guests.indices { guests[index].leave() }
      publishVisits()
      close(listener)
    }
    while true {
      var polls = polls
      if poll(&polls, nfds_t(polls.count), timeout) < 0 { continue }
      if polls[1].revents != 0 { return }
      if polls[2].revents != 0 {
        obey()
        continue
      }
      for (index, poll) in polls.dropFirst(3).enumerated() where poll.revents != 0 {
        guests[index].serve()
      }
      if polls[0].revents & Int16(POLLIN) != 0 { accept() }
      publishVisits()
    }
  }

  private var polls: [pollfd] {
    let isDeaf = conduct.isFrozen || conduct.refuses
    let now = MonotonicTime.now
    let own = [
      pollfd(fd: isDeaf ? -1 : listener, events: Int16(POLLIN), revents: 0),
      pollfd(fd: orders.stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: orders.wake.fileDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    return own + guests.map { conduct.isFrozen ? $0.nothing : $0.poll(at: now) }
  }

  /// Milliseconds until a throttled guest may be read again; -1: there is none.
  private var timeout: Int32 {
    guard conduct.bytesPerSecond != nil, !conduct.isFrozen else { return -1 }
    let next = guests.compactMap(\.readsAgain).min()
    return next.map { Int32(max(0, $0 - .now) / 1_000_000 + 1) } ?? -1
  }

  private mutating func accept() {
    let descriptor = Foundation.accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    guests.append(IngestGuest(descriptor, script, conduct))
  }

  private mutating func obey() {
    let commands = orders.take()
    for command in commands {
      let wasRefusing = conduct.refuses
      conduct.take(command, at: .now)
      if conduct.refuses != wasRefusing { setListening(!conduct.refuses) }
      for index in guests.indices { guests[index].take(command, conduct) }
    }
    publishVisits()
    orders.carriedOut(commands)
  }

  /// The port stays ours while nobody listens there, as it was bound by its number.
  private func setListening(_ listens: Bool) {
    let code = listens ? listen(listener, 64) : shutdown(listener, Int32(SHUT_RD))
    precondition(code == 0, "error \(errno)")
  }

  private mutating func publishVisits() {
    visitors.change { visits in
      for index in guests.indices {
        guard let news = guests[index].takeNews() else { continue }
        if index < visits.count { visits[index].take(news) } else { visits.append(news) }
      }
    }
  }
}

/// One connection of the ingest.
private struct IngestGuest {
  private var session: ServerSession
  private let descriptor: Int32
  private let sendsSingleBytes: Bool
  private let tls: TLSServerSession?
  private var outgoing: [UInt8] = []  // as it goes into the socket
  private var isOpen = true
  private var isReading = true
  private var isSending = true
  private var hasNews = true
  private var bytesPerSecond: Double?
  /// When a throttled connection may be read again.
  private(set) var readsAgain: MonotonicTime?
  private var space = [UInt8](repeating: 0, count: 65_536)

  init(_ descriptor: Int32, _ script: IngestScript, _ conduct: IngestConduct) {
    self.descriptor = descriptor
    session = ServerSession(script, conduct)
    sendsSingleBytes = script.delivery == .singleBytes
    tls = script.tls.map { TLSServerSession($0) }
    bytesPerSecond = conduct.bytesPerSecond
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    session.accepted()
    carryOutFault()
    send()
  }

  /// What `poll` passes over.
  var nothing: pollfd { pollfd(fd: -1, events: 0, revents: 0) }

  func poll(at now: MonotonicTime) -> pollfd {
    let mayRead = isReading && readsAgain.map { now >= $0 } ?? true
    let writes = isSending && !outgoing.isEmpty
    let events = Int16(mayRead ? POLLIN : 0) | Int16(writes ? POLLOUT : 0)
    return isOpen && events != 0 ? pollfd(fd: descriptor, events: events, revents: 0) : nothing
  }

  mutating func serve() {
    hasNews = true
    if isReading, readsAgain.map({ .now >= $0 }) ?? true { read() }
    send()
    carryOutFault()
  }

  /// nil when there are none.
  mutating func takeNews() -> IngestVisit? {
    guard hasNews else { return nil }
    hasNews = false
    return session.takeNews()
  }

  mutating func leave() {
    guard isOpen else { return }
    isOpen = false
    readsAgain = nil
    hasNews = true
    Foundation.close(descriptor)
    session.ended()
  }

  private mutating func read() {
    let most = bytesPerSecond.map { max(256, Int($0 / 50)) } ?? space.count
    let count = recv(descriptor, &space, min(most, space.count), 0)
    if count > 0 {
      pause(after: count)
      let bytes = space[..<count]
      session.receive(tls?.receive(bytes)[...] ?? bytes, at: .now)
      session.isTLSResumed = tls?.isResumed ?? false
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      leave()
    }
  }

  /// Waits with the next read as long as `count` bytes take; what was not read in time is not made up
  /// for.
  private mutating func pause(after count: Int) {
    guard let bytesPerSecond else { return }
    let earliest = MonotonicTime.now + -Int64.milliseconds(50)
    let begin = readsAgain.map { max($0, earliest) } ?? .now
    readsAgain = begin + Int64.seconds(Double(count) / bytesPerSecond)
  }

  private mutating func send() {
    collect()
    guard isOpen, isSending, !outgoing.isEmpty else { return }
    let size = sendsSingleBytes ? 1 : outgoing.count
    let count = outgoing.withUnsafeBytes {
      Foundation.send(descriptor, $0.baseAddress, size, Int32(MSG_NOSIGNAL))
    }
    if count > 0 { outgoing.removeFirst(count) }
  }

  private mutating func collect() {
    if let tls {
      tls.write(session.output[...])
      outgoing += tls.takeOutgoing()
    } else {
      outgoing += session.output
    }
    session.output = []
  }
}

// What goes wrong.
extension IngestGuest {
  mutating func take(_ command: IngestCommand, _ conduct: IngestConduct) {
    guard isOpen else { return }
    session.conduct = conduct
    bytesPerSecond = conduct.bytesPerSecond
    if bytesPerSecond == nil { readsAgain = nil }
    switch command {
    case .reset: reset()
    case .close: leave()
    case .halfClose:
      isSending = false
      shutdown(descriptor, Int32(SHUT_WR))
    case .strayByte(let byte): session.output.append(byte)
    case .unpublish: session.unpublish()
    case .reconnectRequest: session.requestReconnect()
    default: break
    }
    if !conduct.isFrozen { send() }
  }

  private mutating func carryOutFault() {
    guard isOpen, let fault = session.pendingFault else { return }
    session.pendingFault = nil
    switch fault {
    case .close: leave()
    case .reset: reset()
    case .silence: isSending = false
    case .stopReading:
      isSending = false
      isReading = false
    default: break
    }
  }

  private mutating func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
    leave()
  }
}
