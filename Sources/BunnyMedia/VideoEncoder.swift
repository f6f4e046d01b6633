import CBunnyFFmpeg

/// Encodes pictures to H.264 with x264. Belongs to one thread.
public final class VideoEncoder {
  /// How to encode. Every value is checked where it comes in (`BroadcastQuality.validate()`).
  public struct Settings: Sendable, Equatable {
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

  private let context: CodecContext
  private let bufferSeconds: Double
  private let box = PacketBox()
  private let frame = Frame()

  /// - Throws: ``AVFailure`` when x264 is not there or refuses the settings.
  public init(_ settings: Settings) throws(AVFailure) {
    guard let codec = avcodec_find_encoder_by_name("libx264") else {
      throw AVFailure(
        call: "avcodec_find_encoder_by_name(libx264)", code: bunny_error_decoder_not_found)
    }
    context = CodecContext(codec)
    timebase = settings.frameRate.reciprocal
    bufferSeconds = settings.bufferSeconds
    settings.apply(to: context.raw)
    var options = Options(settings.privateOptions)
    try check("avcodec_open2(libx264)", avcodec_open2(context.raw, codec, &options.raw))
    parameters = CodecParameters(of: context)
  }

  /// How many pictures a packet's dts lies before its pts at most: 0 without B-frames.
  public var reorderDepth: Int { Int(context.raw.pointee.has_b_frames) }

  /// Encodes one picture.
  ///
  /// - Parameters:
  ///   - picture: 4:2:0 planar, bt709 limited, of the size the encoder was opened with.
  ///   - pts: in ``timebase``, greater than the last one's.
  ///   - forcingKeyframe: this one becomes a keyframe, and the count to the next begins anew.
  /// - Returns: The packets that came out: none while x264 fills, then usually one.
  /// - Throws: ``AVFailure`` from `avcodec_send_frame` or `avcodec_receive_packet`.
  public func encode(
    _ picture: Picture, at pts: Int64, forcingKeyframe: Bool = false
  ) throws(AVFailure) -> [Packet] {
    precondition(
      picture.width == Int(context.raw.pointee.width)
        && picture.height == Int(context.raw.pointee.height) && picture.format == "yuv420p",
      "x264 would read past the end of \(picture.width)x\(picture.height) \(picture.format)")
    try check("av_frame_ref", av_frame_ref(frame.raw, picture.raw))
    defer { av_frame_unref(frame.raw) }
    frame.raw.pointee.pts = pts
    // A decoder's own picture types would be obeyed as if they were wishes.
    frame.raw.pointee.pict_type = forcingKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    try check("avcodec_send_frame", avcodec_send_frame(context.raw, frame.raw))
    return try context.receive(box, timebase)
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

  /// What x264 still holds. Nothing may be encoded afterwards.
  public func finish() throws(AVFailure) -> [Packet] {
    try check("avcodec_send_frame", avcodec_send_frame(context.raw, nil))
    return try context.receive(box, timebase)
  }
}

extension CodecContext {
  /// All packets that an encoder has ready.
  borrowing func receive(
    _ box: borrowing PacketBox, _ timebase: Timebase
  ) throws(AVFailure) -> [Packet] {
    var packets: [Packet] = []
    while true {
      let code = avcodec_receive_packet(raw, box.raw)
      if code == bunny_error_again || code == bunny_error_eof { return packets }
      try check("avcodec_receive_packet", code)
      packets.append(Packet(moving: box, timebase: timebase))
    }
  }
}

extension VideoEncoder.Settings {
  fileprivate func apply(to context: UnsafeMutablePointer<AVCodecContext>) {
    context.pointee.width = Int32(width)
    context.pointee.height = Int32(height)
    context.pointee.time_base = frameRate.reciprocal.raw
    context.pointee.framerate = frameRate.raw
    context.pointee.sample_aspect_ratio = av_make_q(1, 1)
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
    context.pointee.color_range = AVCOL_RANGE_MPEG
    context.pointee.colorspace = AVCOL_SPC_BT709
    context.pointee.color_primaries = AVCOL_PRI_BT709
    context.pointee.color_trc = AVCOL_TRC_BT709
    context.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
    context.pointee.bit_rate = Int64(bitrate)
    context.pointee.rc_max_rate = Int64(bitrate)
    context.pointee.rc_buffer_size = Int32(Double(bitrate) * bufferSeconds)
    // x264 counts frames from the last keyframe, forced ones too: on a gapless grid that is time.
    context.pointee.gop_size = Int32(keyframeInterval)
    context.pointee.max_b_frames = Int32(bFrames)
    if let references { context.pointee.refs = Int32(references) }
    context.pointee.thread_count = Int32(threads)
    // Sequence headers go ahead of the stream, as FLV wants them, not into each keyframe.
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
  }

  /// libx264's own options, by their names in libavcodec.
  fileprivate var privateOptions: [String: String] {
    var options: [String: String] = [:]
    options["preset"] = preset
    options["tune"] = tune
    options["profile"] = profile
    options["forced-idr"] = "1"
    options["x264-params"] = x264Parameters.map { "\($0.key)=\($0.value)" }.sorted()
      .joined(separator: ":")
    return options
  }

  /// Options by their names in x264.
  private var x264Parameters: [String: String] {
    var parameters: [String: String] = [:]
    parameters["scenecut"] = "0"
    parameters["open-gop"] = "0"
    parameters["sliced-threads"] = slicedThreads ? "1" : "0"
    parameters["rc-lookahead"] = String(lookahead)
    // A thread of its own for the look-ahead would add its own delay.
    parameters["sync-lookahead"] = "0"
    // The grid is even: x264 need not wait for the next picture to know how long this one lasts.
    parameters["force-cfr"] = "1"
    if filler { parameters["filler"] = "1" }
    return parameters.merging(x264) { _, custom in custom }
  }
}
