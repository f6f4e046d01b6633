/// A message cut into chunks, without its body having been copied: ``head``, a slice of the body,
/// ``continuation``, the next slice, and so on.
package struct OutgoingMessage: Sendable {
  /// The first chunk's header. For handshake bytes, all there is.
  package let head: [UInt8]
  /// The header of every further chunk.
  package let continuation: [UInt8]
  package let body: [UInt8]
  package let chunkSize: Int
  /// The tag this is, where it is one.
  package var tag: RTMPTag?

  /// How many bytes this is on the wire.
  package var wireSize: Int {
    head.count + body.count + max(0, (body.count - 1) / chunkSize) * continuation.count
  }

  /// Bytes that are no message: the handshake.
  package init(raw bytes: [UInt8]) {
    self.init(head: bytes, continuation: [], body: [], chunkSize: 1)
  }

  init(head: [UInt8], continuation: [UInt8], body: [UInt8], chunkSize: Int) {
    self.head = head
    self.continuation = continuation
    self.body = body
    self.chunkSize = chunkSize
  }

  /// All of it in one piece, as the peer sees it.
  package var wireBytes: [UInt8] {
    var bytes = head
    var start = 0
    while start < body.count {
      if start > 0 { bytes += continuation }
      let end = min(start + chunkSize, body.count)
      bytes += body[start..<end]
      start = end
    }
    return bytes
  }
}

/// Gives messages their chunk headers. A value: keeps what each chunk stream sent last.
///
/// Audio and video open with a full header (format 0) and go on with deltas (format 1), as OBS and
/// `ffmpeg` do. Full headers throughout would be simpler, but from 2^24 ms on (4.66 h) every one of
/// their chunks carries an extended timestamp, in keyframes on type-3 chunks too, which some servers
/// read wrong; with deltas only a session's first messages do. Everything else, and a message whose
/// time lies before the last one's, gets a full header.
package struct ChunkWriter: Sendable {
  /// What our chunks hold at most: 128 until we have told the peer otherwise.
  package var chunkSize = 128

  private var last: [UInt32: (timestamp: UInt32, streamID: UInt32)] = [:]

  package init() {}

  /// - Parameter message: Its body ``RTMPMessage/longestBody`` bytes at most.
  package mutating func write(_ message: RTMPMessage) -> OutgoingMessage {
    write(message, chunkStream: Self.chunkStream(for: message.type))
  }

  /// - Parameter chunkStream: 2 to 65 599.
  package mutating func write(_ message: RTMPMessage, chunkStream: UInt32) -> OutgoingMessage {
    let isMedia = message.type == .audio || message.type == .video
    var format: UInt8 = 0
    var time = message.timestamp
    if isMedia, let last = last[chunkStream], last.streamID == message.streamID {
      let delta = message.timestamp &- last.timestamp  // right across the wrap at 2^32
      if delta < 0x8000_0000 { (format, time) = (1, delta) }
    }
    last[chunkStream] = (message.timestamp, message.streamID)
    return cut(message, chunkStream: chunkStream, format: format, time: time)
  }

  private func cut(
    _ message: RTMPMessage, chunkStream: UInt32, format: UInt8, time: UInt32
  ) -> OutgoingMessage {
    let isExtended = time >= 0xFF_FFFF
    var head = Self.basicHeader(format, chunkStream)
    head.appendBigEndian24(isExtended ? 0xFF_FFFF : time)
    head.appendBigEndian24(UInt32(truncatingIfNeeded: message.body.count))
    head.append(message.type.rawValue)
    if format == 0 {
      for shift: UInt32 in [0, 8, 16, 24] {
        head.append(UInt8(truncatingIfNeeded: message.streamID >> shift))
      }
    }
    var continuation = Self.basicHeader(3, chunkStream)
    if isExtended {
      head.appendBigEndian(time)
      continuation.appendBigEndian(time)
    }
    return OutgoingMessage(
      head: head, continuation: continuation, body: message.body, chunkSize: chunkSize)
  }

  private static func basicHeader(_ format: UInt8, _ chunkStream: UInt32) -> [UInt8] {
    let format = format << 6
    if chunkStream < 64 { return [format | UInt8(truncatingIfNeeded: chunkStream)] }
    let rest = chunkStream &- 64
    if rest < 256 { return [format, UInt8(truncatingIfNeeded: rest)] }
    return [
      format | 1, UInt8(truncatingIfNeeded: rest), UInt8(truncatingIfNeeded: rest >> 8),
    ]
  }

  /// Control messages must go on 2; the others are ours to choose.
  private static func chunkStream(for type: RTMPMessageType) -> UInt32 {
    switch type {
    case .audio: 4
    case .data: 5
    case .video: 6
    case .command, .commandAMF3: 3
    default: 2
    }
  }
}
