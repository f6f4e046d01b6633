public import BunnyRTMP
import BunnySystem
import Foundation

/// An RTMP server on a free port of 127.0.0.1 that behaves by script and records what it is told:
/// the first form of the hostile ingest. Takes any number of connections, on one thread.
public final class ScriptedIngest: Sendable {
  public let port: UInt16
  private let visitors = Watched<[IngestVisit]>([])
  private let stop = WakeEvent()
  private let isSecure: Bool

  /// - Parameter port: 0 takes a free one.
  public init(_ script: IngestScript = IngestScript(), port: UInt16 = 0) throws {
    let listener = try Loopback.listen(port: port, receiveBuffer: script.receiveBuffer)
    self.port = try Loopback.port(of: listener)
    isSecure = script.tls != nil
    let (visitors, stop) = (visitors, stop)
    startThread("ingest") {
      var loop = IngestLoop(listener: listener, script: script, visitors: visitors, stop: stop)
      loop.run()
    }
  }

  deinit { stop.signal() }

  /// Hangs up on everybody and listens no more.
  public func close() { stop.signal() }

  /// The publish URL of a stream.
  public func url(app: String = "live", key: String = "key") -> String {
    "\(isSecure ? "rtmps://localhost" : "rtmp://127.0.0.1"):\(port)/\(app)/\(key)"
  }

  /// Where to publish to it.
  public func ingest(app: String = "live", key: String = "key") throws -> Ingest {
    try Ingest(url(app: app, key: key))
  }

  /// An ingest at a port where nobody listens.
  public static func refusedIngest() throws -> Ingest {
    try Ingest("rtmp://127.0.0.1:\(FreePort.next())/live/key")
  }

  /// All connections so far, oldest first.
  public var visits: [IngestVisit] { visitors.current }

  /// Waits until the connections, oldest first, satisfy `isReached`.
  ///
  /// - Throws: ``WaitedInVain``.
  @discardableResult
  public func waitUntil(
    atMost seconds: Double = 30, _ isReached: @escaping @Sendable ([IngestVisit]) -> Bool
  ) async throws -> [IngestVisit] {
    try await visitors.reach("the scripted ingest", atMost: seconds, until: isReached)
  }

  /// Waits until the `index`th connection is over.
  @discardableResult
  public func visit(_ index: Int = 0, atMost seconds: Double = 30) async throws -> IngestVisit {
    try await waitUntil(atMost: seconds) { $0.count > index && $0[index].isOver }[index]
  }
}

/// The loop of the ingest's thread.
private struct IngestLoop {
  let listener: Int32
  let script: IngestScript
  let visitors: Watched<[IngestVisit]>
  let stop: WakeEvent
  var guests: [IngestGuest] = []

  mutating func run() {
    defer {
      for index in guests.indices { guests[index].leave() }
      publishVisits()
      close(listener)
    }
    while true {
      var polls = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      polls += guests.map { pollfd(fd: $0.pollDescriptor, events: $0.events, revents: 0) }
      if poll(&polls, nfds_t(polls.count), -1) < 0 { continue }
      if polls[1].revents != 0 { return }
      for (index, poll) in polls.dropFirst(2).enumerated() where poll.revents != 0 {
        guests[index].serve()
      }
      if polls[0].revents != 0 { accept() }
      publishVisits()
    }
  }

  private mutating func accept() {
    let descriptor = Foundation.accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    guests.append(IngestGuest(descriptor, script))
  }

  private mutating func publishVisits() {
    visitors.change { visits in
      for index in guests.indices {
        let news = guests[index].takeNews()
        if index < visits.count { visits[index].take(news) } else { visits.append(news) }
      }
    }
  }
}

/// One connection of the ingest.
private struct IngestGuest {
  private(set) var session: ServerSession
  private let descriptor: Int32
  private let sendsSingleBytes: Bool
  private let tls: TLSServerSession?
  private var outgoing: [UInt8] = []  // as it goes into the socket
  private var isOpen = true
  private var isReading = true
  private var isSending = true
  private var space = [UInt8](repeating: 0, count: 65_536)

  init(_ descriptor: Int32, _ script: IngestScript) {
    self.descriptor = descriptor
    session = ServerSession(script)
    sendsSingleBytes = script.delivery == .singleBytes
    tls = script.tls.map { TLSServerSession($0) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    session.accepted()
    carryOutFault()
    send()
  }

  /// -1, which `poll` passes over, when there is nothing to wait for.
  var pollDescriptor: Int32 { isOpen && events != 0 ? descriptor : -1 }
  var events: Int16 {
    let writing = isSending && !outgoing.isEmpty
    return Int16(isReading ? POLLIN : 0) | Int16(writing ? POLLOUT : 0)
  }

  mutating func serve() {
    if isReading { read() }
    send()
    carryOutFault()
  }

  mutating func takeNews() -> IngestVisit { session.takeNews() }

  mutating func leave() {
    guard isOpen else { return }
    isOpen = false
    close(descriptor)
    session.ended()
  }

  private mutating func read() {
    let count = recv(descriptor, &space, space.count, 0)
    if count > 0 {
      let bytes = space[..<count]
      session.receive(tls?.receive(bytes)[...] ?? bytes, at: .now)
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      leave()
    }
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

  private mutating func carryOutFault() {
    guard isOpen, let fault = session.pendingFault else { return }
    session.pendingFault = nil
    switch fault {
    case .close: leave()
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
      leave()
    case .silence: isSending = false
    case .stopReading:
      isSending = false
      isReading = false
    default: break
    }
  }
}
