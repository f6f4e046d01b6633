import BunnyBroadcast
import BunnyMedia

/// Ways to set x264 at one and the same bit rate.
struct Rung {
  let name: String
  private let preset: String
  private let tune: String?
  private let lookahead: Int
  private let bFrames: Int
  private let slicedThreads: Bool
  /// Over `preset`, by x264's names.
  private let x264: [String: String]

  private init(
    name: String, preset: String, tune: String? = nil, lookahead: Int = 10, bFrames: Int = 0,
    slicedThreads: Bool = false, x264: [String: String] = [:]
  ) {
    (self.name, self.preset, self.tune, self.lookahead) = (name, preset, tune, lookahead)
    (self.bFrames, self.slicedThreads, self.x264) = (bFrames, slicedThreads, x264)
  }

  /// What most ffmpeg command lines say. x264 shares a picture among its threads then.
  static let common = Self(
    name: "-preset veryfast -tune zerolatency", preset: "veryfast", tune: "zerolatency",
    lookahead: 0, slicedThreads: true, x264: ["scenecut": "40"])

  /// OBS Studio's own settings: x264's defaults of `veryfast`, three B-frames among them.
  static let obs = Self(
    name: "OBS's default", preset: "veryfast", bFrames: 3,
    x264: ["scenecut": "40", "force-cfr": "0"])

  /// From the least processor time to the best picture.
  static let ladder = [
    Self("lightest", "ultrafast", ["aq-mode": "1"]),
    Self("lighter", "ultrafast", ["aq-mode": "1", "cabac": "1", "8x8dct": "1", "deblock": "0,0"]),
    Self("light", "superfast", ["partitions": "i8x8"]),
    Self("medium", "superfast", ["partitions": "i8x8", "trellis": "1"]),
    Self("good", "superfast", ["partitions": "i8x8", "subme": "2", "trellis": "1"]),
    Self(
      "better", "veryfast",
      ["partitions": "i8x8,p8x8", "me": "dia", "subme": "3", "trellis": "1"]),
    Self("best", "veryfast", ["partitions": "i8x8,p8x8", "subme": "4", "trellis": "1"]),
  ]

  /// Of the ladder. The quick presets leave out the tree of macroblocks, by which a look-ahead pays most.
  private init(_ name: String, _ preset: String, _ more: [String: String]) {
    self.init(
      name: name, preset: preset, x264: ["mbtree": "1", "weightp": "0"].merging(more) { $1 })
  }

  /// - Parameter quality: has the size, the rates and the keyframes.
  func settings(_ quality: BroadcastQuality) -> VideoEncoder.Settings {
    var settings = quality.videoSettings
    (settings.preset, settings.tune, settings.lookahead) = (preset, tune, lookahead)
    (settings.bFrames, settings.slicedThreads, settings.x264) = (bFrames, slicedThreads, x264)
    return settings
  }
}
