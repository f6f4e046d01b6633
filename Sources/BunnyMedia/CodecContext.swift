import CBunnyFFmpeg

/// Owns one `AVCodecContext`: allocation, the pointer, release. Nothing else.
struct CodecContext: ~Copyable {
  let raw: UnsafeMutablePointer<AVCodecContext>

  init(_ codec: UnsafePointer<AVCodec>) { raw = avcodec_alloc_context3(codec) }
  deinit {
    var raw: UnsafeMutablePointer<AVCodecContext>? = raw
    avcodec_free_context(&raw)
  }
}

/// Owns one `AVFrame`.
struct Frame: ~Copyable {
  let raw: UnsafeMutablePointer<AVFrame> = av_frame_alloc()

  deinit {
    var raw: UnsafeMutablePointer<AVFrame>? = raw
    av_frame_free(&raw)
  }
}

/// Owns one `AVPacket`.
struct PacketBox: ~Copyable {
  let raw: UnsafeMutablePointer<AVPacket> = av_packet_alloc()

  deinit {
    var raw: UnsafeMutablePointer<AVPacket>? = raw
    av_packet_free(&raw)
  }
}

/// A dictionary of options as FFmpeg's `open` functions take them.
struct Options: ~Copyable {
  var raw: OpaquePointer?

  init(_ values: [String: String] = [:]) {
    for (key, value) in values { av_dict_set(&raw, key, value, 0) }
  }
  deinit {
    var raw = raw
    av_dict_free(&raw)
  }

  /// What `open` took no notice of: its key, so that a mistyped option is not silently nothing.
  var firstUnused: String? {
    av_dict_get(raw, "", nil, AV_DICT_IGNORE_SUFFIX).map { String(cString: $0.pointee.key) }
  }
}

/// What a muxer or decoder needs to know of a codec.
///
/// Immutable once made, so it may be read from any thread.
public final class CodecParameters: @unchecked Sendable {
  let raw: UnsafeMutablePointer<AVCodecParameters>
  /// The unit of its packets' timestamps.
  public let timebase: Timebase

  init(of encoder: borrowing CodecContext) {
    raw = avcodec_parameters_alloc()
    avcodec_parameters_from_context(raw, encoder.raw)
    timebase = Timebase(encoder.raw.pointee.time_base)
  }

  init(of stream: UnsafeMutablePointer<AVStream>) {
    raw = avcodec_parameters_alloc()
    avcodec_parameters_copy(raw, stream.pointee.codecpar)
    timebase = Timebase(stream.pointee.time_base)
  }

  /// What a decoder needs before the first packet; for H.264 parameter sets in Annex B, or an avcC record.
  package var extradata: [UInt8] {
    Array(
      UnsafeBufferPointer(
        start: raw.pointee.extradata, count: Int(max(0, raw.pointee.extradata_size))))
  }

  /// Before anybody else has it.
  func setExtradata(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let room = bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
    let copy = av_mallocz(room)!.assumingMemoryBound(to: UInt8.self)
    copy.update(from: bytes, count: bytes.count)
    av_freep(&raw.pointee.extradata)
    raw.pointee.extradata = copy
    raw.pointee.extradata_size = Int32(bytes.count)
  }

  deinit {
    var raw: UnsafeMutablePointer<AVCodecParameters>? = raw
    avcodec_parameters_free(&raw)
  }
}
