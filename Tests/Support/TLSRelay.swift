import BunnySystem
import Foundation

/// Speaks TLS on a free port of 127.0.0.1 and passes on what it says to a server that speaks none.
public final class TLSRelay: Sendable {
  public let port: UInt16
  private let stop = WakeEvent()

  public init(to target: UInt16, _ server: TLSServer) throws {
    let listener = try Loopback.listen(port: 0)
    port = try Loopback.port(of: listener)
    startThread("tls-relay") { [stop] in
      defer { close(listener) }
      var polls = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      while poll(&polls, 2, -1) >= 0 || errno == EINTR {
        if polls[1].revents != 0 { return }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        guard let plain = try? Loopback.connect(port: target) else {
          close(client)
          continue
        }
        startThread("tls-relayed") {
          var pair = RelayedPair(client, plain, TLSServerSession(server), stop)
          pair.run()
        }
      }
    }
  }

  deinit { stop.signal() }
}

/// One connection that is relayed. What cannot be passed on yet is all that is kept: while some waits,
/// nothing is read from the other end.
private struct RelayedPair {
  private struct End {
    let descriptor: Int32
    var waiting: [UInt8] = []  // to be written to it
    var isOver = false  // nothing more will be read from it

    /// False when it is broken.
    mutating func flush() -> Bool {
      while !waiting.isEmpty {
        let count = waiting.withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { return errno == EAGAIN || errno == EINTR }
        waiting.removeFirst(count)
      }
      return true
    }

    /// nil when it is broken; nothing when there is nothing.
    mutating func read(into space: inout [UInt8]) -> ArraySlice<UInt8>? {
      let count = recv(descriptor, &space, space.count, 0)
      if count == 0 { isOver = true }
      guard count >= 0 else { return errno == EAGAIN || errno == EINTR ? [] : nil }
      return space[..<count]
    }

    func poll(reading: Bool) -> pollfd {
      let events = (reading && !isOver ? POLLIN : 0) | (waiting.isEmpty ? 0 : POLLOUT)
      return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }
  }

  private var client: End
  private var server: End
  private let tls: TLSServerSession
  private let stop: WakeEvent
  private var space = [UInt8](repeating: 0, count: 65_536)

  init(_ client: Int32, _ server: Int32, _ tls: TLSServerSession, _ stop: WakeEvent) {
    for descriptor in [client, server] {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }
    (self.client, self.server) = (End(descriptor: client), End(descriptor: server))
    (self.tls, self.stop) = (tls, stop)
  }

  /// Until either side has ended and the other has got all of it.
  mutating func run() {
    defer {
      close(client.descriptor)
      close(server.descriptor)
    }
    while !isDone {
      var polls = [
        client.poll(reading: server.waiting.isEmpty), server.poll(reading: client.waiting.isEmpty),
        pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polls, 3, -1) < 0 { continue }
      guard polls[2].revents == 0, client.flush(), server.flush() else { return }
      if server.waiting.isEmpty, polls[0].revents & ~Int16(POLLOUT) != 0 {
        guard let bytes = client.read(into: &space) else { return }
        server.waiting += tls.receive(bytes)
      }
      if client.waiting.isEmpty, polls[1].revents & ~Int16(POLLOUT) != 0 {
        guard let bytes = server.read(into: &space) else { return }
        tls.write(bytes)
        if server.isOver { tls.close() }
      }
      client.waiting += tls.takeOutgoing()
      guard client.flush(), server.flush() else { return }
      if clientHasLeft, server.waiting.isEmpty { return leave() }
    }
  }

  private var clientHasLeft: Bool { client.isOver || tls.isPeerClosed || tls.failure != nil }

  /// Waits until the server has read all and hung up: closing with its words unread would reset the
  /// connection.
  private mutating func leave() {
    shutdown(server.descriptor, Int32(SHUT_WR))
    while !server.isOver {
      var polls = [
        server.poll(reading: true),
        pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polls, 2, -1) < 0 { continue }
      guard polls[1].revents == 0, server.read(into: &space) != nil else { return }
    }
  }

  private var isDone: Bool { server.isOver && client.waiting.isEmpty }
}
