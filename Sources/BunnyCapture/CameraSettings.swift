/// What is asked of a camera beyond which one it is. What is nil it chooses itself.
public struct CameraSettings: Equatable, Sendable {
  /// How its samples are to be understood.
  public enum Range: String, CaseIterable, Sendable {
    /// As the driver says.
    case auto
    /// 16 to 235.
    case limited
    /// 0 to 255: what many webcams deliver while they say that it is limited.
    case full
  }

  /// One of its controls, set each time it is opened.
  public struct Control: Equatable, Sendable {
    /// As `v4l2-ctl --list-ctrls` writes it.
    public var name: String
    public var value: Int32

    public init(name: String, value: Int32) {
      self.name = name
      self.value = value
    }
  }

  public var format: FourCC?
  /// Pixels.
  public var size: PictureSize?
  public var framesPerSecond: Double?
  public var range = Range.auto
  public var controls: [Control] = []
  /// The H.264 that it codes itself is wanted as it is, where it has any.
  public var passthrough = false

  public init() {}
}

/// Pixels.
public struct PictureSize: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var description: String { "\(width)x\(height)" }
}

/// The picture that a broadcast would like to be given.
public struct WantedPicture: Equatable, Sendable {
  public var size: PictureSize
  public var framesPerSecond: Double
  /// Bit/s, of a camera that codes its picture itself.
  public var bitrate: Int

  public init(width: Int, height: Int, framesPerSecond: Double, bitrate: Int = 0) {
    size = PictureSize(width: width, height: height)
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
  }
}
