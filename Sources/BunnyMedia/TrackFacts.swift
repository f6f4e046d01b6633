import CBunnyFFmpeg

/// What a track's container and headers say about it.
public struct TrackFacts: Hashable, Sendable {
  /// FFmpeg's name: `h264`, `aac` …
  public let codec: String
  /// `High`, `LC` …; nil when not known.
  public let profile: String?
  /// As the codec counts it: 31 is H.264 level 3.1; nil when not known.
  public let level: Int?
  /// Pixels; 0 for sound.
  public let width: Int
  public let height: Int
  /// Width of one pixel divided by its height; nil when not known.
  public let sampleAspect: Timebase?
  /// `yuv420p` …; nil for sound.
  public let pixelFormat: String?
  /// `tv` is limited, `pc` full; like the next three `unknown` when not signalled.
  public let colourRange: String
  public let colourSpace: String
  public let colourPrimaries: String
  public let colourTransfer: String
  /// Samples a second; 0 for pictures.
  public let sampleRate: Int
  public let channels: Int
}

extension Demuxer.Track {
  public var facts: TrackFacts { TrackFacts(parameters.raw.pointee) }
}

extension TrackFacts {
  fileprivate init(_ raw: AVCodecParameters) {
    let isVideo = raw.codec_type == AVMEDIA_TYPE_VIDEO
    let aspect = raw.sample_aspect_ratio
    codec = String(cString: avcodec_get_name(raw.codec_id))
    profile = text(avcodec_profile_name(raw.codec_id, raw.profile))
    level = isVideo && raw.level > 0 ? Int(raw.level) : nil
    width = Int(raw.width)
    height = Int(raw.height)
    sampleAspect = aspect.num > 0 && aspect.den > 0 ? Timebase(aspect) : nil
    pixelFormat = isVideo ? text(av_get_pix_fmt_name(AVPixelFormat(raw.format))) : nil
    colourRange = text(av_color_range_name(raw.color_range)) ?? "unknown"
    colourSpace = text(av_color_space_name(raw.color_space)) ?? "unknown"
    colourPrimaries = text(av_color_primaries_name(raw.color_primaries)) ?? "unknown"
    colourTransfer = text(av_color_transfer_name(raw.color_trc)) ?? "unknown"
    sampleRate = Int(raw.sample_rate)
    channels = Int(raw.ch_layout.nb_channels)
  }
}

private func text(_ name: UnsafePointer<CChar>?) -> String? { name.map { String(cString: $0) } }

extension Picture {
  /// It was coded from pictures on both sides of it.
  public var isBidirectional: Bool { raw.pointee.pict_type == AV_PICTURE_TYPE_B }

  /// Its samples can be read by ``withPlanes(_:)``.
  public var hasPlanes: Bool {
    let format = AVPixelFormat(raw.pointee.format)
    return format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P
  }
}

extension Picture.Plane {
  /// A plane over memory of one's own, which must outlive it.
  package init(over bytes: UnsafeMutablePointer<UInt8>, stride: Int, width: Int, height: Int) {
    self.init(bytes: bytes, stride: stride, width: width, height: height)
  }
}
