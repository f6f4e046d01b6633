import BunnyRTMP

/// How a ``ScriptedIngest`` behaves. As made, it is a well-behaved server.
public struct IngestScript: Sendable {
  /// The moment at which something goes wrong.
  public enum Moment: Sendable, Equatable {
    /// TCP was accepted; nothing was read.
    case accept
    /// C0 and C1 are in.
    case clientHello
    /// `connect`, `createStream`, `publish` came in, and would be answered now.
    case connect, createStream, publish
    /// That many audio and video messages are in.
    case tags(Int)
  }

  /// What goes wrong.
  public enum Fault: Sendable {
    /// An orderly end of file.
    case close
    /// A reset.
    case reset
    /// Not another byte is sent; all is read.
    case silence
    /// Not another byte is sent or read.
    case stopReading
    /// These bytes are sent, raw, in place of an answer; then all goes on.
    case bytes([UInt8])
    /// An `onStatus` on the stream, in place of an answer; `text` is its description.
    case status(level: String, code: String, text: String)
    /// An `_error` in place of an answer.
    case error(code: String, text: String)
    /// The connection is reset by closing it with bytes unread, after an `onStatus`.
    case statusAndClose(code: String, text: String)
  }

  public enum Delivery: Sendable {
    /// Whatever one read gives rise to goes out in one piece, answers glued to each other.
    case whole
    /// Each byte in a segment of its own.
    case singleBytes
  }

  /// Each happens once a connection.
  public var faults: [(at: Moment, what: Fault)] = []
  /// The size of our chunks; 128 is what the protocol starts with.
  public var chunkSize: UInt32 = 4096
  public var delivery = Delivery.whole
  /// After how many bytes the client shall acknowledge.
  public var window: UInt32 = 2_500_000
  /// Whether what was read is acknowledged as the client asked.
  public var acknowledges = true
  /// S0, and whether S2 echoes C1 as it should.
  public var handshakeVersion: UInt8 = 3
  public var echoes = true
  /// `onBWDone`, an unknown command, a data message and an Abort before the answers.
  public var isTalkative = false
  /// The stamps of pings that are sent right after Publish.Start.
  public var pings: [UInt32] = []
  /// Who it is, where it speaks TLS.
  public var tls: TLSServer?
  /// SO_RCVBUF of the connections, in bytes.
  public var receiveBuffer: Int32?

  public init() {}

  public init(_ what: Fault, at moment: Moment) { faults = [(moment, what)] }
}
