import BunnyRTMP
import Testing

/// All messages in some bytes.
func messages(
  in bytes: [UInt8], portions: Int = .max, _ reader: ChunkReader = ChunkReader()
) throws -> [RTMPMessage] {
  var reader = reader
  var messages: [RTMPMessage] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    reader.append(rest.prefix(portions))
    rest = rest.dropFirst(portions)
    while let message = try reader.next() { messages.append(message) }
  }
  return messages
}

private func body(_ count: Int, _ seed: Int = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
}

@Suite struct ChunkReaderTests {
  @Test(arguments: [1, 2, 3, 7, 128, 1 << 20])
  func `portions of any size give the same messages`(portions: Int) throws {
    var writer = ChunkWriter()
    let sent = (0..<5).map {
      RTMPMessage(.video, streamID: 1, timestamp: UInt32($0 * 40), body: body(300 + $0))
    }
    let bytes = sent.flatMap { writer.write($0).wireBytes }
    #expect(try messages(in: bytes, portions: portions) == sent)
  }

  @Test func `messages on several chunk streams may be interleaved`() throws {
    let (video, audio) = (body(200), body(150, 9))
    var bytes: [UInt8] = [6, 0, 0, 1, 0, 0, 200, 9, 1, 0, 0, 0] + video[..<128]
    bytes += [4, 0, 0, 2, 0, 0, 150, 8, 1, 0, 0, 0] + audio[..<128]
    bytes += [0xC6] + video[128...]
    bytes += [0xC4] + audio[128...]
    #expect(
      try messages(in: bytes) == [
        RTMPMessage(.video, streamID: 1, timestamp: 1, body: video),
        RTMPMessage(.audio, streamID: 1, timestamp: 2, body: audio),
      ])
  }

  @Test(arguments: [2, 63, 64, 319, 320, 65_599] as [UInt32])
  func `chunk stream ids have one, two or three bytes`(id: UInt32) throws {
    var writer = ChunkWriter()
    let sent = [0, 40, 80].map {
      RTMPMessage(.audio, streamID: 1, timestamp: $0, body: body(500))
    }
    let bytes = sent.flatMap { writer.write($0, chunkStream: id).wireBytes }
    #expect(bytes[0] & 0x3F == (id < 64 ? UInt8(id) : id < 320 ? 0 : 1))
    #expect(try messages(in: bytes) == sent)
  }

  @Test func `a chunk size may change in the middle of a message`() throws {
    let video = body(300)
    var bytes: [UInt8] = [6, 0, 0, 1, 0, 1, 44, 9, 1, 0, 0, 0] + video[..<128]
    bytes += [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 100]
    bytes += [0xC6] + video[128..<228] + [0xC6] + video[228...]
    let read = try messages(in: bytes)
    #expect(read.map(\.type) == [.setChunkSize, .video])
    #expect(read.last?.body == video)
  }

  @Test func `a chunk size of 2^31 - 1 allocates nothing`() throws {
    var bytes = ChunkWriter().written(.setChunkSize(0x7FFF_FFFF))
    bytes += [6, 0, 0, 1, 0, 0, 5, 9, 1, 0, 0, 0, 1, 2, 3, 4, 5]
    #expect(try messages(in: bytes).last?.body == [1, 2, 3, 4, 5])
  }

  @Test func `abort drops the message under way and no other`() throws {
    let audio = body(150)
    var bytes: [UInt8] = [6, 0, 0, 1, 0, 0, 200, 9, 1, 0, 0, 0] + body(128)
    bytes += [4, 0, 0, 2, 0, 0, 150, 8, 1, 0, 0, 0] + audio[..<128]
    bytes += [2, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 6]
    bytes += [0xC4] + audio[128...]
    bytes += [6, 0, 0, 3, 0, 0, 1, 9, 1, 0, 0, 0, 0xAA]
    let read = try messages(in: bytes)
    #expect(read.map(\.type) == [.abort, .audio, .video])
    #expect(read[1].body == audio)
    #expect(read[2].body == [0xAA])
  }

  @Test func `formats 1, 2 and 3 repeat what they leave out`() throws {
    let bytes: [UInt8] =
      [5, 0, 0, 10, 0, 0, 1, 18, 7, 0, 0, 0, 0xA0]  // at 10
      + [0x45, 0, 0, 5, 0, 0, 2, 18, 0xA1, 0xA1]  // 5 later, another length
      + [0x85, 0, 0, 7, 0xA2, 0xA2]  // 7 later
      + [0xC5, 0xA3, 0xA3]  // 7 later again
    let read = try messages(in: bytes)
    #expect(read.map(\.timestamp) == [10, 15, 22, 29])
    #expect(read.map(\.body.count) == [1, 2, 2, 2])
    #expect(read.allSatisfy { $0.streamID == 7 && $0.type == .data })
  }

  @Test func `an extended timestamp stands on type-3 chunks too`() throws {
    let video = body(130)
    let time: [UInt8] = [0x01, 0x23, 0x45, 0x67]
    let head: [UInt8] = [6, 255, 255, 255, 0, 0, 130, 9, 1, 0, 0, 0]
    let bytes = head + time + video[..<128] + [0xC6] + time + video[128...]
    let read = try messages(in: bytes, portions: 1)
    #expect(read == [RTMPMessage(.video, streamID: 1, timestamp: 0x0123_4567, body: video)])
  }

  @Test func `an empty message is a message`() throws {
    #expect(
      try messages(in: [4, 0, 0, 1, 0, 0, 0, 8, 1, 0, 0, 0])
        == [RTMPMessage(.audio, streamID: 1, timestamp: 1, body: [])])
  }

  @Test(
    arguments: [
      ([0xC3], .headerRepeatsNothing(chunkStream: 3)),
      ([0x83, 0, 0, 0], .headerRepeatsNothing(chunkStream: 3)),
      ([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0], .chunkSize(0)),
      ([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0, 0, 0], .chunkSize(0x8000_0000)),
      ([2, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0], .controlMessage(type: 1, bytes: 1)),
      (
        [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x7F, 255, 255, 255]
          + [6, 0, 0, 0, 255, 255, 255, 9, 1, 0, 0, 0],
        .tooMuchUnfinished(limit: 4 << 20)
      ),
      (
        [6, 0, 0, 1, 0, 0, 200, 9, 1, 0, 0, 0] + body(128) + [6, 0, 0],
        .headerInsideMessage(chunkStream: 6)
      ),
    ] as [([UInt8], ProtocolViolation)])
  func `what no peer may send is a typed error`(bytes: [UInt8], violation: ProtocolViolation) {
    #expect(throws: violation) { try messages(in: bytes) }
  }

  @Test func `many unfinished messages together have a limit`() {
    var writer = ChunkWriter()
    let bytes = (3..<203 as Range<UInt32>).flatMap { id in
      let message = writer.write(RTMPMessage(.video, body: body(1000)), chunkStream: id)
      return message.wireBytes.prefix(message.head.count + 128)
    }
    #expect(throws: ProtocolViolation.tooMuchUnfinished(limit: 10_000)) {
      try messages(in: Array(bytes), ChunkReader(limit: 10_000))
    }
  }
}

extension ChunkWriter {
  /// The bytes of one message, by a writer of its own.
  func written(_ message: RTMPMessage) -> [UInt8] {
    var writer = self
    return writer.write(message).wireBytes
  }
}

@Suite struct ChunkWriterTests {
  @Test func `media opens with a full header and goes on with deltas`() {
    var writer = ChunkWriter()
    let first = writer.write(RTMPMessage(.video, streamID: 1, timestamp: 1000, body: [1]))
    #expect(first.wireBytes == [6, 0, 3, 0xE8, 0, 0, 1, 9, 1, 0, 0, 0, 1])
    let second = writer.write(RTMPMessage(.video, streamID: 1, timestamp: 1033, body: [2, 3]))
    #expect(second.wireBytes == [0x46, 0, 0, 33, 0, 0, 2, 9, 2, 3])
    let earlier = writer.write(RTMPMessage(.video, streamID: 1, timestamp: 1000, body: [4]))
    #expect(earlier.wireBytes[0] == 6)
  }

  @Test(
    arguments: [0, 0xFF_FFFE, 0xFF_FFFF, 0x100_0000, 0x7FFF_FFF0, 0xFFFF_FFF0] as [UInt32],
    [1, 128, 65_536])
  func `timelines pass every boundary`(start: UInt32, chunkSize: Int) throws {
    var writer = ChunkWriter()
    writer.chunkSize = chunkSize
    var time = start &- 66
    var sent: [RTMPMessage] = []
    for step in [0, 33, 33, 0, 1, 0xFF_FFFE, 0xFF_FFFF, 0x100_0000, 0x7FFF_FFFF, 33] as [UInt32] {
      time &+= step
      sent.append(RTMPMessage(.video, streamID: 1, timestamp: time, body: body(200)))
      sent.append(RTMPMessage(.audio, streamID: 1, timestamp: time &+ 5, body: body(50)))
      sent.append(RTMPMessage(.data, streamID: 1, timestamp: time, body: body(300)))
    }
    let bytes =
      ChunkWriter().written(.setChunkSize(UInt32(chunkSize)))
      + sent.flatMap { writer.write($0).wireBytes }
    #expect(Array(try messages(in: bytes).dropFirst()) == sent)
  }

  @Test func `the wire size is the size on the wire`() {
    for count in [0, 1, 127, 128, 129, 256, 257, 1000] {
      for time in [0, 0xFFFF_FFFF] as [UInt32] {
        var writer = ChunkWriter()
        let message = writer.write(RTMPMessage(.video, timestamp: time, body: body(count)))
        #expect(message.wireSize == message.wireBytes.count)
      }
    }
  }
}

@Suite struct HandshakeTests {
  private let serverHello = [3] + body(1536, 5) + body(1536, 6)

  @Test func `C0 and C1 are version 3, time 0 and something random`() {
    let (one, other) = (Handshake().opening(), Handshake().opening())
    #expect(one.count == 1537)
    #expect(one.prefix(9) == [3, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(one != other)
  }

  @Test(arguments: [1, 2, 1535, 1536, 1537, 5000])
  func `C2 echoes S1 as soon as that is whole, and the rest is passed on`(portions: Int) throws {
    var handshake = Handshake()
    var answer: [UInt8] = []
    var rest: [UInt8] = []
    var input = (serverHello + [0xAA, 0xBB])[...]
    var read = 0
    while !input.isEmpty {
      let (more, left) = try handshake.receive(input.prefix(portions))
      read += min(portions, input.count)
      answer += more
      rest += left
      input = input.dropFirst(portions)
      #expect(answer.isEmpty == (read < 1537))
      #expect(handshake.isDone == (read >= 3073))
    }
    #expect(answer == Array(serverHello[1...1536]))
    #expect(rest == [0xAA, 0xBB])
  }

  @Test(arguments: [0, 3, 6, 31, 32, 72, 255] as [UInt8])
  func `versions up to 31 are let pass`(version: UInt8) throws {
    var handshake = Handshake()
    if version < 32 {
      _ = try handshake.receive([version])
    } else {
      #expect(throws: ProtocolViolation.handshakeVersion(version)) {
        _ = try handshake.receive([version])
      }
    }
  }
}
