import BunnySystem

/// What a ``ScriptedIngest`` can be told to do while it runs.
public enum IngestCommand: Sendable, Equatable {
  // At once, to all connections of the moment:

  /// A reset.
  case reset
  /// An orderly end of file.
  case close
  /// Its sending side only: the client reads an end of file, and all it sends is still read.
  case halfClose
  /// A byte that belongs to no message.
  case strayByte(UInt8 = 0xFF)
  /// `NetStream.Unpublish.Success`.
  case unpublish
  /// Enhanced RTMP's `NetConnection.Connect.ReconnectRequest`.
  case reconnectRequest

  // From now on, also to those that come:

  /// Nothing is accepted, read or sent; sockets stay, like those of a stopped process.
  case freeze
  /// It goes on where it was frozen.
  case thaw
  /// `publish` is answered with `NetStream.Publish.BadName` for so long.
  case badName(seconds: Double)
  /// Nobody listens: every connect is refused. Those that are connected stay.
  case refuse
  /// `publish` is accepted; at what comes then it hangs up.
  case acceptThenClose
  /// Every connection is read that slowly.
  case throttle(bitsPerSecond: Int)
  case stopAcknowledging
  case stopPonging
  /// None of these any more.
  case normal
}

/// How an ingest behaves by command, until it is told otherwise.
struct IngestConduct: Sendable {
  private(set) var isFrozen = false
  private(set) var refuses = false
  private(set) var closesOncePublishing = false
  private(set) var bytesPerSecond: Double?
  private(set) var acknowledges = true
  private(set) var answersPings = true
  private var badNameEnd: MonotonicTime?

  func isNameTaken(at now: MonotonicTime) -> Bool { badNameEnd.map { now < $0 } ?? false }

  mutating func take(_ command: IngestCommand, at now: MonotonicTime) {
    switch command {
    case .reset, .close, .halfClose, .strayByte, .unpublish, .reconnectRequest: break
    case .freeze: isFrozen = true
    case .thaw: isFrozen = false
    case .badName(let seconds): badNameEnd = now + .seconds(seconds)
    case .refuse: refuses = true
    case .acceptThenClose: closesOncePublishing = true
    case .throttle(let bitsPerSecond): bytesPerSecond = Double(bitsPerSecond) / 8
    case .stopAcknowledging: acknowledges = false
    case .stopPonging: answersPings = false
    case .normal: self = IngestConduct()
    }
  }
}
