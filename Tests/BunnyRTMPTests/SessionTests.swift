import BunnyRTMP
import BunnySystem
import Testing

/// A session with its server played by hand: no socket, no clock.
struct ScriptedSession {
  var session: PublishSession
  private var reader = ChunkReader(limit: 64 << 20)  // reads what the session sends
  private var writer = ChunkWriter()
  /// What the last call gave rise to.
  var sent: [RTMPMessage] = []

  init(_ url: String = "rtmp://host/live/key", _ settings: PublishSession.Settings = .init()) throws
  {
    session = PublishSession(to: try Ingest(url), settings: settings)
    session.publish()
  }

  mutating func receive(_ bytes: [UInt8]) throws {
    try session.receive(bytes[...])
    try collect()
  }

  mutating func receive(_ messages: RTMPMessage...) throws {
    try receive(messages.flatMap { writer.write($0).wireBytes })
  }

  mutating func collect() throws {
    sent = []
    for message in session.takeOutgoing() { reader.append(message.wireBytes) }
    while let message = try reader.next() { sent.append(message) }
  }

  /// Goes as far as `step`.
  static func at(
    _ step: RTMPStep, _ url: String = "rtmp://host/live/key",
    _ settings: PublishSession.Settings = .init()
  ) throws -> ScriptedSession {
    var scripted = try ScriptedSession(url, settings)
    _ = scripted.session.takeOutgoing()
    guard step != .handshake else { return scripted }
    try scripted.session.receive(([3] + [UInt8](repeating: 1, count: 3072))[...])
    let afterHandshake = scripted.session.takeOutgoing().dropFirst()  // without C2
    for message in afterHandshake { scripted.reader.append(message.wireBytes) }
    while let message = try scripted.reader.next() { scripted.sent.append(message) }
    if step == .connect { return scripted }
    try scripted.receive(answer(1, .object(["code": "NetConnection.Connect.Success"])))
    if step == .createStream { return scripted }
    try scripted.receive(answer(4, 5))
    if step == .publish { return scripted }
    try scripted.receive(status("status", "NetStream.Publish.Start"))
    return scripted
  }

  static func answer(_ transaction: Double, _ value: AMF0Value) -> RTMPMessage {
    .command("_result", transaction: transaction, [.null, value])
  }

  static func status(_ level: String, _ code: String, _ text: String = "") -> RTMPMessage {
    let info: AMF0Value = .object([
      "level": .string(level), "code": .string(code), "description": .string(text),
    ])
    return .command("onStatus", transaction: 0, [.null, info], streamID: 5)
  }
}

extension RTMPMessage {
  /// A command's values; empty when this is none.
  var values: [AMF0Value] {
    type == .command ? (try? AMF0Value.decode(body)) ?? [] : []
  }
}

@Suite struct SessionTests {
  @Test func `connect follows the handshake at once`() throws {
    let scripted = try ScriptedSession.at(.connect, "rtmp://host:1936/app/instance/key?a=b")
    let values = try #require(scripted.sent.first?.values)
    #expect(values.prefix(2) == ["connect", 1])
    #expect(values[2].properties?["app"] == "app/instance")
    #expect(values[2].properties?["tcUrl"] == "rtmp://host:1936/app/instance")
    #expect(values[2].properties?["flashVer"]?.text?.contains("bunny-broadcast") == true)
    #expect(scripted.session.step == .connect)
  }

  @Test func `an accepted connect is followed by sizes and three commands`() throws {
    var scripted = try ScriptedSession.at(.createStream)
    #expect(scripted.sent.prefix(2) == [.setChunkSize(65_536), .windowAcknowledgementSize(4096)])
    #expect(
      scripted.sent.dropFirst(2).map(\.values) == [
        ["releaseStream", 2, .null, "key"], ["FCPublish", 3, .null, "key"],
        ["createStream", 4, .null],
      ])
    #expect(scripted.session.takeEvents() == [.connected])
  }

  @Test func `publish goes out on the stream that was created, and only Start means ready`() throws
  {
    var scripted = try ScriptedSession.at(.publish)
    #expect(scripted.sent.map(\.values) == [["publish", 5, .null, "key", "live"]])
    #expect(scripted.sent.first?.streamID == 5)
    try scripted.receive(ScriptedSession.answer(5, .null))
    try scripted.receive(.command("onFCPublish", transaction: 0, [.null, .object([:])]))
    #expect(scripted.session.takeEvents() == [.connected, .ready])
    try scripted.receive(ScriptedSession.status("status", "NetStream.Publish.Start"))
    #expect(scripted.session.takeEvents() == [.publishing])
    #expect(scripted.session.step == .publishing)
  }

  @Test func `tags go out on the stream, their time shifted and wrapped`() throws {
    var settings = PublishSession.Settings()
    settings.timestampBase = (1 << 32) - 10
    var scripted = try ScriptedSession.at(.publishing, "rtmp://h/live/key", settings)
    for (time, kind) in [(0, RTMPTag.Kind.data), (0, .video), (5, .audio), (33, .video)] {
      try scripted.session.send(RTMPTag(kind: kind, timestamp: Int64(time), body: [1, 2, 3]))
    }
    try scripted.collect()
    let times: [UInt32] = [0xFFFF_FFF6, 0xFFFF_FFF6, 0xFFFF_FFFB, 23]
    #expect(scripted.sent.map(\.timestamp) == times)
    #expect(scripted.sent.map(\.type) == [.data, .video, .audio, .video])
    #expect(scripted.sent.allSatisfy { $0.streamID == 5 })
  }

  @Test func `nothing is sent before Start, nor a tag that is too long`() throws {
    var scripted = try ScriptedSession.at(.publish)
    let tag = RTMPTag(kind: .video, timestamp: 0, body: [1])
    try scripted.session.send(tag)
    #expect(scripted.session.takeOutgoing().isEmpty)
    let long = RTMPTag(kind: .video, timestamp: 0, body: [UInt8](repeating: 0, count: 1 << 24))
    #expect(throws: RTMPError.self) { try scripted.session.send(long) }
  }

  @Test func `an answer in AMF3 dress is read too`() throws {
    var scripted = try ScriptedSession.at(.createStream)
    var answer = ScriptedSession.answer(4, 5)
    answer.type = .commandAMF3
    answer.body.insert(0, at: 0)
    try scripted.receive(answer)
    #expect(scripted.session.step == .publish)
  }

  @Test func `answers to questions that were not asked are passed over`() throws {
    var scripted = try ScriptedSession.at(.connect)
    try scripted.receive(ScriptedSession.answer(4, 5), ScriptedSession.answer(77, .null))
    try scripted.receive(.command("_error", transaction: 2, [.null, .object(["level": "error"])]))
    #expect(scripted.session.step == .connect)
  }

  @Test(arguments: [.null, "five", -1, 1.5, .number(.nan), .number(1e300)] as [AMF0Value])
  func `createStream must answer with a stream id`(value: AMF0Value) throws {
    var scripted = try ScriptedSession.at(.createStream)
    let error = #expect(throws: RTMPError.self) {
      try scripted.receive(ScriptedSession.answer(4, value))
    }
    #expect(error?.reason == .protocolViolation(.answer(to: "createStream")))
  }

  @Test func `acknowledgements add up across 2^32 and absurd ones are passed over`() throws {
    var scripted = try ScriptedSession.at(.publishing)
    let sent = scripted.session.bytesSent
    try scripted.receive(.acknowledgement(100))
    #expect(scripted.session.bytesAcknowledged == 100)
    try scripted.receive(.acknowledgement(50), .acknowledgement(.max), .acknowledgement(99_999))
    #expect(scripted.session.bytesAcknowledged == 100)
    try scripted.receive(.acknowledgement(UInt32(sent)))
    #expect(scripted.session.bytesAcknowledged == sent)
    var total = sent
    while total < (5 << 30) {  // 5 GiB in messages of 16 MiB, never laid out in memory
      let body = [UInt8](repeating: 0, count: RTMPMessage.longestBody)
      for _ in 0..<8 {
        try scripted.session.send(RTMPTag(kind: .video, timestamp: 0, body: body))
      }
      _ = scripted.session.takeOutgoing()
      total = scripted.session.bytesSent
      try scripted.session.receive(
        ChunkWriter().written(.acknowledgement(UInt32(truncatingIfNeeded: total)))[...])
      #expect(scripted.session.bytesAcknowledged == total)
    }
  }

  @Test func `the peer's window is acknowledged once a call`() throws {
    var scripted = try ScriptedSession.at(.publishing)
    try scripted.receive(.windowAcknowledgementSize(0))
    #expect(scripted.sent == [.acknowledgement(UInt32(scripted.session.bytesReceived))])
    try scripted.receive(.windowAcknowledgementSize(.max))
    #expect(scripted.sent.isEmpty)
  }

  @Test func `a peer that asks and does not read is owed little`() throws {
    var scripted = try ScriptedSession.at(.publishing)
    var writer = ChunkWriter()
    let pings = (0..<10_000).flatMap {
      writer.write(.userControl(UserControlEvent.pingRequest, $0)).wireBytes
    }
    try scripted.session.receive(pings[...])
    #expect(scripted.session.takeOutgoing(answering: false).isEmpty)
    try scripted.collect()
    let newest = (9984..<10_000).map { RTMPMessage.userControl(UserControlEvent.pingResponse, $0) }
    #expect(scripted.sent == newest)
  }

  @Test func `pings go both ways`() throws {
    var scripted = try ScriptedSession.at(.publishing)
    _ = scripted.session.takeEvents()
    try scripted.receive(.userControl(UserControlEvent.pingRequest, 9))
    #expect(scripted.sent == [.userControl(UserControlEvent.pingResponse, 9)])
    scripted.session.ping(8)
    try scripted.collect()
    #expect(scripted.sent == [.userControl(UserControlEvent.pingRequest, 8)])
    try scripted.receive(.userControl(UserControlEvent.pingResponse, 8))
    #expect(scripted.session.takeEvents() == [.pong(8)])
  }

  @Test(arguments: [
    RTMPMessage(.acknowledgement, body: [1, 2]), RTMPMessage(.userControl, body: [0]),
    RTMPMessage(.userControl, body: [0, 6, 1]), RTMPMessage(.command, body: []),
    RTMPMessage(.command, body: [5]), RTMPMessage(.command, body: [2, 255]),
    RTMPMessage(.windowAcknowledgementSize, body: []),
  ])
  func `a message without its parts is a violation`(message: RTMPMessage) throws {
    var scripted = try ScriptedSession.at(.publishing)
    let error = #expect(throws: RTMPError.self) { try scripted.receive(message) }
    #expect(error?.category == .protocolViolation)
  }

  @Test func `taking leave is FCUnpublish and deleteStream, once, and deaf`() throws {
    var scripted = try ScriptedSession.at(.publishing)
    scripted.session.close()
    scripted.session.close()
    try scripted.collect()
    #expect(
      scripted.sent.map(\.values) == [
        ["FCUnpublish", 6, .null, "key"], ["deleteStream", 7, .null, 5],
      ])
    try scripted.receive(ScriptedSession.status("error", "NetStream.Publish.BadName"))
  }

  @Test func `hanging up means what it comes after`() throws {
    let meanings: [(RTMPStep, RTMPError.Category)] = [
      (.handshake, .refused), (.connect, .refused), (.createStream, .refused),
      (.publish, .keyRefused), (.publishing, .lost),
    ]
    for (step, category) in meanings {
      let session = try ScriptedSession.at(step).session
      #expect(session.step == step)
      #expect(session.hangUp("end of file").category == category)
    }
  }

  @Test func `a redirect is reported`() throws {
    var scripted = try ScriptedSession.at(.connect)
    let info: AMF0Value = .object([
      "code": "NetConnection.Connect.Rejected", "description": "moved",
      "ex": .object(["code": 302, "redirect": "rtmp://other/live"]),
    ])
    let error = #expect(throws: RTMPError.self) {
      try scripted.receive(.command("_error", transaction: 1, [.null, info]))
    }
    #expect(error?.description.contains("moved (it points to rtmp://other/live)") == true)
  }

  @Test func `what a server writes comes out clean, short and without the key`() throws {
    var scripted = try ScriptedSession.at(.publish, "rtmp://h/live/part1/canary?token=sesame&x=1")
    let text =
      "\u{1B}[31mcanary?token=sesame&x=1 canary sesame part1 ca\u{200B}nary\r\n"
      + String(repeating: "é", count: 1000)
    let error = #expect(throws: RTMPError.self) {
      try scripted.receive(ScriptedSession.status("error", "canary\u{0}", text))
    }
    guard case .publishRejected(let status) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(status.code == "•••")
    #expect(status.text.hasPrefix("[31m••• ••• ••• ••• "))
    #expect(!status.text.contains("canary") && !status.text.contains("sesame"))
    #expect(status.text.unicodeScalars.count == 301)
  }
}
