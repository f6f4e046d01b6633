/// What the peer's messages mean to the session: control messages, answers, statuses.
extension PublishSession {
  /// The transaction numbers of the commands whose answers matter.
  private enum Transaction {
    static let connect = 1.0
    static let releaseStream = 2.0
    static let fcPublish = 3.0
    static let createStream = 4.0
    static let publish = 5.0
  }

  mutating func take(_ message: RTMPMessage) throws(RTMPError) {
    switch message.type {
    case .acknowledgement: takeAcknowledgement(try integer(in: message))
    case .windowAcknowledgementSize: peerWindow = try integer(in: message)
    case .setPeerBandwidth: _ = try integer(in: message)  // a limit that nobody holds others to
    case .userControl: try takeUserControl(message)
    case .command: try takeCommand(message.body[...])
    case .commandAMF3: try takeCommand(message.body.drop(firstWhile: 0))
    default: break  // Set Chunk Size and Abort were the reader's; media and data are not for us
    }
  }

  private func integer(in message: RTMPMessage) throws(RTMPError) -> UInt32 {
    guard let value = message.body.bigEndian() else { throw badControl(message) }
    return value
  }

  private func badControl(_ message: RTMPMessage) -> RTMPError {
    failure(
      .protocolViolation(
        .controlMessage(type: message.type.rawValue, bytes: message.body.count)))
  }

  /// The peer's count has 32 bits and may start, step and wrap as it likes; what would go back, or
  /// beyond what we have sent, is passed over.
  private mutating func takeAcknowledgement(_ count: UInt32) {
    let step = count &- UInt32(truncatingIfNeeded: bytesAcknowledged)
    let total = bytesAcknowledged + Int64(step)
    if step < 0x8000_0000, total <= bytesSent { bytesAcknowledged = total }
  }

  private mutating func takeUserControl(_ message: RTMPMessage) throws(RTMPError) {
    guard let event = message.body.bigEndian(2) else { throw badControl(message) }
    let value = message.body.dropFirst(2).bigEndian()
    switch UInt16(truncatingIfNeeded: event) {
    case UserControlEvent.pingRequest:
      guard let value else { throw badControl(message) }
      owePong(value)
    case UserControlEvent.pingResponse:
      guard let value else { throw badControl(message) }
      report(.pong(value))
    default: break
    }
  }
}

// Commands.
extension PublishSession {
  private mutating func takeCommand(_ body: ArraySlice<UInt8>) throws(RTMPError) {
    let values: [AMF0Value]
    do throws(AMF0Error) {
      values = try AMF0Value.decode(body)
    } catch { throw failure(.protocolViolation(.amf0(error))) }
    guard let name = values.first?.text else { throw failure(.protocolViolation(.command)) }
    let transaction = values.count > 1 ? values[1].double : nil
    let arguments = values.dropFirst(2)
    switch name {
    case "_result", "_error":
      guard let transaction else { throw failure(.protocolViolation(.command)) }
      try takeAnswer(to: transaction, isError: name == "_error", arguments)
    case "onStatus", "onFCPublish", "onFCUnpublish":
      try takeStatus(arguments, isOfStream: name == "onStatus")
    case "close": throw hangUp("it sent close")
    default: break  // onBWDone and whatever else a server likes to call
    }
  }

  /// Enhanced RTMP's `capsEx`: we understand `NetConnection.Connect.ReconnectRequest`.
  private static let reconnects = 1

  mutating func sendConnect() {
    step = .connect
    let parameters: AMF0Object = [
      "app": .string(ingest.app), "type": "nonprivate",
      "flashVer": .string(settings.flashVersion), "tcUrl": .string(ingest.tcURL),
      "capsEx": .number(Double(Self.reconnects)),
    ]
    send(.command("connect", transaction: Transaction.connect, [.object(parameters)]))
  }

  private mutating func takeAnswer(
    to transaction: Double, isError: Bool, _ arguments: ArraySlice<AMF0Value>
  ) throws(RTMPError) {
    switch (step, transaction) {
    case (.connect, Transaction.connect): try takeConnectAnswer(isError: isError, arguments)
    case (.createStream, Transaction.createStream):
      guard !isError else { throw failure(.createStreamRejected(status(in: arguments))) }
      guard let id = arguments.lazy.compactMap(\.double).first, let id = UInt32(exactly: id) else {
        throw failure(.protocolViolation(.answer(to: "createStream")))
      }
      streamID = id
      step = .ready
      report(.ready)
      if isToPublish { sendPublish() }
    case (.publish, Transaction.publish) where isError: throw refusal(of: arguments)
    default: break  // releaseStream and FCPublish are courtesies that many servers do not know
    }
  }

  private mutating func takeConnectAnswer(
    isError: Bool, _ arguments: ArraySlice<AMF0Value>
  ) throws(RTMPError) {
    let code = information(in: arguments)?["code"]?.text ?? ""
    let isOtherCode = code.hasPrefix("NetConnection.Connect.") && !code.hasSuffix(".Success")
    guard !isError, !isOtherCode else {
      throw failure(.connectRejected(status(in: arguments)))
    }
    report(.connected)
    step = .createStream
    raiseChunkSize()
    send(.windowAcknowledgementSize(settings.acknowledgementWindow))
    if isToPublish { announceStream() }
    send(.command("createStream", transaction: Transaction.createStream, [.null]))
  }

  /// Courtesies that some servers insist on. Not before the stream is to be published: they may take
  /// it for that.
  private mutating func announceStream() {
    let name = AMF0Value.string(ingest.streamName.reveal())
    send(.command("releaseStream", transaction: Transaction.releaseStream, [.null, name]))
    send(.command("FCPublish", transaction: Transaction.fcPublish, [.null, name]))
    isAnnounced = true
  }

  mutating func sendPublish() {
    if !isAnnounced { announceStream() }
    step = .publish
    let arguments: [AMF0Value] = [.null, .string(ingest.streamName.reveal()), "live"]
    send(.command("publish", transaction: Transaction.publish, arguments, streamID: streamID))
  }
}

// Statuses.
extension PublishSession {
  private mutating func takeStatus(
    _ arguments: ArraySlice<AMF0Value>, isOfStream: Bool
  ) throws(RTMPError) {
    let information = information(in: arguments)
    let code = information?["code"]?.text ?? ""
    let isError = information?["level"]?.text == "error"
    if isOfStream, code == "NetStream.Publish.Start" {
      guard step == .publish else { return }
      step = .publishing
      return report(.publishing)
    }
    if code == "NetConnection.Connect.ReconnectRequest" { return report(.reconnectRequest) }
    switch step {
    case .publishing where code.hasPrefix("NetStream.Unpublish"):
      throw failure(.unpublished(status(in: arguments)))
    case .publishing where code == "NetConnection.Connect.Closed":
      throw failure(.unpublished(status(in: arguments)))
    case .connect where isError: throw failure(.connectRejected(status(in: arguments)))
    default: if isError || Self.refuses(code) { throw refusal(of: arguments) }
    }
  }

  /// Codes that mean no, whatever level they were given.
  private static func refuses(_ code: String) -> Bool {
    code == "NetStream.Publish.BadName" || refusesKey(code)
  }

  private static func refusesKey(_ code: String) -> Bool {
    guard code.hasPrefix("NetStream.") else { return false }
    return ["Unauthorized", "Denied", "Rejected", "Forbidden", "AuthenticationFailed"]
      .contains { code.hasSuffix($0) }
  }

  private func refusal(of arguments: ArraySlice<AMF0Value>) -> RTMPError {
    let code = information(in: arguments)?["code"]?.text ?? ""
    let status = status(in: arguments)
    if code == "NetStream.Publish.BadName" { return failure(.nameInUse(status)) }
    if Self.refusesKey(code) { return failure(.keyRefused(status)) }
    return failure(step == .publishing ? .unpublished(status) : .publishRejected(status))
  }

  /// The last object of an answer: where servers put level, code and description.
  private func information(in arguments: ArraySlice<AMF0Value>) -> AMF0Object? {
    arguments.lazy.reversed().compactMap(\.properties).first
  }

  private func status(in arguments: ArraySlice<AMF0Value>) -> ServerStatus {
    let information = information(in: arguments)
    var text = information?["description"]?.text ?? arguments.last?.text ?? ""
    if let redirect = information?["ex"]?.properties?["redirect"]?.text {
      text += " (it points to \(redirect))"
    }
    return ServerStatus(
      code: serverText.clean(information?["code"]?.text ?? ""), text: serverText.clean(text))
  }
}

extension Array where Element == UInt8 {
  /// Without its first byte, should that be `byte`.
  fileprivate func drop(firstWhile byte: UInt8) -> ArraySlice<UInt8> {
    first == byte ? dropFirst() : self[...]
  }
}
