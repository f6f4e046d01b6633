import BunnySystem
import Glibc

// Leaving.
extension PublishLoop {
  /// Sends what is queued and the farewell, then waits until the server has hung up, so that closing
  /// with bytes unread does not reset the connection under its last media. Nothing here is an error.
  mutating func leave(_ socket: borrowing TCPSocket, within limit: Int64) {
    session.close()
    session.moveOutgoing(to: &wire)
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
