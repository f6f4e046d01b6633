import CBunnyFFmpeg
import Glibc

/// Encodes pictures to H.264, with x264 or in hardware. Belongs to one thread.
public final class VideoEncoder {
  /// What encodes, by FFmpeg's names.
  public enum Kind: String, Sendable, CaseIterable {
    case x264 = "libx264"
    /// A codec of the kernel's, as in a Raspberry Pi 4.
    case v4l2m2m = "h264_v4l2m2m"
    /// A graphics processor of Intel's or AMD's.
    case vaapi = "h264_vaapi"
  }

  /// How to encode. Every value is checked where it comes in (`BroadcastQuality.validate()`).
  public struct Settings: Sendable, Equatable {
    public var kind = Kind.x264
    /// Pixels, even.
    public var width: Int
    public var height: Int
    /// Pictures a second.
    public var frameRate: Timebase
    /// Bit/s: what the rate is capped at, over ``bufferSeconds``.
    public var bitrate: Int
    /// x264's preset: `ultrafast` … `placebo`.
    public var preset = "veryfast"
    /// x264's tune; nil for none.
    public var tune: String?
    /// H.264 profile.
    public var profile = "high"
    /// Seconds from one keyframe to the next.
    public var keyframeSeconds = 2.0
    /// Pictures x264 looks ahead: delay that buys quality.
    public var lookahead = 10
    public var bFrames = 0
    /// Reference pictures; nil leaves it to the preset.
    public var references: Int?
    /// 0 lets x264 fit them to the cores. Each frame thread beyond the first delays one picture.
    public var threads = 0
    /// Threads share one picture instead of each having its own: no delay, less quality.
    public var slicedThreads = false
    /// Seconds of the bit rate that x264's buffer model (VBV) holds.
    public var bufferSeconds = 1.0
    /// Pad an easy picture to the full bit rate, for platforms that insist on a constant one.
    public var filler = false
    /// More of x264's own options, by their names.
    public var x264: [String: String] = [:]

    public init(width: Int, height: Int, frameRate: Timebase, bitrate: Int) {
      self.width = width
      self.height = height
      self.frameRate = frameRate
      self.bitrate = bitrate
    }

    /// Pictures from one keyframe to the next.
    public var keyframeInterval: Int { Int((keyframeSeconds * frameRate.value).rounded()) }
  }

  /// What a muxer needs to know. Its timebase counts frames.
  public let parameters: CodecParameters
  /// One tick is one frame.
  public let timebase: Timebase
  /// Whether ``setBitrate(_:)`` does anything.
  public let followsBitrate: Bool

  private let context: CodecContext
  private let bufferSeconds: Double
  private var output: EncoderOutput
  private let frame = Frame()
  private let surfaces: SurfaceUpload?

  /// - Parameter parameterSets: H.264's, of an encoder that tells them only with its first picture; Annex B.
  /// - Throws: ``AVFailure`` when the encoder is not there or refuses the settings.
  public init(_ settings: Settings, parameterSets: [UInt8] = []) throws(AVFailure) {
    let kind = settings.kind
    guard let codec = avcodec_find_encoder_by_name(kind.rawValue) else {
      throw AVFailure(
        call: "avcodec_find_encoder_by_name(\(kind.rawValue))", code: bunny_error_decoder_not_found)
    }
    context = CodecContext(codec)
    timebase = settings.frameRate.reciprocal
    output = EncoderOutput(timebase)
    bufferSeconds = settings.bufferSeconds
    followsBitrate = kind == .x264
    settings.apply(to: context.raw)
    surfaces = kind == .vaapi ? try SurfaceUpload(settings, context) : nil
    var options = Options(settings.privateOptions)
    let code = avcodec_open2(context.raw, codec, &options.raw)
    if code < 0 { throw AVFailure(call: "avcodec_open2(\(kind.rawValue))", code: code) }
    parameters = CodecParameters(of: context)
    if parameters.extradata.isEmpty { parameters.setExtradata(parameterSets) }
  }

  /// How many pictures a packet's dts lies before its pts at most: 0 without B-frames.
  public var reorderDepth: Int { Int(context.raw.pointee.has_b_frames) }

  /// Encodes one picture.
  ///
  /// - Parameters:
  ///   - picture: 4:2:0 planar, bt709 limited, of the size the encoder was opened with.
  ///   - pts: in ``timebase``, greater than the last one's.
  ///   - forcingKeyframe: this one becomes a keyframe, and the count to the next begins anew.
  ///   - hand: is handed the packets that came out: none while the encoder fills, then usually one. One
  ///     that is not kept is used again.
  /// - Throws: ``AVFailure`` from `avcodec_send_frame` or `avcodec_receive_packet`, and what `hand` does.
  public func encode(
    _ picture: Picture, at pts: Int64, forcingKeyframe: Bool = false,
    _ hand: (Packet) throws(AVFailure) -> Void
  ) throws(AVFailure) {
    precondition(
      picture.width == Int(context.raw.pointee.width)
        && picture.height == Int(context.raw.pointee.height) && picture.format == "yuv420p",
      "the encoder would read past the end of \(picture.width)x\(picture.height) \(picture.format)")
    if let surfaces {
      try surfaces.upload(picture, into: frame)
    } else {
      try check("av_frame_ref", av_frame_ref(frame.raw, picture.raw))
    }
    defer { av_frame_unref(frame.raw) }
    frame.raw.pointee.pts = pts
    // A decoder's own picture types would be obeyed as if they were wishes.
    frame.raw.pointee.pict_type = forcingKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    try send(frame.raw, hand)
  }

  /// The packets that came out, see ``encode(_:at:forcingKeyframe:_:)``.
  public func encode(
    _ picture: Picture, at pts: Int64, forcingKeyframe: Bool = false
  ) throws(AVFailure) -> [Packet] {
    var packets: [Packet] = []
    try encode(picture, at: pts, forcingKeyframe: forcingKeyframe) { packets.append($0) }
    return packets
  }

  /// From the next picture on, this many bit/s; the buffer's seconds stay what they are.
  ///
  /// - Parameter bitrate: positive.
  public func setBitrate(_ bitrate: Int) {
    // libavcodec compares these with what x264 has, picture by picture.
    context.raw.pointee.bit_rate = Int64(bitrate)
    context.raw.pointee.rc_max_rate = Int64(bitrate)
    context.raw.pointee.rc_buffer_size = Int32(Double(bitrate) * bufferSeconds)
  }

  /// What the encoder still holds. Nothing may be encoded afterwards.
  public func finish() throws(AVFailure) -> [Packet] {
    var packets: [Packet] = []
    try send(nil) { packets.append($0) }
    return packets
  }

  /// Hardware may be busy with what it has, for a picture or two.
  private func send(
    _ frame: UnsafeMutablePointer<AVFrame>?, _ hand: (Packet) throws(AVFailure) -> Void
  ) throws(AVFailure) {
    for _ in 0..<500 {
      let code = avcodec_send_frame(context.raw, frame)
      while let packet = try output.next(of: context) { try hand(packet) }
      guard code == bunny_error_again else {
        try check("avcodec_send_frame", code)
        return
      }
      usleep(2_000)
    }
    throw AVFailure(call: "avcodec_send_frame", code: bunny_error_again)
  }
}

/// The packets of an encoder, in an object that is used again when nobody has kept it.
struct EncoderOutput {
  private var packet: Packet

  init(_ timebase: Timebase) { packet = Packet(timebase: timebase) }

  /// nil: it has none ready.
  mutating func next(of encoder: borrowing CodecContext) throws(AVFailure) -> Packet? {
    if !isKnownUniquelyReferenced(&packet) { packet = Packet(timebase: packet.timebase) }
    let code = avcodec_receive_packet(encoder.raw, packet.raw)
    if code == bunny_error_again || code == bunny_error_eof { return nil }
    try check("avcodec_receive_packet", code)
    return packet
  }
}
