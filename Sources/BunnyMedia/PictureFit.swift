/// How a picture of one shape fills a frame of another without being distorted.
public struct PictureFit: Equatable, Sendable {
  /// What to do with a shape that is not the frame's.
  public enum Fill: String, Sendable, CaseIterable {
    /// All of the picture, with black bars beside it or above and below.
    case letterbox
    /// All of the frame, with the picture's edges cut off.
    case crop
  }

  /// Pixels. Even in place and size, for 4:2:0.
  public struct Rectangle: Hashable, Sendable {
    /// Of the left edge.
    public var x: Int
    /// Of the upper edge.
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// Which part of the picture is taken.
  public let source: Rectangle
  /// Where in the frame it goes.
  public let target: Rectangle

  init(source: Rectangle, target: Rectangle) {
    self.source = source
    self.target = target
  }

  /// - Parameters:
  ///   - picture: its pixels, and the shape of one of them (width by height; 1 is square).
  ///   - frame: its pixels, which are square.
  public init(
    picture: (width: Int, height: Int, pixelAspect: Double), frame: (width: Int, height: Int),
    fill: Fill
  ) {
    let shown = Double(picture.width) * picture.pixelAspect / Double(picture.height)
    let shape = Double(frame.width) / Double(frame.height)
    var source = Rectangle(x: 0, y: 0, width: picture.width, height: picture.height)
    var target = Rectangle(x: 0, y: 0, width: frame.width, height: frame.height)
    // A difference under one pixel in a thousand is the rounding of sizes (854x480), not a shape.
    let isSameShape = abs(shown / shape - 1) < 0.002
    switch fill {
    case _ where isSameShape: break
    case .letterbox where shown > shape:
      target.height = Self.even(Double(frame.width) / shown, atMost: frame.height)
    case .letterbox:
      target.width = Self.even(Double(frame.height) * shown, atMost: frame.width)
    case .crop where shown > shape:
      source.width = Self.even(Double(picture.width) * shape / shown, atMost: picture.width)
    case .crop:
      source.height = Self.even(Double(picture.height) * shown / shape, atMost: picture.height)
    }
    source.x = (picture.width - source.width) / 4 * 2
    source.y = (picture.height - source.height) / 4 * 2
    target.x = (frame.width - target.width) / 4 * 2
    target.y = (frame.height - target.height) / 4 * 2
    self.source = source
    self.target = target
  }

  /// Every two by two pixels become one.
  var isHalving: Bool {
    source.width == 2 * target.width && source.height == 2 * target.height
  }

  /// By how much the picture may be shrunk before, 1, 2, 4 or 8, so that nothing has to be enlarged then.
  package var divisor: Int {
    var divisor = 8
    while divisor > 1
      && (source.width < divisor * target.width || source.height < divisor * target.height)
    {
      divisor /= 2
    }
    return divisor
  }

  private static func even(_ length: Double, atMost limit: Int) -> Int {
    min(limit, max(2, Int((length / 2).rounded()) * 2))
  }
}
