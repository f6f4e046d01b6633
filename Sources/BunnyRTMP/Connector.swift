import BunnySystem
import Glibc

/// Opens TCP to an ingest: looks up its name, then tries each address for its share of the time left.
struct Connector {
  let ingest: Ingest
  let deadline: MonotonicTime
  let budget: Double  // seconds, for the error
  let stop: WakeEvent  // readable: give up, without an error

  /// - Returns: nil when stopped.
  func connect() throws(RTMPError) -> TCPSocket? {
    guard let addresses = try resolve() else { return nil }
    var answers: [String] = []
    for (index, address) in addresses.enumerated() {
      let now = MonotonicTime.now
      let share = (deadline - now) / Int64(addresses.count - index)
      guard share > 0 else { break }
      switch attempt(address, until: now + share) {
      case .open(let socket): return socket
      case .stopped: return nil
      case .failed(let words): answers.append("\(address.description): \(words)")
      case .silent: answers.append("\(address.description): no answer")
      }
    }
    guard answers.contains(where: { !$0.hasSuffix("no answer") }) else {
      throw RTMPError(.timedOut(.connecting, seconds: budget), at: ingest)
    }
    throw RTMPError(.unreachable(answers.joined(separator: ", ")), at: ingest)
  }

  private func resolve() throws(RTMPError) -> [SocketAddress]? {
    let resolver = Resolver(host: ingest.host, port: ingest.port)
    let ready = wait(
      for: [(resolver.done.fileDescriptor, POLLIN), (stop.fileDescriptor, POLLIN)],
      until: deadline)
    if ready[1] != 0 { return nil }
    switch resolver.answer {
    case .addresses(let addresses): return addresses
    case .failure(let words): throw RTMPError(.unknownHost(words), at: ingest)
    case nil: throw RTMPError(.timedOut(.resolving, seconds: budget), at: ingest)
    }
  }

  private enum Outcome: ~Copyable {
    case open(TCPSocket)
    case failed(String)
    case silent
    case stopped
  }

  private func attempt(_ address: SocketAddress, until deadline: MonotonicTime) -> Outcome {
    guard let socket = TCPSocket.connecting(to: address) else { return .failed(systemText(errno)) }
    let ready = wait(
      for: [(socket.fileDescriptor, POLLOUT), (stop.fileDescriptor, POLLIN)], until: deadline)
    if ready[1] != 0 { return .stopped }
    if ready[0] == 0 { return .silent }
    let error = socket.pendingError
    // A reset came after somebody had accepted: that is the handshake's to report.
    return error == 0 || error == ECONNRESET ? .open(socket) : .failed(systemText(error))
  }
}
