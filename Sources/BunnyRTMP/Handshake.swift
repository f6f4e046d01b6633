/// Our side of RTMP's simple handshake. A value: fed with the server's bytes, says what to send.
///
/// We send C0 and C1, then C2 as soon as S1 is whole, and go on once S2 is. What S2 echoes is not
/// looked at, nor is S1's version: servers put all kinds of things there.
package struct Handshake: Sendable {
  /// The size of C1, C2, S1 and S2.
  package static let size = 1536

  private var received: [UInt8] = []
  private var hasAnswered = false
  /// The server's three parts are in; bytes beyond them are left to the chunk reader.
  package private(set) var isDone = false

  package init() {}

  /// C0 and C1: version 3, time 0, and random bytes.
  package func opening() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = [3] + [UInt8](repeating: 0, count: 8)
    while bytes.count < 1 + Self.size {
      bytes.appendBigEndian(generator.next() as UInt64)
    }
    return bytes
  }

  /// Takes the server's next bytes.
  /// - Returns: What to send (empty: nothing), and the bytes behind the handshake.
  package mutating func receive(
    _ bytes: ArraySlice<UInt8>
  ) throws(ProtocolViolation) -> (answer: [UInt8], rest: ArraySlice<UInt8>) {
    guard !isDone else { return ([], bytes) }
    let wanted = 1 + 2 * Self.size - received.count
    received += bytes.prefix(wanted)
    // 32 and above are kept free so that a server speaking some text protocol is told apart.
    if let version = received.first, version >= 32 { throw .handshakeVersion(version) }
    var answer: [UInt8] = []
    if !hasAnswered, received.count >= 1 + Self.size {
      hasAnswered = true
      answer = Array(received[1..<1 + Self.size])
    }
    if received.count == 1 + 2 * Self.size {
      isDone = true
      received = []
    }
    return (answer, bytes.dropFirst(wanted))
  }
}
