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
}

/// How far a connection has come. Only `publishing` means that media flows.
public enum RTMPConnectionState: Equatable, Sendable {
  /// Looking up the name, opening TCP.
  case connecting
  /// TCP is open; the handshake and `connect` are under way.
  case handshaking
  /// The server took `connect`; `createStream` and `publish` are under way.
  case connected
  /// `NetStream.Publish.Start` has come.
  case publishing
  case closed
}

/// What a connection has moved so far, in bytes of RTMP; those that TLS adds are not counted.
public struct RTMPCounters: Sendable, Hashable {
  /// Taken by the kernel.
  public var bytesSent: Int64 = 0
  public var bytesReceived: Int64 = 0
  /// What the server says it has read; stays 0 with servers that never acknowledge.
  public var bytesAcknowledged: Int64 = 0
  /// What waits in our own queue, right now.
  public var unsentBytes = 0

  public init() {}
}
