public import BunnySystem

/// One message of the broadcast as an ingest takes it: a frame's or some sound's encoded bytes, in
/// FLV's clothing.
public struct MediaTag: Sendable {
  public enum Kind: Sendable, Hashable {
    case video
    case audio
  }

  public let kind: Kind
  /// When it is decoded: milliseconds of the broadcast's timeline, in 64 bits.
  public var dts: Int64
  /// How much later than ``dts`` it is shown, in milliseconds. 0 without B-frames.
  public var cts: Int64
  /// Decoding can begin here. True of all sound.
  public let isKeyframe: Bool
  /// What decoders need before anything else (avcC, AudioSpecificConfig); not media itself.
  public let isSequenceHeader: Bool
  /// The tag's body, FLV's one to five bytes of header first.
  public var body: SharedBytes
  /// Of a frame: the body of the sequence header that it needs; nil: the one its session begins with.
  package var parameters: SharedBytes?
  /// Where its time went, for the statistics. nil for sound.
  public var trace: Trace?

  /// When a frame passed which stage.
  public struct Trace: Sendable {
    /// Its picture was captured, as the driver says.
    public var captured: MonotonicTime
    /// Its picture had reached this program, and the encoder was done with the one before.
    public var ready: MonotonicTime
    /// It was handed to the encoder.
    public var encoding: MonotonicTime
    /// It entered the tag log, interleaved.
    public var logged: MonotonicTime

    public init(
      captured: MonotonicTime, ready: MonotonicTime, encoding: MonotonicTime, logged: MonotonicTime
    ) {
      self.captured = captured
      self.ready = ready
      self.encoding = encoding
      self.logged = logged
    }
  }

  public init(
    kind: Kind, dts: Int64, cts: Int64 = 0, isKeyframe: Bool, isSequenceHeader: Bool = false,
    body: SharedBytes, trace: Trace? = nil
  ) {
    self.kind = kind
    self.dts = dts
    self.cts = cts
    self.isKeyframe = isKeyframe
    self.isSequenceHeader = isSequenceHeader
    self.body = body
    self.trace = trace
  }

  /// With a copy of `body`.
  public init(
    kind: Kind, dts: Int64, cts: Int64 = 0, isKeyframe: Bool, isSequenceHeader: Bool = false,
    body: [UInt8], trace: Trace? = nil
  ) {
    self.init(
      kind: kind, dts: dts, cts: cts, isKeyframe: isKeyframe, isSequenceHeader: isSequenceHeader,
      body: SharedBytes(body), trace: trace)
  }

  /// Decodes later, and is shown when it was to be, or at once if that has passed.
  public mutating func delayDecoding(to dts: Int64) {
    move(to: dts, shownAfter: max(dts, self.dts + cts) - dts)
  }

  /// Decodes at another time, and is shown `cts` milliseconds after that.
  public mutating func move(to dts: Int64, shownAfter cts: Int64) {
    self.dts = dts
    self.cts = cts
    guard kind == .video, !isSequenceHeader, body.count >= 5 else { return }
    let old = Int64(body[2]) << 16 | Int64(body[3]) << 8 | Int64(body[4])
    guard old != cts & 0xFF_FFFF else { return }
    let new = [16, 8, 0].map { UInt8(truncatingIfNeeded: cts >> $0) }
    body = SharedBytes(body[..<2] + new + body[5...])  // others may hold the bytes as they were
  }
}
