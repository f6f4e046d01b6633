import BunnyRTMP
import Foundation
import Support
import Testing

extension Dice {
  mutating func bytes(atMost most: Int) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// `bytes` with some of them changed, inserted, removed or repeated.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &self) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &self)
      switch next() % 5 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: next())
      case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &self) ?? 0
      case 2: bytes.insert(UInt8(truncatingIfNeeded: next()), at: index)
      case 3: bytes.removeSubrange(index..<min(bytes.count, index + Int(next() % 9)))
      default: bytes.insert(contentsOf: bytes[index...].prefix(Int(next() % 40)), at: index)
      }
    }
    return bytes
  }
}

/// Random and mutated input to every parser: whatever comes back, nothing traps. Seeded, so that a
/// crash comes again.
@Suite struct FuzzTests {
  /// A sample; `scripts/soak` asks for more.
  private static let rounds =
    ProcessInfo.processInfo.environment["BUNNY_FUZZ_ROUNDS"].flatMap(Int.init) ?? 4000

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `AMF0 reads or refuses any bytes`(seed: UInt64) {
    var random = Dice(seed: seed)
    let object: AMF0Object = ["a": 1, "b": .strictArray([.null, "text", .object(["c": true])])]
    let valid = AMF0Value.encode([
      "onStatus", 0, .null, .ecmaArray(object), .typedObject(className: "T", object),
      .date(milliseconds: 1, timeZone: 2), .longString("long"),
    ])
    for _ in 0..<Self.rounds {
      _ = try? AMF0Value.decode(random.bytes(atMost: 60))
      if let values = try? AMF0Value.decode(random.mutated(valid)) {
        _ = AMF0Value.encode(values)
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the chunk reader reads or refuses any bytes`(seed: UInt64) {
    var random = Dice(seed: seed)
    var writer = ChunkWriter()
    var valid: [UInt8] = writer.write(.setChunkSize(200)).wireBytes
    writer.chunkSize = 200
    for index in 0..<6 {
      let body = [UInt8](repeating: UInt8(index), count: 150 * index)
      let time = UInt32(0xFFFF_FF00) &+ UInt32(index * 100)
      let message = RTMPMessage(.video, streamID: 1, timestamp: time, body: body)
      valid += writer.write(message, chunkStream: UInt32(60 + index * 100)).wireBytes
      valid += writer.write(message, chunkStream: 6).wireBytes
    }
    valid += writer.write(RTMPMessage(.abort, body: [0, 0, 0, 6])).wireBytes
    for _ in 0..<Self.rounds / 4 {
      let portions = Int.random(in: 1...400, using: &random)
      _ = try? messages(in: random.bytes(atMost: 200), portions: portions)
      _ = try? messages(in: random.mutated(valid), portions: portions)
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `the session takes or refuses whatever a server sends at any step`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    var writer = ChunkWriter()
    let valid = [
      RTMPMessage.windowAcknowledgementSize(1000), .userControl(UserControlEvent.pingRequest, 7),
      .command("onBWDone", transaction: 0, [.null]),
      ScriptedSession.answer(1, .object(["code": "NetConnection.Connect.Success"])),
      ScriptedSession.answer(4, 5), ScriptedSession.status("status", "NetStream.Publish.Start"),
      .acknowledgement(3000), ScriptedSession.status("error", "NetStream.Publish.BadName", "x"),
    ].flatMap { writer.write($0).wireBytes }
    for step in [RTMPStep.handshake, .connect, .createStream, .publish, .publishing] {
      let start = try ScriptedSession.at(step).session
      for _ in 0..<300 {
        for bytes in [random.bytes(atMost: 100), random.mutated(valid)] {
          var session = start
          guard (try? session.receive(bytes[...])) != nil else { continue }
          _ = (session.takeOutgoing(), session.takeEvents())
          session.close()
        }
      }
    }
  }

  /// What `scripts/fuzz` has kept: each of them reaches code that no other does.
  private static func corpus(_ target: String) throws -> [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/corpus/\(target)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    try #require(!files.isEmpty)
    return try files.map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test func `what the fuzzer has kept is read or refused`() throws {
    for bytes in try Self.corpus("amf0") { _ = try? AMF0Value.decode(bytes) }
    for bytes in try Self.corpus("chunks") { _ = try? messages(in: bytes, portions: 97) }
    for bytes in try Self.corpus("handshake") {
      var handshake = Handshake()
      _ = try? handshake.receive(bytes[...])
    }
    let start = try ScriptedSession.at(.connect).session
    for bytes in try Self.corpus("commands") {
      var session = start
      _ = try? session.receive(bytes[...])
      _ = (session.takeOutgoing(), session.takeEvents())
      session.close()
    }
  }

  @Test func `the handshake takes or refuses any bytes`() {
    var random = Dice(seed: 5)
    for _ in 0..<200 {
      var handshake = Handshake()
      for _ in 0..<6 {
        let bytes = [3] + random.bytes(atMost: 1500)
        guard (try? handshake.receive(bytes[...])) != nil else { break }
      }
    }
  }

  @Test func `URLs split or are refused`() {
    var random = Dice(seed: 6)
    let letters = Array("rtmps:///@[]?&=%#.:1a\u{301}é ")
    for _ in 0..<Self.rounds {
      let count = Int.random(in: 0...30, using: &random)
      let tail = String((0..<count).map { _ in letters.randomElement(using: &random) ?? "/" })
      for url in [tail, "rtmp://" + tail, "rtmp://h/" + tail] {
        guard let ingest = try? Ingest(url) else { continue }
        #expect(!ingest.host.isEmpty && !ingest.app.isEmpty)
        #expect(!ingest.streamName.reveal().isEmpty)
        #expect((try? Ingest(ingest.tcURL, streamName: ingest.streamName.reveal())) != nil)
      }
    }
  }
}
