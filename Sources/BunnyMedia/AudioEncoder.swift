import CBunnyFFmpeg

/// Encodes sound to AAC-LC, 48 kHz stereo. Belongs to one thread.
public final class AudioEncoder {
  /// What a muxer needs to know. Its timebase counts samples.
  public let parameters: CodecParameters
  /// One tick is one sample.
  public let timebase = Timebase(1, Int32(broadcastSampleRate))
  /// Samples a channel in one packet.
  public let samplesPerPacket: Int

  private let context: CodecContext
  private var output: EncoderOutput
  private var pending = Frame()  // one packet's worth, filled from the front
  private var filled = 0
  private var position: Int64 = 0  // of the pending frame's first sample

  /// - Parameters:
  ///   - bitrate: bit/s.
  ///   - coder: FFmpeg's way of choosing what to leave out: `twoloop` or `fast`.
  /// - Throws: ``AVFailure`` when FFmpeg refuses the settings.
  public init(bitrate: Int, coder: String = "fast") throws(AVFailure) {
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_AAC) else {
      throw AVFailure(call: "avcodec_find_encoder(aac)", code: bunny_error_decoder_not_found)
    }
    context = CodecContext(codec)
    output = EncoderOutput(timebase)
    context.raw.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.raw.pointee.sample_rate = Int32(broadcastSampleRate)
    context.raw.pointee.time_base = av_make_q(1, Int32(broadcastSampleRate))
    context.raw.pointee.bit_rate = Int64(bitrate)
    context.raw.pointee.profile = FF_PROFILE_AAC_LOW
    context.raw.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    av_channel_layout_default(&context.raw.pointee.ch_layout, 2)
    var options = Options(["aac_coder": coder])
    try check("avcodec_open2(aac)", avcodec_open2(context.raw, codec, &options.raw))
    parameters = CodecParameters(of: context)
    samplesPerPacket = Int(context.raw.pointee.frame_size)
    pending.raw.allocateStereo(count: samplesPerPacket)
  }

  /// Encodes part of a run that follows, without a gap, on all that came before.
  ///
  /// - Parameters:
  ///   - samples: in the broadcast's own form (``SampleConverter``); nil is silence.
  ///   - range: which of its samples.
  ///   - hand: is handed the packets that came out. Their pts is the place of their sound among all
  ///     samples: the first one's is negative, the encoder's priming. One that is not kept is used again.
  /// - Throws: ``AVFailure`` from `avcodec_send_frame` or `avcodec_receive_packet`, and what `hand` does.
  public func encode(
    _ samples: Samples?, _ range: Range<Int>, _ hand: (Packet) throws(AVFailure) -> Void
  ) throws(AVFailure) {
    var next = range.lowerBound
    while next < range.upperBound {
      let count = min(samplesPerPacket - filled, range.upperBound - next)
      for channel in 0..<2 {
        let target = pending.raw.channel(channel).baseAddress! + filled
        if let samples {
          let source = samples.raw.channel(channel).baseAddress! + next
          // For what is no number, or a huge one, the encoder refuses a packet, and that ends a broadcast.
          for index in 0..<count { target[index] = abs(source[index]) < 100 ? source[index] : 0 }
        } else {
          target.update(repeating: 0, count: count)
        }
      }
      filled += count
      next += count
      if filled == samplesPerPacket { try send(hand) }
    }
  }

  /// The packets that came out, see ``encode(_:_:_:)``.
  public func encode(_ samples: Samples?, _ range: Range<Int>) throws(AVFailure) -> [Packet] {
    var packets: [Packet] = []
    try encode(samples, range) { packets.append($0) }
    return packets
  }

  /// Leaves a hole: what follows begins at sample `index`, or where it would have, if that is later.
  ///
  /// - Returns: What came out; a packet that was begun is filled up with silence.
  /// - Throws: ``AVFailure`` from `avcodec_send_frame` or `avcodec_receive_packet`.
  public func jump(to index: Int64) throws(AVFailure) -> [Packet] {
    let packets = filled > 0 ? try encode(nil, 0..<(samplesPerPacket - filled)) : []
    position = max(position, index)
    return packets
  }

  /// What the encoder still holds; a last packet is filled up with silence.
  public func finish() throws(AVFailure) -> [Packet] {
    var packets: [Packet] = []
    if filled > 0 { packets += try encode(nil, 0..<(samplesPerPacket - filled)) }
    try check("avcodec_send_frame", avcodec_send_frame(context.raw, nil))
    while let packet = try output.next(of: context) { packets.append(packet) }
    return packets
  }

  private func send(_ hand: (Packet) throws(AVFailure) -> Void) throws(AVFailure) {
    pending.raw.pointee.pts = position
    try check("avcodec_send_frame", avcodec_send_frame(context.raw, pending.raw))
    position += Int64(samplesPerPacket)
    filled = 0
    while let packet = try output.next(of: context) { try hand(packet) }
    if av_frame_is_writable(pending.raw) != 0 { return }
    // The encoder keeps a reference to what it was given: the next packet needs memory of its own.
    pending = Frame()
    pending.raw.allocateStereo(count: samplesPerPacket)
  }
}
