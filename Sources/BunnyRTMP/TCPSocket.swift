import BunnySystem
import Glibc

/// Owns one non-blocking TCP socket. No policy: every call returns at once, with the system's error.
struct TCPSocket: ~Copyable {
  let fileDescriptor: Int32

  /// `TCP_RTO_MAX_MS`, which older headers do not have.
  private static let longestRetransmissionPause: Int32 = 44

  /// Takes over the descriptor.
  init(adopting fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    // What the network does not take yet stays in our queue, where it can be counted and left out.
    set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 32_768)
    // While a line is dead TCP waits twice as long each time before it tries again; a second at most
    // brings a session back soon after its line. (Linux 6.15; nothing happens before.) It would also
    // give up after fifteen such seconds.
    set(Int32(IPPROTO_TCP), Self.longestRetransmissionPause, 1000)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 900_000)
    // CUBIC, the usual default, takes every loss for a full line, and carries next to nothing over a long one that
    // loses packets. BBR does not. Where the kernel has none, or does not let us, its default stays; and so does
    // one that somebody has chosen.
    if ["cubic", "reno"].contains(control) { choose(control: "bbr") }
    quickAcknowledge()
  }
  deinit { close(fileDescriptor) }

  /// A new socket on its way to `address`; nil, with `errno`, when there is none to be had.
  static func connecting(to address: SocketAddress) -> TCPSocket? {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { return nil }
    let tcp = TCPSocket(adopting: descriptor)
    let code = address.bytes.withUnsafeBytes { raw -> Int32 in
      guard let target = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return Glibc.connect(descriptor, target, socklen_t(raw.count))
    }
    let error = errno
    if code == 0 || error == EINPROGRESS { return tcp }
    _ = consume tcp
    errno = error  // closing may have changed it
    return nil
  }

  /// The socket's pending error, 0 when there is none: the outcome of a connection attempt.
  var pendingError: Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(fileDescriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
  }

  /// Acknowledges what arrives at once. Linux forgets it now and then, hence again after reads:
  /// without it a session's round trips to nginx take 44 ms instead of 0.4.
  func quickAcknowledge() { set(Int32(IPPROTO_TCP), TCP_QUICKACK, 1) }

  /// Bytes read into `space`; 0 at the end of the stream, nil with `errno` otherwise.
  func read(into space: inout [UInt8]) -> Int? {
    let count = recv(fileDescriptor, &space, space.count, 0)
    return count >= 0 ? count : nil
  }

  /// Bytes taken by the kernel, or nil with `errno`. Never raises SIGPIPE.
  func send(_ parts: UnsafeMutableBufferPointer<iovec>) -> Int? {
    var message = msghdr()
    message.msg_iov = parts.baseAddress
    message.msg_iovlen = parts.count
    let count = sendmsg(fileDescriptor, &message, Int32(MSG_NOSIGNAL))
    return count >= 0 ? count : nil
  }

  /// The same for bytes in one piece.
  func send(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let count = Glibc.send(fileDescriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    return count >= 0 ? count : nil
  }

  /// Says that nothing more will be sent.
  func finishSending() { _ = shutdown(fileDescriptor, Int32(SHUT_WR)) }

  /// Bytes that the peer's kernel has not acknowledged yet.
  var bytesInFlight: Int {
    var count: Int32 = 0
    return ioctl(fileDescriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0  // SIOCOUTQ
  }

  /// How the kernel shares the line.
  private var control: String {
    var name = [UInt8](repeating: 0, count: 16)
    var size = socklen_t(name.count)
    guard getsockopt(fileDescriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &size) == 0 else {
      return ""
    }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }

  private func choose(control: String) {
    setsockopt(
      fileDescriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, control, socklen_t(control.utf8.count))
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(fileDescriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// Waits until one of the descriptors has one of its events, or `deadline` passes.
/// - Returns: What each has; nothing at the deadline.
func wait(
  for events: [(descriptor: Int32, events: Int32)], until deadline: MonotonicTime
) -> [Int32] {
  var polls = events.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
  polls.withUnsafeMutableBufferPointer { wait(for: $0, until: deadline) }
  return polls.map { Int32($0.revents) }
}

/// The same for a number that is known beforehand, without an allocation.
func wait<let count: Int>(
  for events: InlineArray<count, (descriptor: Int32, events: Int32)>, until deadline: MonotonicTime
) -> InlineArray<count, Int32> {
  var polls = InlineArray<count, pollfd> {
    pollfd(fd: events[$0].descriptor, events: Int16(events[$0].events), revents: 0)
  }
  var span = polls.mutableSpan
  span.withUnsafeMutableBufferPointer { wait(for: $0, until: deadline) }
  return InlineArray { Int32(polls[$0].revents) }
}

private func wait(for polls: UnsafeMutableBufferPointer<pollfd>, until deadline: MonotonicTime) {
  while true {
    let left = max(0, (deadline - .now + 999_999) / 1_000_000)
    let count = poll(
      polls.baseAddress, nfds_t(polls.count), Int32(min(left, Int64(Int32.max))))
    if count >= 0 || errno != EINTR { return }
  }
}
