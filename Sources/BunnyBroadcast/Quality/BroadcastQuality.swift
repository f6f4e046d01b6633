package import BunnyMedia

/// What a broadcast looks and sounds like: size, frame rate, bit rates, and how to encode.
public struct BroadcastQuality: Equatable, Sendable {
  /// Pixels, as coded.
  public enum Resolution: Equatable, Sendable {
    /// 854x480.
    case sd480
    /// 1280x720.
    case hd720
    /// 1920x1080.
    case fullHd1080
    /// Any other, both sides even.
    case custom(width: Int, height: Int)

    /// Pixels.
    public var width: Int {
      switch self {
      case .sd480: 854
      case .hd720: 1280
      case .fullHd1080: 1920
      case .custom(let width, _): width
      }
    }

    /// Pixels.
    public var height: Int {
      switch self {
      case .sd480: 480
      case .hd720: 720
      case .fullHd1080: 1080
      case .custom(_, let height): height
      }
    }
  }

  /// Which way round the picture stands.
  public enum Orientation: String, Sendable, CaseIterable {
    /// As the quality says: the presets are wider than tall.
    case landscape
    /// Taller than wide, the way Bunny's phone SDKs count.
    case portrait
  }

  /// How large the picture is.
  public var resolution: Resolution
  /// Pictures a second, 1 to 120. 29.97 and its like mean thousandths of 1001.
  public var frameRate: Double
  /// Bit/s, 50 000 to 50 000 000: the cap over one second. An easy picture may cost less.
  public var videoBitrate: Int
  /// Bit/s, 32 000 to 320 000.
  public var audioBitrate: Int
  /// How to encode; the defaults fit live broadcasting.
  public var encoder = EncoderTuning()

  /// Sizes, rates and bit rates as below; what is out of its range is refused when a broadcast begins.
  public init(
    resolution: Resolution, frameRate: Double, videoBitrate: Int, audioBitrate: Int = 128_000
  ) {
    self.resolution = resolution
    self.frameRate = frameRate
    self.videoBitrate = videoBitrate
    self.audioBitrate = audioBitrate
  }

  // The values of Bunny's iOS SDK (its BroadcastQuality), turned to landscape.
  /// 854x480 at 30 frames a second, 1.2 Mbit/s.
  public static let sd480 = BroadcastQuality(
    resolution: .sd480, frameRate: 30, videoBitrate: 1_200_000)
  /// 1280x720 at 30 frames a second, 2.5 Mbit/s.
  public static let hd720 = BroadcastQuality(
    resolution: .hd720, frameRate: 30, videoBitrate: 2_500_000)
  /// 1920x1080 at 30 frames a second, 4.5 Mbit/s.
  public static let fullHd1080 = BroadcastQuality(
    resolution: .fullHd1080, frameRate: 30, videoBitrate: 4_500_000)
  /// 1920x1080 at 60 frames a second, 6 Mbit/s.
  public static let fullHd1080p60 = BroadcastQuality(
    resolution: .fullHd1080, frameRate: 60, videoBitrate: 6_000_000)
  /// As in Bunny's SDKs: ``fullHd1080``.
  public static let `default` = fullHd1080

  /// The built-in qualities, by their names on the command line.
  public static let presets: [(name: String, quality: BroadcastQuality)] = [
    ("sd480", .sd480), ("hd720", .hd720), ("fullHd1080", .fullHd1080),
    ("fullHd1080p60", .fullHd1080p60),
  ]

  /// This quality, standing the other way round if need be.
  public func oriented(_ orientation: Orientation) -> BroadcastQuality {
    guard orientation == .portrait, resolution.width > resolution.height else { return self }
    var turned = self
    turned.resolution = .custom(width: resolution.height, height: resolution.width)
    return turned
  }

  /// What the encoder is opened with.
  package var videoSettings: VideoEncoder.Settings {
    var settings = VideoEncoder.Settings(
      width: resolution.width, height: resolution.height, frameRate: .frameRate(frameRate),
      bitrate: videoBitrate)
    if let preset = encoder.preset { settings.preset = preset }
    settings.tune = encoder.tune
    settings.profile = encoder.profile
    settings.keyframeSeconds = encoder.keyframeSeconds
    settings.lookahead = encoder.lookahead(at: frameRate)
    settings.bFrames = encoder.bFrames
    settings.references = encoder.references
    settings.threads = encoder.threads
    settings.slicedThreads = encoder.slicedThreads
    settings.bufferSeconds = encoder.bufferSeconds
    settings.filler = encoder.filler
    settings.x264 = encoder.x264
    return settings
  }
}

/// The encoder's own settings. `presets/README.md` explains each.
public struct EncoderTuning: Equatable, Sendable {
  /// x264's preset; nil: as ``BroadcastConfiguration/cpu`` says.
  public var preset: String?
  /// x264's tune; nil for none.
  public var tune: String?
  /// H.264 profile: `baseline`, `main` or `high`.
  public var profile = "high"
  /// Seconds from one keyframe to the next, 0.5 to 10.
  public var keyframeSeconds = 2.0
  /// Pictures that x264 looks ahead, 0 to 60: delay that buys quality. Below 30 pictures a second it is
  /// fewer, for the same delay.
  public var lookahead = 10
  /// B-frames in a row, 0 to 4.
  public var bFrames = 0
  /// Reference pictures, 1 to 16; nil leaves it to the preset.
  public var references: Int?
  /// 0 to 64; 0: one where one core will do, else some that share each picture.
  public var threads = 0
  /// ``threads`` share one picture: no delay, less quality.
  public var slicedThreads = false
  /// Seconds of the bit rate that the rate control may save up, 0.2 to 10.
  public var bufferSeconds = 1.0
  /// Pad an easy picture to the full bit rate.
  public var filler = false
  /// FFmpeg's AAC coder: `twoloop` or `fast`.
  public var aacCoder = "fast"
  /// More of x264's own options, by their names.
  public var x264: [String: String] = [:]

  /// Those of the built-in qualities.
  public init() {}

  fileprivate func lookahead(at framesPerSecond: Double) -> Int {
    Int((Double(lookahead) * min(1, framesPerSecond / 30)).rounded(.up))
  }
}
