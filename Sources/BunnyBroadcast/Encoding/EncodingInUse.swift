import BunnyMedia

/// How the picture is encoded at one moment: the quality, less what the network and the processor cannot carry.
public struct EncodingInUse: Sendable, Codable, Equatable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Pictures a second.
  public var frameRate: Double
  /// FFmpeg's name of what encodes: `libx264`.
  public var encoder: String
  /// Of ``EncoderEffort``, by name; nil: the quality file's own preset, or an encoder in hardware.
  public var effort: String?
  /// Of the encoder; 0: it decides.
  public var threads: Int

  /// As its properties say.
  public init(
    width: Int, height: Int, frameRate: Double, encoder: String, effort: String? = nil,
    threads: Int
  ) {
    (self.width, self.height, self.frameRate) = (width, height, frameRate)
    (self.encoder, self.effort, self.threads) = (encoder, effort, threads)
  }

  init(_ settings: VideoEncoder.Settings, _ plan: EncodingPlan) {
    self.init(
      width: settings.width, height: settings.height, frameRate: settings.frameRate.value,
      encoder: settings.kind.rawValue,
      effort: settings.kind == .x264 ? plan.effort.map { "\($0)" } : nil,
      threads: settings.threads)
  }
}
