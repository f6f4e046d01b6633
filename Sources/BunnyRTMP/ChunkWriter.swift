package import BunnySystem

/// A message cut into chunks, without its body having been copied: ``head``, a slice of the body,
/// ``continuation``, the next slice, and so on.
package struct OutgoingMessage: Sendable {
  /// The first chunk's header.
  package let head: ChunkHeader
  /// The header of every further chunk.
  package let continuation: ChunkHeader
  package let body: SharedBytes
  package let chunkSize: Int
  /// The tag this is, where it is one.
  package var tag: RTMPTag?

  /// How many bytes this is on the wire.
  package var wireSize: Int {
    head.count + body.count + max(0, (body.count - 1) / chunkSize) * continuation.count
  }

  /// Bytes that are no message: the handshake.
  package init(raw bytes: [UInt8]) {
    self.init(
      head: ChunkHeader(), continuation: ChunkHeader(), body: SharedBytes(bytes),
      chunkSize: max(1, bytes.count))
  }

  init(head: ChunkHeader, continuation: ChunkHeader, body: SharedBytes, chunkSize: Int) {
    self.head = head
    self.continuation = continuation
    self.body = body
    self.chunkSize = chunkSize
  }

  /// All of it in one piece, as the peer sees it.
  package var wireBytes: [UInt8] {
    var bytes = head.withUnsafeBytes { Array($0) }
    var start = 0
    while start < body.count {
      if start > 0 { continuation.withUnsafeBytes { bytes += $0 } }
      let end = min(start + chunkSize, body.count)
      bytes += body[start..<end]
      start = end
    }
    return bytes
  }
}

/// A chunk's header, in place: three bytes for the chunk stream, eleven for the message, four for a time that
/// does not fit, at most.
package struct ChunkHeader: Sendable {
  private var bytes = InlineArray<18, UInt8>(repeating: 0)
  package private(set) var count = 0

  init() {}

  mutating func append(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Appends the low `size` bytes of `value`, the most significant first.
  mutating func append(_ value: UInt32, bytes size: Int) {
    for index in (0..<size).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: bytes) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
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
    write(
      message.type, streamID: message.streamID, timestamp: message.timestamp,
      body: SharedBytes(message.body), chunkStream: chunkStream)
  }

  /// - Parameter body: ``RTMPMessage/longestBody`` bytes at most.
  mutating func write(
    _ type: RTMPMessageType, streamID: UInt32, timestamp: UInt32, body: SharedBytes
  ) -> OutgoingMessage {
    write(
      type, streamID: streamID, timestamp: timestamp, body: body,
      chunkStream: Self.chunkStream(for: type))
  }

  private mutating func write(
    _ type: RTMPMessageType, streamID: UInt32, timestamp: UInt32, body: SharedBytes,
    chunkStream: UInt32
  ) -> OutgoingMessage {
    let isMedia = type == .audio || type == .video
    var format: UInt8 = 0
    var time = timestamp
    if isMedia, let last = last[chunkStream], last.streamID == streamID {
      let delta = timestamp &- last.timestamp  // right across the wrap at 2^32
      if delta < 0x8000_0000 { (format, time) = (1, delta) }
    }
    last[chunkStream] = (timestamp, streamID)
    let isExtended = time >= 0xFF_FFFF
    var head = Self.basicHeader(format, chunkStream)
    head.append(isExtended ? 0xFF_FFFF : time, bytes: 3)
    head.append(UInt32(truncatingIfNeeded: body.count), bytes: 3)
    head.append(type.rawValue)
    if format == 0 { head.append(streamID.byteSwapped, bytes: 4) }
    var continuation = Self.basicHeader(3, chunkStream)
    if isExtended {
      head.append(time, bytes: 4)
      continuation.append(time, bytes: 4)
    }
    return OutgoingMessage(
      head: head, continuation: continuation, body: body, chunkSize: chunkSize)
  }

  private static func basicHeader(_ format: UInt8, _ chunkStream: UInt32) -> ChunkHeader {
    var header = ChunkHeader()
    let rest = chunkStream &- 64
    if chunkStream < 64 {
      header.append(format << 6 | UInt8(truncatingIfNeeded: chunkStream))
    } else if rest < 256 {
      header.append(format << 6)
      header.append(UInt8(truncatingIfNeeded: rest))
    } else {
      header.append(format << 6 | 1)
      header.append(UInt8(truncatingIfNeeded: rest))
      header.append(UInt8(truncatingIfNeeded: rest >> 8))
    }
    return header
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
