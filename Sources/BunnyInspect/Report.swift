/// What ``inspect(_:secondsLimit:interrupter:)`` found out about a recording or a live stream.
///
/// Times are in seconds of the container's own timeline where a field does not say otherwise.
public struct Report: Codable, Equatable, Sendable {
  /// Of this report's format. Fields may be added without a new one.
  public var version = 1
  /// What was read; stream keys, passwords and queries are left out.
  public var source: String
  /// FFmpeg's name of the container format.
  public var format: String
  /// From the first frame of any track to the end of the last.
  public var seconds: Double
  /// What the longest track of the container claims; nil when it claims nothing.
  public var containerSeconds: Double?
  /// It was read from an address, so ``TestPictureReport/delay`` counts from when it was received.
  public var isLive: Bool
  public var video: VideoReport?
  public var audio: AudioReport?
  /// Packets that came although the other track was already further on, by dts.
  public var interleaving: Interleaving
  /// nil when the picture is not this product's test picture.
  public var testPicture: TestPictureReport?
  /// Why reading stopped before the end; nil when it did not.
  public var readError: String?
  /// A sentence each for what a person should look at. Empty when all is well.
  public var problems: [String] = []

  public struct Interleaving: Codable, Equatable, Sendable {
    /// Packets with a lower dts than one before them, of either track.
    public var stepsBack: Int
    /// The largest of these steps, in milliseconds.
    public var largestStepBack: Double
  }
}

/// What the packets of a track say.
public struct PacketReport: Codable, Equatable, Sendable {
  public var count: Int
  public var bytes: Int
  /// The lowest pts; nil when no packet has one.
  public var firstPts: Double?
  /// From ``firstPts`` to the end of the last packet.
  public var seconds: Double
  /// Packets without dts or pts.
  public var withoutTime: Int
  /// Packets whose dts does not lie after the one before.
  public var dtsNotRising: Int
  /// Packets whose pts a packet shortly before had as well.
  public var ptsTwice: Int
  /// bit/s of each second, counted by dts from the first packet. The last may be a part of one.
  public var bitratePerSecond: [Int]
  /// bit/s over the whole.
  public var meanBitrate: Int
  /// bit/s of the emptiest and the fullest 5 s, moved in steps of 0.1 s; nil for less than 5 s.
  public var lowestBitrate: Int?
  public var highestBitrate: Int?
}

public struct VideoReport: Codable, Equatable, Sendable {
  /// FFmpeg's name: `h264` …
  public var codec: String
  public var profile: String?
  /// 31 is H.264's 3.1.
  public var level: Int?
  /// Pixels.
  public var width: Int
  public var height: Int
  /// Width of a pixel by its height, `1:1` for square ones; nil when not known.
  public var sampleAspect: String?
  public var pixelFormat: String?
  /// `tv` is limited, `pc` full range.
  public var colourRange: String
  public var colourSpace: String
  public var colourPrimaries: String
  public var colourTransfer: String
  public var packets: PacketReport
  /// Pictures that came out of the decoder.
  public var frames: Int
  /// Frames a second, measured from first to last pts; 0 for less than two frames.
  public var frameRate: Double
  public var hasBFrames: Bool
  public var isInterlaced: Bool
  /// From each keyframe to the next, and seconds of pts between them.
  public var keyframeFrames: [Int]
  public var keyframeSeconds: [Double]
  /// The first packet is a keyframe.
  public var startsWithKeyframe: Bool
  /// Packets that were refused, or frames that came out broken.
  public var decodeErrors: Int
  /// All samples of the picture nearly black (mean luma at most 20, none over 48) for 0.5 s.
  public var black: [Stretch]
  /// Not black, and the same as the frame before (mean difference of luma under 0.25) for 0.5 s.
  /// Stills that follow one another within 0.1 s count as one.
  public var frozen: [Stretch]
}

public struct AudioReport: Codable, Equatable, Sendable {
  public var codec: String
  public var profile: String?
  /// Samples a second.
  public var sampleRate: Int
  public var channels: Int
  public var packets: PacketReport
  public var decodeErrors: Int
  /// Places where more than 5 ms are missing, or are there twice, by pts against sample count.
  public var gaps: Int
  /// The largest of all steps, in milliseconds: positive for missing sound, negative for an overlap.
  public var largestGap: Double
  /// How much longer the pts make the track than its sample count does, in milliseconds.
  public var drift: Double
  /// Quieter than -60 dBFS (RMS of 10 ms) for 1 s.
  public var silent: [Stretch]
}

/// A part of a recording.
public struct Stretch: Codable, Equatable, Sendable {
  public var start: Double
  /// Seconds.
  public var length: Double

  public init(start: Double, length: Double) {
    self.start = start
    self.length = length
  }
}

/// The lowest, middle and highest of many values.
public struct Spread: Codable, Equatable, Sendable {
  public var min: Double
  public var median: Double
  public var max: Double
}

/// What this product's own test picture and tone tell.
public struct TestPictureReport: Codable, Equatable, Sendable {
  /// Frames whose mark was read, and those where it could not be.
  public var framesRead: Int
  public var unreadable: Int
  /// The numbers of the first and the last frame.
  public var firstNumber: Int
  public var lastNumber: Int
  /// Numbers that never came.
  public var lost: Int
  /// Frames whose number had been there before.
  public var shownTwice: Int
  /// Frames that came after one with a higher number.
  public var outOfOrder: Int
  /// How often counting began anew: the source was started again.
  public var restarts: Int
  /// Milliseconds of pts a step of the frame number takes; nil for less than two frames.
  public var spacing: Spread?
  /// Milliseconds from the making of a frame to its reception; nil for recordings.
  public var delay: Spread?
  /// How far pts ran away from the time the frames were made, in milliseconds: the last frame's
  /// against the first's, and the extremes.
  public var drift: Drift
  /// How far the colour bars are from what was drawn: levels, the largest of Y, U and V of any bar.
  public var colourError: Double
  /// One for each beep that has a flash within half a second.
  public var beeps: [Beep]
  /// The largest ``Beep/offset``, either way, in milliseconds; nil without any.
  public var largestOffset: Double?

  public struct Drift: Codable, Equatable, Sendable {
    public var last: Double
    public var min: Double
    public var max: Double
  }

  public struct Beep: Codable, Equatable, Sendable {
    /// Where the flash begins.
    public var second: Double
    /// Milliseconds from the flash's beginning to the beep's: positive when the sound is late.
    public var offset: Double
  }
}
