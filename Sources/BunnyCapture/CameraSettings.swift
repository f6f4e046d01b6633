public import BunnyMedia

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
  /// The camera hangs sideways, and ``size`` is that of the broadcast turned back: its picture fills
  /// that so.
  package private(set) var sideways: PictureFit.Fill?
  /// Bit/s, of a camera that codes its picture itself.
  public var bitrate: Int

  public init(width: Int, height: Int, framesPerSecond: Double, bitrate: Int = 0) {
    size = PictureSize(width: width, height: height)
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
  }

  /// What a broadcast of `width` by `height` pixels would like before it is turned.
  public init(
    width: Int, height: Int, framesPerSecond: Double, bitrate: Int = 0, turn: PictureTurn,
    fill: PictureFit.Fill
  ) {
    let before = turn.turnedBack(width: width, height: height)
    self.init(width: before.width, height: before.height, framesPerSecond: framesPerSecond)
    self.bitrate = bitrate
    if turn.isSideways { sideways = fill }
  }

  /// What a camera has to be capable of: they lie, also those that hang sideways.
  var lying: PictureSize {
    guard sideways != nil else { return size }
    return PictureSize(
      width: max(size.width, size.height), height: min(size.width, size.height))
  }

  /// Which part of the broadcast's pixels a picture of `size` has something for: 1 is all, sharp.
  func share(of size: PictureSize) -> Double {
    let frame = (width: self.size.width, height: self.size.height)
    guard let sideways else {
      return min(1, Double(size.width) / Double(frame.width))
        * min(1, Double(size.height) / Double(frame.height))
    }
    let fit = PictureFit(
      picture: (size.width, size.height, pixelAspect: 1), frame: frame, fill: sideways)
    let pixels = min(
      fit.source.width * fit.source.height, fit.target.width * fit.target.height)
    return Double(pixels) / Double(frame.width * frame.height)
  }
}
