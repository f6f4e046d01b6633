import BunnySystem

/// Our side of an RTMP publishing session, from the handshake to `deleteStream`. Opens no socket and
/// reads no clock: it is fed with the peer's bytes, and says what to send and what has happened.
package struct PublishSession: Sendable {
  /// What happened, in order.
  package enum Event: Equatable, Sendable {
    case connected  // `connect` was accepted
    case ready  // `createStream` was answered: ``publish()`` may follow
    case reconnectRequest  // Enhanced RTMP: the server wishes us to go elsewhere, soon
    case publishing  // `NetStream.Publish.Start`
    case pong(UInt32)  // the stamp of a ping that everything sent before it has reached
  }

  package struct Settings: Sendable {
    package var chunkSize: UInt32 = 65_536
    package var timestampBase: Int64 = 0
    package var acknowledgementWindow: UInt32 = 4096
    package var flashVersion = "FMLE/3.0 (compatible; bunny-broadcast)"
    package init() {}
  }

  /// What the session waits for.
  package internal(set) var step = RTMPStep.handshake
  /// Bytes that came from the peer, handshake included.
  package private(set) var bytesReceived: Int64 = 0
  /// Bytes that were handed out to be sent, handshake included.
  package private(set) var bytesSent: Int64 = 0
  /// How many of our bytes the peer says it has read; never more than ``bytesSent``.
  package internal(set) var bytesAcknowledged: Int64 = 0

  let ingest: Ingest
  let settings: Settings
  let serverText: ServerText
  var streamID: UInt32 = 0
  var isClosing = false
  /// The server has been told which stream will come.
  var isAnnounced = false
  /// ``publish()`` was called.
  var isToPublish = false
  /// After how many bytes the peer wants an acknowledgement; nil until it has said.
  var peerWindow: UInt32?

  private var handshake = Handshake()
  private var reader = ChunkReader()
  private var writer = ChunkWriter()
  private var outgoing: [OutgoingMessage] = []
  private var events: [Event] = []
  private var lastAcknowledged: Int64 = 0  // of what we received
  private var owedPongs: [UInt32] = []
  private static let mostPongs = 16

  package init(to ingest: Ingest, settings: Settings = Settings()) {
    self.ingest = ingest
    self.settings = settings
    serverText = ServerText(hiding: ingest.secrets)
    enqueue(OutgoingMessage(raw: handshake.opening()))
  }

  /// What is to be sent, in order; each message is handed out once.
  ///
  /// - Parameter answering: False while what was handed out still waits: answers would only pile up
  ///   behind it, for as long as a peer asks and does not read.
  package mutating func takeOutgoing(answering: Bool = true) -> [OutgoingMessage] {
    if answering { answer() }
    defer { outgoing = [] }
    return outgoing
  }

  /// The same, without an array for it.
  mutating func moveOutgoing(answering: Bool = true, to wire: inout Wire) {
    if answering { answer() }
    wire.append(outgoing)
    outgoing.removeAll(keepingCapacity: true)
  }

  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Takes bytes as they came from the peer, in any portions.
  ///
  /// - Throws: What the peer refused, or the rule that its bytes break. The session is over then.
  package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPError) {
    guard !isClosing else { return }
    bytesReceived += Int64(bytes.count)
    do throws(ProtocolViolation) {
      try readHandshake(bytes)
    } catch { throw failure(.protocolViolation(error)) }
    while let message = try nextMessage() {
      try take(message)
      if isClosing { return }
      reader.reuse(message)
    }
  }

  /// Sends a tag; only while publishing.
  ///
  /// - Throws: `tagTooLong`.
  package mutating func send(_ tag: RTMPTag) throws(RTMPError) {
    guard tag.body.count <= RTMPMessage.longestBody else {
      throw failure(.tagTooLong(bytes: tag.body.count))
    }
    guard step == .publishing, !isClosing else { return }
    let type: RTMPMessageType =
      switch tag.kind {
      case .audio: .audio
      case .video: .video
      case .data: .data
      }
    let time = UInt32(truncatingIfNeeded: tag.timestamp &+ settings.timestampBase)
    var message = writer.write(type, streamID: streamID, timestamp: time, body: tag.body)
    message.tag = tag
    enqueue(message)
  }

  /// Asks to publish; what is missing before that is waited for.
  package mutating func publish() {
    isToPublish = true
    if step == .ready { sendPublish() }
  }

  /// Asks the peer to answer with `stamp`: the answer proves that it has read all before it.
  package mutating func ping(_ stamp: UInt32) {
    send(.userControl(UserControlEvent.pingRequest, stamp))
  }

  /// Takes leave: `FCUnpublish` and `deleteStream`, where there is something to leave. What the peer
  /// still says is passed over.
  package mutating func close() {
    guard !isClosing else { return }
    if step == .publish || step == .publishing {
      let name = AMF0Value.string(ingest.streamName.reveal())
      send(.command("FCUnpublish", transaction: 6, [.null, name]))
      send(.command("deleteStream", transaction: 7, [.null, .number(Double(streamID))]))
    }
    isClosing = true
  }

  /// What it means that the peer hung up now; `cause` is "end of file" or the system's words.
  package func hangUp(_ cause: String) -> RTMPError {
    switch step {
    case .publish: failure(.hungUpOnPublish(cause: cause))
    case .publishing: failure(.lost(cause))
    default: failure(.hungUp(step, cause: cause))
    }
  }

  func failure(_ reason: RTMPError.Reason) -> RTMPError { RTMPError(reason, at: ingest) }
}

// Bytes in and out.
extension PublishSession {
  private mutating func readHandshake(_ bytes: ArraySlice<UInt8>) throws(ProtocolViolation) {
    let wasDone = handshake.isDone
    let (answer, rest) = try handshake.receive(bytes)
    if !answer.isEmpty { enqueue(OutgoingMessage(raw: answer)) }
    if handshake.isDone, !wasDone { sendConnect() }
    reader.append(rest)
  }

  private mutating func nextMessage() throws(RTMPError) -> RTMPMessage? {
    do throws(ProtocolViolation) {
      return try reader.next()
    } catch { throw failure(.protocolViolation(error)) }
  }

  private mutating func answer() {
    for stamp in owedPongs { send(.userControl(UserControlEvent.pingResponse, stamp)) }
    owedPongs.removeAll(keepingCapacity: true)
    guard let peerWindow, bytesReceived - lastAcknowledged >= Int64(peerWindow) else { return }
    lastAcknowledged = bytesReceived
    send(.acknowledgement(UInt32(truncatingIfNeeded: bytesReceived)))
  }

  /// The newest pings are answered: the answer to one proves what an older one asked.
  mutating func owePong(_ stamp: UInt32) {
    if owedPongs.count == Self.mostPongs { owedPongs.removeFirst() }
    owedPongs.append(stamp)
  }

  mutating func send(_ message: RTMPMessage) { enqueue(writer.write(message)) }

  /// Tells the peer our chunk size and uses it from the next message on.
  mutating func raiseChunkSize() {
    let size = min(max(settings.chunkSize, 1), 0x7FFF_FFFF)
    send(.setChunkSize(size))
    writer.chunkSize = Int(size)
  }

  private mutating func enqueue(_ message: OutgoingMessage) {
    bytesSent += Int64(message.wireSize)
    outgoing.append(message)
  }

  mutating func report(_ event: Event) { events.append(event) }
}
