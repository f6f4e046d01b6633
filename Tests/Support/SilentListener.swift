import Foundation

/// An address at which TCP gets no answer at all, neither yes nor no: a listener whose queue is full.
public final class SilentListener: @unchecked Sendable {  // changed in `init` only
  private var descriptors: [Int32] = []

  /// - Parameter host: one of this machine's IPv4 addresses.
  public init(on host: String, port: UInt16) throws {
    let listener = try Loopback.listen(port: port, on: host)
    descriptors = [listener]
    listen(listener, 0)  // from now on one connection fits, and all others are ignored
    while try isAnswering(host, port) {}
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// Whether one more connection opens; it stays.
  private func isAnswering(_ host: String, _ port: UInt16) throws -> Bool {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let guest = socket(AF_INET, type, 0)
    guard guest >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    descriptors.append(guest)
    var address = Loopback.address(host, port)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(guest, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var poll = pollfd(fd: guest, events: Int16(POLLOUT), revents: 0)
    return Foundation.poll(&poll, 1, 50) != 0  // loopback answers within microseconds
  }
}
