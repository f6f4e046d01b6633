/// Puts chunks back together into messages. A value: fed with bytes in any portions, opens nothing.
///
/// Set Chunk Size and Abort take effect in here, and are handed out like every other message. Memory
/// follows what has arrived, never what was announced.
package struct ChunkReader: Sendable {
  /// What the peer's chunks hold at most: 128 until it says otherwise.
  package private(set) var chunkSize = 128

  private let limit: Int  // bytes that unfinished messages may hold together
  private var unfinishedBytes = 0
  private var streams: [UInt32: ChunkStream] = [:]  // at most the 65 598 ids there are
  private var pending: [UInt8] = []
  private var position = 0  // in `pending`
  private var chunk: (stream: UInt32, left: Int)?  // the chunk whose body is being read
  private var spare: [UInt8] = []  // for its memory: that of a message that was read

  /// - Parameter limit: How many bytes the messages under way may hold together.
  package init(limit: Int = 4 << 20) { self.limit = limit }

  /// Takes bytes as they came from the peer.
  package mutating func append(_ bytes: some Collection<UInt8>) {
    if position > 0 {
      pending.removeFirst(position)
      position = 0
    }
    pending += bytes
  }

  /// The next whole message, or nil when more bytes are needed.
  package mutating func next() throws(ProtocolViolation) -> RTMPMessage? {
    while true {
      if chunk == nil {
        guard try readHeader() else { return nil }
      }
      guard readBody() else { return nil }
      if let message = finishMessage() {
        try obey(message)
        return message
      }
    }
  }

  /// The message was read: its memory serves for the next one. Acknowledgements come all the time.
  mutating func reuse(_ message: RTMPMessage) {
    if message.body.count <= 64 { spare = message.body }
  }

  /// Moves what there is of the current chunk's body. False when the chunk is not whole.
  private mutating func readBody() -> Bool {
    guard let (id, left) = chunk, var stream = streams.removeValue(forKey: id) else { return false }
    let count = min(left, pending.count - position)
    stream.body += pending[position..<position + count]
    streams[id] = stream
    position += count
    unfinishedBytes += count
    chunk = count < left ? (id, left - count) : nil
    if chunk == nil { lastStream = id }
    return chunk == nil
  }
  private var lastStream: UInt32 = 0  // of the chunk that was read last

  /// The message that the last chunk completed.
  private mutating func finishMessage() -> RTMPMessage? {
    guard let stream = streams[lastStream], stream.body.count >= stream.length else { return nil }
    var next = stream
    (next.body, next.isUnderWay, spare) = (spare, false, [])
    next.body.removeAll(keepingCapacity: true)
    streams[lastStream] = next  // `streams[…]?.body = …` would cost an allocation
    unfinishedBytes -= stream.body.count
    return RTMPMessage(
      stream.type, streamID: stream.messageStream, timestamp: stream.timestamp, body: stream.body)
  }

  private mutating func obey(_ message: RTMPMessage) throws(ProtocolViolation) {
    guard message.type == .setChunkSize || message.type == .abort else { return }
    guard message.body.count >= 4, let value = message.body.bigEndian() else {
      throw .controlMessage(type: message.type.rawValue, bytes: message.body.count)
    }
    if message.type == .abort {
      unfinishedBytes -= streams[value]?.body.count ?? 0
      streams[value]?.body = []
      streams[value]?.isUnderWay = false
    } else {
      guard value >= 1, value <= 0x7FFF_FFFF else { throw .chunkSize(value) }
      chunkSize = Int(value)
    }
  }
}

// Headers.
extension ChunkReader {
  /// Reads basic header, message header and extended timestamp, or nothing when they are not whole.
  private mutating func readHeader() throws(ProtocolViolation) -> Bool {
    let bytes = pending[position...]
    guard let first = bytes.first, let (id, idBytes) = Self.chunkStreamID(bytes) else {
      return false
    }
    let format = first >> 6
    var header = bytes.dropFirst(idBytes)
    var stream = try self.stream(id, format: format)
    guard let field = stream.readFields(format: format, from: &header) else { return false }
    if field == 0xFF_FFFF {
      guard let extended = header.bigEndian() else { return false }
      header = header.dropFirst(4)
      stream.advance(format: format, by: extended, hasExtended: true)
    } else {
      stream.advance(format: format, by: field, hasExtended: false)
    }
    let left = min(chunkSize, stream.length - stream.body.count)
    guard unfinishedBytes + left <= limit else { throw .tooMuchUnfinished(limit: limit) }
    position = header.startIndex
    streams[id] = stream
    chunk = (id, left)
    return true
  }

  /// The chunk stream a header of this format may stand on.
  private func stream(_ id: UInt32, format: UInt8) throws(ProtocolViolation) -> ChunkStream {
    guard let stream = streams[id] else {
      // librtmp opens its ping's chunk stream with format 1, so that is let pass.
      guard format <= 1 else { throw .headerRepeatsNothing(chunkStream: id) }
      return ChunkStream()
    }
    guard !stream.isUnderWay || format == 3 else { throw .headerInsideMessage(chunkStream: id) }
    return stream
  }

  /// The id in a basic header of one to three bytes, and how many those are.
  private static func chunkStreamID(_ bytes: ArraySlice<UInt8>) -> (id: UInt32, bytes: Int)? {
    guard let first = bytes.first else { return nil }
    let start = bytes.startIndex
    switch first & 0x3F {
    case 0:
      guard bytes.count >= 2 else { return nil }
      return (64 + UInt32(bytes[start + 1]), 2)
    case 1:
      guard bytes.count >= 3 else { return nil }
      return (64 + UInt32(bytes[start + 1]) + UInt32(bytes[start + 2]) << 8, 3)
    default: return (UInt32(first & 0x3F), 1)
    }
  }
}

/// What one chunk stream remembers from header to header, and the message under way on it.
private struct ChunkStream: Sendable {
  var type = RTMPMessageType(rawValue: 0)
  var messageStream: UInt32 = 0
  var length = 0
  var timestamp: UInt32 = 0
  var delta: UInt32 = 0
  var isExtended = false  // also announces the extended timestamp of type-3 chunks
  var isUnderWay = false
  var body: [UInt8] = []

  /// Takes in a message header of 11, 7, 3 or 0 bytes and drops it from `header`.
  /// - Returns: Its timestamp field, 0xFFFFFF when an extended one follows; nil when bytes are missing.
  mutating func readFields(format: UInt8, from header: inout ArraySlice<UInt8>) -> UInt32? {
    guard format < 3 else { return isExtended ? 0xFF_FFFF : delta }
    let size = format == 0 ? 11 : format == 1 ? 7 : 3
    guard header.count >= size, let field = header.bigEndian(3) else { return nil }
    if format <= 1 {
      length = Int(header.dropFirst(3).bigEndian(3) ?? 0)
      type = RTMPMessageType(rawValue: header[header.startIndex + 6])
    }
    if format == 0 {  // the one little-endian integer in RTMP
      messageStream = header.dropFirst(7).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    header = header.dropFirst(size)
    return field
  }

  /// Opens a message at its time, or goes on with the one under way.
  mutating func advance(format: UInt8, by time: UInt32, hasExtended: Bool) {
    guard !isUnderWay else { return }  // its extended timestamp only repeats
    isUnderWay = true
    isExtended = hasExtended
    timestamp = format == 0 ? time : timestamp &+ time
    delta = time  // also after format 0: a type-3 chunk then repeats the timestamp as its delta
  }
}
