import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// A few tags that look like AVC and AAC: sequence headers, then frames of some size.
func syntheticTags(frames: Int = 10, frameBytes: Int = 3000) -> [RTMPTag] {
  var tags: [RTMPTag] = [
    .metadata([("width", 1280), ("encoder", "test")]),
    RTMPTag(kind: .video, timestamp: 0, body: [0x17, 0, 0, 0, 0, 1, 2, 3]),
    RTMPTag(kind: .audio, timestamp: 0, body: [0xAF, 0, 0x11, 0x90]),
  ]
  for frame in 0..<frames {
    let opening: [UInt8] = [frame == 0 ? 0x17 : 0x27, 1, 0, 0, 0]
    let picture = (0..<frameBytes).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ frame) }
    let time = Int64(frame) * 33
    tags.append(RTMPTag(kind: .video, timestamp: time, body: opening + picture))
    tags.append(RTMPTag(kind: .audio, timestamp: time, body: [0xAF, 1] + picture.prefix(300)))
  }
  return tags
}

@Suite struct ConnectionTests {
  @Test func `a session is connect, releaseStream, FCPublish, createStream, publish`() async throws
  {
    let server = try ScriptedIngest()
    try await publish(ListFeed(syntheticTags()), to: server.ingest(key: "k?a=b"))
    let visit = try await server.visit()
    #expect(
      visit.commandNames == [
        "connect", "releaseStream", "FCPublish", "createStream", "publish", "FCUnpublish",
        "deleteStream",
      ])
    let connect = try #require(visit.commands.first?.arguments.first?.properties)
    #expect(connect["app"] == "live")
    #expect(connect["tcUrl"] == .string("rtmp://127.0.0.1:\(server.port)/live"))
    #expect(visit.commands[4].arguments == [.null, "k?a=b", "live"])
    #expect(visit.commands[4].streamID == 7)
    #expect(visit.commands[6].arguments == [.null, 7])
    #expect(visit.clientChunkSize == 65_536)
    #expect(visit.clientWindow == 4096)
    #expect(visit.violation == nil)
  }

  @Test func `what arrives is what the feed gave, metadata and sequence headers first`()
    async throws
  {
    let server = try ScriptedIngest()
    let tags = syntheticTags(frames: 20, frameBytes: 150_000)  // several chunks each
    let feed = ListFeed(tags)
    try await publish(feed, to: server.ingest())
    let visit = try await server.visit()
    #expect(visit.metadata == ["width": 1280, "encoder": "test"])
    #expect(visit.tags.map(\.body) == tags.map(\.body))
    #expect(visit.tags.map(\.timestamp) == tags.map(\.timestamp))
    #expect(visit.tags.allSatisfy { $0.streamID == 7 })
    #expect(feed.taken.current.map(\.tag.body) == tags.map(\.body))
  }

  @Test(arguments: [1, 16, 128, 4096, 1 << 24] as [UInt32], [0, (1 << 24) - 100, (1 << 32) - 100])
  func `any chunk size carries any timeline`(chunkSize: UInt32, base: Int) async throws {
    let server = try ScriptedIngest()
    var options = RTMPConnection.Options()
    options.chunkSize = chunkSize
    options.timestampBase = Int64(base)
    let tags = syntheticTags()
    try await publish(ListFeed(tags), to: server.ingest(), options)
    let visit = try await server.visit()
    #expect(visit.tags.map(\.body) == tags.map(\.body))
    #expect(visit.tags.map { $0.timestamp - Int64(base) } == tags.map(\.timestamp))
  }

  @Test(arguments: [1, 2, 3, 127, 128, 65_536, 0x7FFF_FFFF] as [UInt32])
  func `a server may use any chunk size and glue or cut its answers`(size: UInt32) async throws {
    for delivery in [IngestScript.Delivery.whole, .singleBytes] {
      var script = IngestScript()
      script.chunkSize = size
      script.delivery = delivery
      script.isTalkative = true
      script.echoes = false
      script.handshakeVersion = 6
      let server = try ScriptedIngest(script)
      try await publish(ListFeed(syntheticTags()), to: server.ingest())
      #expect(try await server.visit().media.count == 20)
    }
  }

  @Test func `each address of a name is tried`() async throws {
    let server = try ScriptedIngest()  // listens on 127.0.0.1 only; localhost may be ::1 first
    try await publish(
      ListFeed(syntheticTags()), to: Ingest("rtmp://localhost:\(server.port)/live/key"))
    #expect(try await server.visit().media.count == 20)
  }

  @Test func `a slow reader gets every byte, in partial writes`() async throws {
    var script = IngestScript()
    script.receiveBuffer = 4096
    let server = try ScriptedIngest(script)
    var options = RTMPConnection.Options()
    options.chunkSize = 1000
    options.timestampBase = 1 << 25
    let tags = syntheticTags(frames: 3, frameBytes: 700_000)  // more parts than one call takes
    try await publish(ListFeed(tags), to: server.ingest(), options)
    let visit = try await server.visit()
    #expect(visit.tags.map(\.body) == tags.map(\.body))
    #expect(visit.violation == nil)
  }

  @Test func `a connection closed before it publishes does not publish`() async throws {
    let server = try ScriptedIngest()
    let connection = RTMPConnection(to: try server.ingest())
    connection.close()
    var states: [RTMPConnectionState] = []
    try connection.publish(ListFeed([])) { states.append($0) }
    #expect(states == [.connecting, .closed])
    // It may have been connecting by then.
    #expect(server.visits.allSatisfy { $0.bytesReceived == 0 })
  }

  @Test func `pings are answered with their stamp`() async throws {
    var script = IngestScript()
    script.pings = [0, 42, .max]
    let server = try ScriptedIngest(script)
    let feed = ListFeed(syntheticTags(), end: .stay)
    async let end = publish(feed, to: server.ingest())
    try await server.waitUntil { $0.first?.pongs == [0, 42, .max] }
    feed.finish()
    _ = try await end
  }

  @Test func `the server gets the acknowledgements its window asks for`() async throws {
    var script = IngestScript()
    script.window = 64
    let server = try ScriptedIngest(script)
    try await publish(ListFeed(syntheticTags()), to: server.ingest())
    let counts = try await server.visit().acknowledgements
    #expect(counts.count >= 2)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `what the server says it has read is counted`() async throws {
    let server = try ScriptedIngest()
    let connection = RTMPConnection(to: try server.ingest())
    let feed = ListFeed(syntheticTags(frames: 50), end: .stay)
    async let end: Void = onThread("publish") { try connection.publish(feed) { _ in } }
    let tags = 103
    try await server.waitUntil { ($0.first?.tags.count ?? 0) == tags }
    feed.finish()
    try await end
    #expect(connection.counters.bytesConfirmed > 100_000)
    #expect(connection.counters.bytesConfirmed <= connection.counters.bytesSent)
    #expect(connection.counters.bytesReceived > 3073)
    #expect(connection.counters.unsentBytes == 0)
  }
}
