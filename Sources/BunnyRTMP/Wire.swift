import BunnySystem
import Glibc

/// What lies between a session's messages and the socket: nothing, or TLS. Everything is counted in
/// bytes of RTMP, as acknowledgements are: what TLS adds is not.
struct Wire {
  /// How much is encrypted at a time: what waits in the queue meanwhile need not be copied.
  private static let mostPlain = 65_536

  private var queue = SendQueue()
  private let tls: TLSSession?
  private var cipher = CipherText()
  private var isClosing = false
  private var space = [UInt8](repeating: 0, count: 16_384)
  private var plain: [UInt8] = []  // kept for its memory

  /// - Parameter tls: nil: messages go as they are.
  init(over tls: TLSSession? = nil) {
    self.tls = tls
    tls?.takeOutgoing(into: &cipher.bytes)
  }

  /// Whether messages can go: TLS, if there is any, is established.
  var isOpen: Bool { tls?.isEstablished ?? true }

  /// Nothing waits to be sent.
  var isEmpty: Bool { queue.isEmpty && cipher.isEmpty }

  /// The socket may take something now: not, while messages wait for TLS and TLS for the server.
  var canSend: Bool { !cipher.isEmpty || (isOpen && !queue.isEmpty) }

  /// Bytes that wait for the kernel.
  var unsentBytes: Int { queue.unsentBytes + cipher.plainBytes }

  mutating func append(_ messages: [OutgoingMessage]) {
    guard !isClosing else { return }
    queue.append(messages)
  }

  /// Says goodbye behind what waits; what TLS is not there to take is dropped.
  mutating func close() {
    isClosing = true
    if !isOpen { queue = SendQueue() }
    sayGoodbye()
  }

  private mutating func sayGoodbye() {
    guard isClosing, queue.isEmpty, let tls else { return }
    tls.close()
    tls.takeOutgoing(into: &cipher.bytes)
  }
}

// Sending.
extension Wire {
  /// Offers the kernel the next bytes, of one message at most.
  ///
  /// - Returns: How many bytes of messages are gone, which may be none though the kernel took some, and
  ///   the message when that was its last; nil, with `errno`, when the kernel took nothing.
  mutating func send(
    to socket: borrowing TCPSocket
  ) throws(TLSFailure) -> (bytes: Int, whole: OutgoingMessage?)? {
    guard let tls else { return queue.send(to: socket) }
    if cipher.isEmpty, tls.isEstablished { try encrypt(tls) }
    guard let sent = cipher.send(to: socket) else { return nil }
    if cipher.isEmpty { sayGoodbye() }
    return sent
  }

  private mutating func encrypt(_ tls: TLSSession) throws(TLSFailure) {
    plain.removeAll(keepingCapacity: true)
    let whole = queue.take(atMost: Self.mostPlain, into: &plain)
    try tls.write(plain[...])
    cipher.note(plain.count, whole)
    tls.takeOutgoing(into: &cipher.bytes)
  }
}

// Receiving.
extension Wire {
  /// What came of reading once.
  enum Arrival {
    /// Of RTMP; none when what came was TLS's own.
    case bytes(ArraySlice<UInt8>)
    case end
    /// Nothing, with this `errno`.
    case nothing(Int32)
  }

  mutating func receive(from socket: borrowing TCPSocket) throws(TLSFailure) -> Arrival {
    if tls?.isPeerClosed == true { return .end }
    guard let count = socket.read(into: &space) else { return .nothing(errno) }
    guard count > 0 else { return .end }
    socket.quickAcknowledge()
    guard let tls else { return .bytes(space[..<count]) }
    do throws(TLSFailure) {
      try tls.receive(space[..<count])
    } catch {
      tls.takeOutgoing(into: &cipher.bytes)
      _ = cipher.send(to: socket)  // an alert: it tells the server's owner why
      throw error
    }
    tls.takeOutgoing(into: &cipher.bytes)
    return .bytes(tls.takePlain()[...])
  }
}

/// Encrypted bytes on their way into the socket.
private struct CipherText {
  var bytes: [UInt8] = []
  /// Bytes of messages in there; they count as gone when all of it is.
  private(set) var plainBytes = 0
  private var whole: OutgoingMessage?  // whose end is in there
  private var offset = 0  // bytes that are gone

  var isEmpty: Bool { offset == bytes.count }

  /// Notes what is about to be added.
  mutating func note(_ plainBytes: Int, _ whole: OutgoingMessage?) {
    self.plainBytes = plainBytes
    self.whole = whole
  }

  mutating func send(to socket: borrowing TCPSocket) -> (bytes: Int, whole: OutgoingMessage?)? {
    guard !isEmpty else { return (0, nil) }
    let count = bytes.withUnsafeBytes { socket.send($0[offset...]) }
    guard let count else { return nil }
    offset += count
    guard isEmpty else { return (0, nil) }
    defer {
      bytes.removeAll(keepingCapacity: true)
      (offset, plainBytes, whole) = (0, 0, nil)
    }
    return (plainBytes, whole)
  }
}
