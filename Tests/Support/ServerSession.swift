import BunnyRTMP
import BunnySystem

/// The server's side of an RTMP session, without a socket: reads, records, answers by the script.
struct ServerSession {
  private(set) var visit = IngestVisit()
  /// Pieces to be sent.
  var output: [UInt8] = []
  /// A fault that the socket has to carry out.
  var pendingFault: IngestScript.Fault?

  /// What was commanded.
  var conduct: IngestConduct

  var isTLSResumed: Bool {
    get { visit.isTLSResumed }
    set { visit.isTLSResumed = newValue }
  }

  private let script: IngestScript
  private var mediaCount = 0  // audio and video messages, sequence headers included
  private var faults: [(at: IngestScript.Moment, what: IngestScript.Fault)]
  private var hello: [UInt8] = []  // C0, C1 and C2 as far as they are in
  private var hasAnsweredHello = false
  private var reader = ChunkReader(limit: 64 << 20)
  private var writer = ChunkWriter()
  private var lastAcknowledged: Int64 = 0
  private var lastTime: [RTMPMessageType: Int64] = [:]
  private let streamID: UInt32 = 7  // not 1: a client that guesses is found out

  init(_ script: IngestScript, _ conduct: IngestConduct) {
    self.script = script
    self.conduct = conduct
    faults = script.faults
  }

  /// TCP has been accepted.
  mutating func accepted() { _ = happens(.accept) }

  mutating func receive(_ bytes: ArraySlice<UInt8>, at time: MonotonicTime) {
    visit.bytesReceived += Int64(bytes.count)
    reader.append(readHello(bytes))
    do throws(ProtocolViolation) {
      while let message = try reader.next() { try take(message, at: time) }
    } catch {
      visit.violation = error.description
      pendingFault = .close
    }
    acknowledge()
  }

  /// The visit so far, but only the tags that came since the last call.
  mutating func takeNews() -> IngestVisit {
    defer { visit.tags = [] }
    return visit
  }

  mutating func ended() {
    visit.isOver = true
    visit.endedAt = .now
  }

  /// Carries out the fault of this moment.
  /// - Returns: Whether there was one, in place of the usual answer.
  private mutating func happens(_ moment: IngestScript.Moment) -> Bool {
    guard let index = faults.firstIndex(where: { $0.at == moment }) else { return false }
    let fault = faults.remove(at: index).what
    visit.faultsDone += 1
    switch fault {
    case .bytes(let bytes): output += bytes
    case .status(let level, let code, let text): send(Self.status(level, code, text, streamID))
    case .statusAndClose(let code, let text):
      send(Self.status("error", code, text, streamID))
      pendingFault = .close
    case .error(let code, let text):
      let transaction = visit.commands.last?.transaction ?? 0
      send(.command("_error", transaction: transaction, [.null, Self.info("error", code, text)]))
    default: pendingFault = fault
    }
    return true
  }

  private mutating func send(_ message: RTMPMessage) { output += writer.write(message).wireBytes }

  private static func info(_ level: String, _ code: String, _ text: String) -> AMF0Value {
    .object(["level": .string(level), "code": .string(code), "description": .string(text)])
  }

  private static func status(
    _ level: String, _ code: String, _ text: String, _ streamID: UInt32
  ) -> RTMPMessage {
    .command("onStatus", transaction: 0, [.null, info(level, code, text)], streamID: streamID)
  }

  private mutating func acknowledge() {
    guard script.acknowledges, conduct.acknowledges, let window = visit.clientWindow,
      visit.bytesReceived - lastAcknowledged >= Int64(window)
    else { return }
    lastAcknowledged = visit.bytesReceived
    send(.acknowledgement(UInt32(truncatingIfNeeded: visit.bytesReceived)))
  }
}

// The handshake.
extension ServerSession {
  /// - Returns: What lies behind C2.
  private mutating func readHello(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let size = Handshake.size
    let wanted = 1 + 2 * size - hello.count
    hello += bytes.prefix(wanted)
    if hello.count > size, !hasAnsweredHello {
      hasAnsweredHello = true
      if !happens(.clientHello) {
        let own = (0..<size).map { $0 < 8 ? UInt8(0) : UInt8(truncatingIfNeeded: $0) }
        let echo = script.echoes ? Array(hello[1...size]) : [UInt8](repeating: 0xEE, count: size)
        output += [script.handshakeVersion] + own + echo
      }
    }
    return bytes.dropFirst(wanted)
  }
}

// Messages.
extension ServerSession {
  private mutating func take(
    _ message: RTMPMessage, at time: MonotonicTime
  ) throws(ProtocolViolation) {
    switch message.type {
    case .setChunkSize: visit.clientChunkSize = message.body.bigEndian()
    case .windowAcknowledgementSize: visit.clientWindow = message.body.bigEndian()
    case .acknowledgement: visit.acknowledgements.append(message.body.bigEndian() ?? 0)
    case .userControl: takeUserControl(message.body)
    case .command: try takeCommand(message)
    case .audio, .video, .data: try takeTag(message, at: time)
    default: break
    }
  }

  private mutating func takeUserControl(_ body: [UInt8]) {
    guard let event = body.bigEndian(2), let value = body.dropFirst(2).bigEndian() else { return }
    switch UInt16(event) {
    case UserControlEvent.pingResponse: visit.pongs.append(value)
    case UserControlEvent.pingRequest where conduct.answersPings:
      send(.userControl(UserControlEvent.pingResponse, value))
    default: break
    }
  }

  private mutating func takeTag(
    _ message: RTMPMessage, at time: MonotonicTime
  ) throws(ProtocolViolation) {
    let last = lastTime[message.type] ?? Int64(message.timestamp)
    let step = message.timestamp &- UInt32(truncatingIfNeeded: last)
    let timestamp = last + Int64(Int32(bitPattern: step))
    lastTime[message.type] = timestamp
    let kind: RTMPTag.Kind =
      message.type == .audio ? .audio : message.type == .video ? .video : .data
    visit.tags.append(
      .init(
        kind: kind, timestamp: timestamp, body: SharedBytes(message.body),
        streamID: message.streamID,
        arrival: time))
    if conduct.closesOncePublishing { pendingFault = .close }
    guard kind != .data else { return try takeMetadata(message.body) }
    mediaCount += 1
    _ = happens(.tags(mediaCount))
  }

  private mutating func takeMetadata(_ body: [UInt8]) throws(ProtocolViolation) {
    let values = try decode(body)
    guard values.count > 2, values[0].text == "@setDataFrame", values[1].text == "onMetaData" else {
      return
    }
    visit.metadata = values[2].properties
  }

  private func decode(_ body: [UInt8]) throws(ProtocolViolation) -> [AMF0Value] {
    do throws(AMF0Error) { return try AMF0Value.decode(body) } catch { throw .amf0(error) }
  }

  private mutating func takeCommand(_ message: RTMPMessage) throws(ProtocolViolation) {
    let values = try decode(message.body)
    guard values.count > 1, let name = values[0].text, let transaction = values[1].double else {
      throw .command
    }
    visit.commands.append(
      .init(
        name: name, transaction: transaction, arguments: Array(values.dropFirst(2)),
        streamID: message.streamID))
    answer(name, transaction)
  }
}

// Answers.
extension ServerSession {
  private mutating func answer(_ name: String, _ transaction: Double) {
    switch name {
    case "connect":
      if !happens(.connect) { answerConnect(transaction) }
    case "createStream":
      if !happens(.createStream) {
        let id = AMF0Value.number(Double(streamID))
        send(.command("_result", transaction: transaction, [.null, id]))
      }
    case "publish":
      if !happens(.publish) { answerPublish() }
    case "releaseStream", "FCPublish":  // unknown to many servers, which must not matter
      let info = Self.info("error", "NetConnection.Call.Failed", "no such function")
      send(.command("_error", transaction: transaction, [.null, info]))
    default: break
    }
  }

  private mutating func answerConnect(_ transaction: Double) {
    send(.windowAcknowledgementSize(script.window))
    var body: [UInt8] = []
    body.appendBigEndian(script.window)
    send(RTMPMessage(.setPeerBandwidth, body: body + [2]))
    send(.setChunkSize(script.chunkSize))
    writer.chunkSize = Int(script.chunkSize)
    if script.isTalkative { talk() }
    let properties: AMF0Value = .object(["fmsVer": "FMS/3,0,1,123", "capabilities": 31])
    let info = Self.info("status", "NetConnection.Connect.Success", "Connection succeeded.")
    send(.command("_result", transaction: transaction, [properties, info]))
  }

  private mutating func talk() {
    send(.command("onBWDone", transaction: 0, [.null, 8192]))
    send(.command("anything", transaction: 99, [.undefined, .strictArray([1, "two"])]))
    send(RTMPMessage(.data, body: AMF0Value.encode(["|RtmpSampleAccess", false, false])))
    send(RTMPMessage(.abort, body: [0, 0, 0, 3]))
    send(RTMPMessage(RTMPMessageType(rawValue: 99), body: [1, 2, 3]))
  }

  private mutating func answerPublish() {
    guard !conduct.isNameTaken(at: .now) else {
      let text = "Already publishing"
      return send(Self.status("error", "NetStream.Publish.BadName", text, streamID))
    }
    visit.isPublishing = true
    send(.userControl(UserControlEvent.streamBegin, streamID))
    send(Self.status("status", "NetStream.Publish.Start", "Start publishing", streamID))
    for stamp in script.pings { send(.userControl(UserControlEvent.pingRequest, stamp)) }
  }

  /// Ends the stream, if one is published.
  mutating func unpublish() {
    guard visit.isPublishing else { return }
    send(Self.status("status", "NetStream.Unpublish.Success", "Stopped", streamID))
  }

  /// Wishes the client to go elsewhere.
  mutating func requestReconnect() {
    send(Self.status("status", "NetConnection.Connect.ReconnectRequest", "Maintenance", 0))
  }
}
