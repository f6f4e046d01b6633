public import BunnySystem

/// What an ``RTMPConnection`` publishes. All of it is called on the connection's thread, and none of
/// it may block: the connection answers its server between two calls.
public protocol RTMPFeed: AnyObject, Sendable {
  /// Signalled when ``next()`` or ``isFinished`` may have changed. The connection clears it.
  var wake: WakeEvent { get }

  /// Called once, after `NetStream.Publish.Start`: metadata, then sequence headers.
  func opening() -> [RTMPTag]

  /// The next tag, or nil when there is nothing to send now. Asked only when all before it has been
  /// taken by the kernel, so whatever the feed drops, it may decide here at the last moment.
  func next() -> RTMPTag?

  /// ``next()`` will never return anything again: the connection takes leave.
  var isFinished: Bool { get }

  /// The kernel took the tag's last byte, opening tags included. Not that it arrived.
  func sent(_ tag: RTMPTag, at time: MonotonicTime)

  /// The tag with this serial has arrived: the server has said so, or, of one that says nothing, its
  /// kernel has. In order; tags that are under way when a connection ends are never told of.
  func confirmed(_ serial: Int64, at time: MonotonicTime)
}

extension RTMPFeed {
  public func confirmed(_ serial: Int64, at time: MonotonicTime) {}
}

/// What happens to a connection.
public enum RTMPEvent: Equatable, Sendable {
  case state(RTMPConnectionState)
  /// The server has answered a ping: it has read all that was sent before it.
  case pong
  /// For half the stall limit the server has owed a proof that it reads.
  case owing
  /// For the whole stall limit.
  case stalled
  /// It has given the proof that it owed.
  case paid
  /// Enhanced RTMP: the server wishes us to reconnect, or to go elsewhere, soon.
  case reconnectRequest
}

/// How far a connection has come. Only `publishing` means that media flows.
public enum RTMPConnectionState: Equatable, Sendable {
  /// Looking up the name, opening TCP.
  case connecting
  /// TCP is open; the handshake and `connect` are under way.
  case handshaking
  /// The server took `connect`; `createStream` is under way.
  case connected
  /// The server has answered `createStream`: the stream may come.
  case ready
  /// `NetStream.Publish.Start` has come.
  case publishing
  case closed
}

/// What a connection has moved so far, in bytes of RTMP; those that TLS adds are not counted.
public struct RTMPCounters: Sendable, Hashable {
  /// Taken by the kernel.
  public var bytesSent: Int64 = 0
  public var bytesReceived: Int64 = 0
  /// What is known to have arrived.
  public var bytesConfirmed: Int64 = 0
  /// The server says what it has read; false: `bytesConfirmed` is what its kernel has.
  public var confirmsReading = false
  /// What the kernel holds because the server's has not acknowledged it, some tenths of a second ago at
  /// most.
  public var kernelQueueBytes = 0
  /// From a ping to its answer, the last time; nil: none was answered.
  public var roundTrip: Duration?
  /// What waits in our own queue, right now.
  public var unsentBytes = 0
  package var pace = DeliveryPace()

  public init() {}
}
