public import BunnySystem
import CBunnyFFmpeg

/// Decodes one track. Belongs to one thread at a time.
///
/// What cannot be decoded is skipped and counted: a broken packet is never the end.
public final class Decoder {
  /// Packets that were refused, or came out marked as broken.
  public private(set) var errors = 0

  private let onError: @Sendable () -> Void
  private let context: CodecContext
  private let frame = Frame()
  private let timebase: Timebase
  private var usedPictures = Reused<Picture>(atMost: 32)
  private var usedRuns = Reused<Samples>(atMost: 32)

  /// - Parameter onError: is called each time ``errors`` counts, by the thread that decodes.
  /// - Throws: ``AVFailure`` when this FFmpeg has no decoder for it, or cannot open it.
  public convenience init(
    _ track: Demuxer.Track, onError: @escaping @Sendable () -> Void = {}
  ) throws(AVFailure) {
    try self.init(track.parameters, onError: onError)
  }

  /// Decodes what an encoder, or a track, with these parameters makes.
  package init(
    _ parameters: CodecParameters, onError: @escaping @Sendable () -> Void = {}
  ) throws(AVFailure) {
    self.onError = onError
    guard let codec = avcodec_find_decoder(parameters.raw.pointee.codec_id) else {
      throw AVFailure(call: "avcodec_find_decoder", code: bunny_error_decoder_not_found)
    }
    context = CodecContext(codec)
    timebase = parameters.timebase
    try check(
      "avcodec_parameters_to_context", avcodec_parameters_to_context(context.raw, parameters.raw))
    context.raw.pointee.pkt_timebase = timebase.raw
    // One thread keeps up with 1080p60 and holds no frames back; more pixels than that need all.
    let pixels = Int(parameters.raw.pointee.width) * Int(parameters.raw.pointee.height)
    context.raw.pointee.thread_count = pixels > 1920 * 1088 ? 0 : 1
    try check("avcodec_open2", avcodec_open2(context.raw, codec, nil))
  }

  /// One of H.264 in Annex B that brings its own parameter sets. Hands each picture out at once, unless
  /// B-frames are to be shown before it.
  ///
  /// - Throws: ``AVFailure`` when this FFmpeg has no decoder for it.
  package init(annexB onError: @escaping @Sendable () -> Void) throws(AVFailure) {
    self.onError = onError
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264) else {
      throw AVFailure(call: "avcodec_find_decoder(h264)", code: bunny_error_decoder_not_found)
    }
    context = CodecContext(codec)
    timebase = .nanoseconds
    context.raw.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    context.raw.pointee.thread_count = 1
    try check("avcodec_open2(h264)", avcodec_open2(context.raw, codec, nil))
  }

  /// Decodes one packet, or with nil drains what is held back.
  ///
  /// - Parameter body: is handed each frame that came out, with its pts in nanoseconds (nil when
  ///   nothing tells it), and may keep what it holds by moving it.
  func decode(_ packet: Packet?, _ body: (borrowing Frame, _ pts: Int64?) -> Void) {
    if avcodec_send_packet(context.raw, packet?.raw) < 0 && packet != nil { count() }
    while true {
      let code = avcodec_receive_frame(context.raw, frame.raw)
      if code == bunny_error_again || code == bunny_error_eof { return }
      guard code >= 0 else { return count() }
      if frame.raw.pointee.decode_error_flags != 0 { count() }
      body(frame, timebase.nanoseconds(frame.raw.pointee.best_effort_timestamp))
      av_frame_unref(frame.raw)
    }
  }

  private func count() {
    errors += 1
    onError()
  }

  /// Pictures of one packet, each at `zero` plus its pts; nil drains.
  ///
  /// - Parameters:
  ///   - fallback: the pts, in nanoseconds, of a picture that has none of its own.
  ///   - made: gets them.
  public func pictures(
    _ packet: Packet?, at zero: MonotonicTime, fallback: Int64 = 0, into made: inout [Picture]
  ) {
    decode(packet) { frame, pts in
      made.append(picture(frame, at: zero + (pts ?? fallback)))
    }
  }

  /// As ``pictures(_:at:fallback:into:)``, for those who do not count allocations.
  public func pictures(
    _ packet: Packet?, at zero: MonotonicTime, fallback: Int64 = 0
  ) -> [Picture] {
    var made: [Picture] = []
    pictures(packet, at: zero, fallback: fallback, into: &made)
    return made
  }

  /// Sound of one packet, each run at `zero` plus its pts; nil drains.
  ///
  /// - Parameters:
  ///   - fallback: the pts, in nanoseconds, of a run that has none of its own.
  ///   - made: gets them.
  public func samples(
    _ packet: Packet?, at zero: MonotonicTime, fallback: Int64 = 0, into made: inout [Samples]
  ) {
    decode(packet) { frame, pts in
      made.append(run(frame, at: zero + (pts ?? fallback)))
    }
  }

  /// As ``samples(_:at:fallback:into:)``, for those who do not count allocations.
  public func samples(_ packet: Packet?, at zero: MonotonicTime, fallback: Int64 = 0) -> [Samples] {
    var made: [Samples] = []
    samples(packet, at: zero, fallback: fallback, into: &made)
    return made
  }

  /// Pictures of one packet of a live input, all stamped `time`, whatever the packet says; nil drains.
  public func pictures(_ packet: Packet?, stampedAt time: MonotonicTime, into made: inout [Picture])
  {
    decode(packet) { frame, _ in made.append(picture(frame, at: time)) }
  }

  /// Sound of one packet of a live input, whatever the packet says of its time.
  ///
  /// - Parameters:
  ///   - made: gets it.
  ///   - stamp: gives the moment of its first sample; it is told how long it lasts, in nanoseconds.
  public func samples(
    _ packet: Packet, into made: inout [Samples], stamp: (_ length: Int64) -> MonotonicTime
  ) {
    decode(packet) { frame, _ in
      let rate = max(1, Int64(frame.raw.pointee.sample_rate))
      let length = Int64(frame.raw.pointee.nb_samples) * 1_000_000_000 / rate
      made.append(run(frame, at: stamp(length)))
    }
  }

  private func picture(_ frame: borrowing Frame, at time: MonotonicTime) -> Picture {
    guard let picture = usedPictures.free({ _ in true }) else {
      return usedPictures.keep(Picture(moving: frame, time: time))
    }
    picture.take(frame, time: time)
    return picture
  }

  private func run(_ frame: borrowing Frame, at time: MonotonicTime) -> Samples {
    guard let run = usedRuns.free({ _ in true }) else {
      return usedRuns.keep(Samples(moving: frame, time: time))
    }
    run.take(frame, time: time)
    return run
  }

  /// Forgets what it holds, before packets of another place follow.
  public func flush() { avcodec_flush_buffers(context.raw) }
}
