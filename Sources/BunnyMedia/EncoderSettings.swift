import CBunnyFFmpeg

// What libavcodec is told of the settings.

extension VideoEncoder.Settings {
  func apply(to context: UnsafeMutablePointer<AVCodecContext>) {
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
    if kind != .x264 {
      context.pointee.max_b_frames = 0
      context.pointee.profile = Int32(profileNumber)
      // Its drivers have their own.
      context.pointee.rc_buffer_size = 0
    }
    // Sequence headers go ahead of the stream, as FLV wants them, not into each keyframe.
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
  }

  /// The encoder's own options, by their names in libavcodec.
  var privateOptions: [String: String] {
    switch kind {
    case .x264: x264Options
    case .v4l2m2m: [:]
    case .vaapi: ["rc_mode": "CBR", "async_depth": "1"]
    }
  }

  /// `profile_idc`.
  package var profileNumber: Int {
    switch profile {
    case "baseline": 66
    case "main": 77
    default: 100
    }
  }

  private var x264Options: [String: String] {
    var options: [String: String] = [:]
    options["preset"] = preset
    options["tune"] = tune
    options["profile"] = profile
    options["forced-idr"] = "1"
    options["x264-params"] = Self.list(x264Parameters)
    return options
  }

  /// Whether x264 takes what ``x264`` says: it is asked to open an encoder with it, a tiny one, which
  /// takes 1 ms. When it encodes it passes over a value that it cannot read.
  ///
  /// - Returns: true also where there is no x264; who opens it is told.
  package var isTakenByX264: Bool {
    let name = VideoEncoder.Kind.x264.rawValue
    guard let codec = avcodec_find_encoder_by_name(name) else { return true }
    var tiny = self
    (tiny.kind, tiny.width, tiny.height) = (.x264, 64, 64)
    (tiny.threads, tiny.lookahead, tiny.x264) = (1, 0, [:])
    let context = CodecContext(codec)
    tiny.apply(to: context.raw)
    tiny.x264["log"] = "-1"  // who asks says what is wrong, in one sentence: for x264,
    context.raw.pointee.log_level_offset = 100  // and for FFmpeg, which takes 255 at most
    var strict = tiny.privateOptions
    // Of two ways to hand x264 an option, the one that fails.
    if !x264.isEmpty { strict["x264opts"] = Self.list(x264) }
    var options = Options(strict)
    return avcodec_open2(context.raw, codec, &options.raw) >= 0
  }

  private static func list(_ parameters: [String: String]) -> String {
    parameters.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ":")
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
