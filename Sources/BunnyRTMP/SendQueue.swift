import BunnySystem
import Glibc

/// Messages on their way into the socket, the first of them perhaps in part.
struct SendQueue {
  /// The kernel takes 1024 parts a call; a longer message goes in several.
  private static let mostParts = 1024

  private var messages: [OutgoingMessage] = []
  private var offset = 0  // bytes of the first message that are gone
  private var parts: [iovec] = []  // kept for its memory
  /// Bytes that wait.
  private(set) var unsentBytes = 0

  var isEmpty: Bool { messages.isEmpty }

  mutating func append(_ new: [OutgoingMessage]) {
    messages += new
    unsentBytes = new.reduce(unsentBytes) { $0 + $1.wireSize }
  }

  /// Sends from the first message, headers and slices of its body gathered in one call.
  ///
  /// - Returns: How many bytes the kernel took, and the message when that was its last; nil, with
  ///   `errno`, when it took none.
  mutating func send(to socket: borrowing TCPSocket) -> (bytes: Int, whole: OutgoingMessage?)? {
    guard let message = messages.first else { return (0, nil) }
    let count = message.head.withUnsafeBytes { head in
      message.continuation.withUnsafeBytes { continuation in
        message.body.withUnsafeBytes { body in
          gather(head, continuation, body, chunkSize: message.chunkSize)
          return parts.withUnsafeMutableBufferPointer { socket.send($0) }
        }
      }
    }
    guard let count else { return nil }
    return (count, advance(count, in: message))
  }

  /// Takes bytes of the first message, as they are on the wire.
  ///
  /// - Parameters:
  ///   - limit: How many, at most.
  ///   - bytes: Where to append them.
  /// - Returns: The message, when these were its last.
  mutating func take(atMost limit: Int, into bytes: inout [UInt8]) -> OutgoingMessage? {
    guard let message = messages.first else { return nil }
    let before = bytes.count
    message.head.withUnsafeBytes { head in
      message.continuation.withUnsafeBytes { continuation in
        message.body.withUnsafeBytes { body in
          gather(head, continuation, body, chunkSize: message.chunkSize)
          for part in parts where bytes.count - before < limit {
            let part = UnsafeRawBufferPointer(start: part.iov_base, count: part.iov_len)
            bytes += part.prefix(limit - (bytes.count - before))
          }
        }
      }
    }
    return advance(bytes.count - before, in: message)
  }

  /// Notes that more of the first message is gone.
  private mutating func advance(
    _ count: Int, in message: OutgoingMessage
  ) -> OutgoingMessage? {
    unsentBytes -= count
    offset += count
    guard offset >= message.wireSize else { return nil }
    offset = 0
    messages.removeFirst()
    return message
  }

  /// Lays out what is left of a message as parts.
  private mutating func gather(
    _ head: UnsafeRawBufferPointer, _ continuation: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer, chunkSize: Int
  ) {
    parts.removeAll(keepingCapacity: true)
    var skip = offset
    add(head, skipping: &skip)
    var start = 0
    while start < body.count, parts.count < Self.mostParts - 1 {
      let end = min(start + chunkSize, body.count)
      if start > 0 { add(continuation, skipping: &skip) }
      add(UnsafeRawBufferPointer(rebasing: body[start..<end]), skipping: &skip)
      start = end
    }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer, skipping skip: inout Int) {
    let gone = min(skip, bytes.count)
    skip -= gone
    guard gone < bytes.count, let base = bytes.baseAddress else { return }
    parts.append(
      iovec(
        iov_base: UnsafeMutableRawPointer(mutating: base + gone), iov_len: bytes.count - gone))
  }
}
