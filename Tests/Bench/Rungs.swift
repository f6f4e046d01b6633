import BunnyBroadcast
import BunnyMedia

/// How others set x264, at one and the same bit rate.
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

  /// - Parameter quality: has the size, the rates and the keyframes.
  func settings(_ quality: BroadcastQuality) -> VideoEncoder.Settings {
    var settings = quality.videoSettings
    (settings.preset, settings.tune, settings.lookahead) = (preset, tune, lookahead)
    (settings.bFrames, settings.slicedThreads, settings.x264) = (bFrames, slicedThreads, x264)
    return settings
  }
}

extension EncoderEffort {
  /// As the product opens x264 for it: one thread where one does, else slices.
  func settings(_ quality: BroadcastQuality) -> VideoEncoder.Settings {
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.threads) = (self, quality.resolution.height > 720 ? 2 : 1)
    return EncodingPlan(quality.videoSettings, [limit]).settings(quality.videoSettings)
  }

  /// In the tables.
  var name: String { "--cpu \(self)" }
}
