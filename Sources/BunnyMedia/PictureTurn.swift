import BunnySystem
import CBunnyFFmpeg
import CBunnyYUV

/// How a picture is turned before it is broadcast: first clockwise, then, what is upright by then,
/// mirrored.
public struct PictureTurn: Hashable, Sendable {
  /// Degrees, clockwise.
  public enum Rotation: Int, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  public var rotation: Rotation
  /// Left and right change places, as viewers see them.
  public var isMirrored: Bool

  public init(_ rotation: Rotation = .none, isMirrored: Bool = false) {
    self.rotation = rotation
    self.isMirrored = isMirrored
  }

  /// As it is.
  public static let none = PictureTurn()

  /// Rows become columns: width and height change places.
  public var isSideways: Bool { rotation == .quarter || rotation == .threeQuarters }

  /// The size, in pixels, that is `width` by `height` once it is turned.
  public func turnedBack(width: Int, height: Int) -> (width: Int, height: Int) {
    isSideways ? (height, width) : (width, height)
  }

  /// Where a part of a picture of that size is once it is turned.
  func turned(
    _ part: PictureFit.Rectangle, of size: (width: Int, height: Int)
  ) -> PictureFit.Rectangle {
    let (x, y) = isSideways ? (part.y, part.x) : (part.x, part.y)
    let (width, height) = turnedBack(width: part.width, height: part.height)
    let whole = turnedBack(width: size.width, height: size.height)
    return PictureFit.Rectangle(
      x: flipsAcross ? whole.width - x - width : x, y: flipsDown ? whole.height - y - height : y,
      width: width, height: height)
  }

  // Every turn is: rows become columns or not, then left to right or not, then upside down or not.

  /// Left and right change places, after rows have become columns.
  var flipsAcross: Bool { (rotation == .quarter || rotation == .half) != isMirrored }
  /// Top and bottom change places.
  var flipsDown: Bool { rotation == .half || rotation == .threeQuarters }
}

/// Turns pictures in the broadcast's form. Belongs to one thread.
///
/// Planes are turned as they are, sample for sample: like libswscale, it takes chroma to lie in the
/// middle of its four pixels.
final class PictureTurner {
  private let turn: PictureTurn
  private let pool: PicturePool

  /// - Parameters:
  ///   - width: pixels of what comes out, even.
  ///   - height: pixels of what comes out, even.
  init(_ turn: PictureTurn, width: Int, height: Int) {
    self.turn = turn
    pool = PicturePool(width: width, height: height)
  }

  /// - Parameter picture: 8-bit 4:2:0, of the size that becomes ours by turning.
  func turned(_ picture: Picture) -> Picture {
    let turned = next(at: picture.time)
    for index in 0..<3 { turn(picture.raw.plane(index), into: turned.raw.plane(index)) }
    return turned
  }

  /// A picture that is still to be drawn.
  func next(at time: MonotonicTime) -> Picture { pool.next(at: time) }

  /// Turns a part of a picture.
  ///
  /// - Parameters:
  ///   - band: has it at its top left.
  ///   - part: where it is in the whole.
  ///   - size: pixels of the whole, which becomes `turned`.
  func turn(
    _ band: UnsafeMutablePointer<AVFrame>, _ part: PictureFit.Rectangle,
    of size: (width: Int, height: Int), into turned: Picture
  ) {
    let place = turn.turned(part, of: size)
    for index in 0..<3 {
      turn(
        band.plane(index).part(part.atOrigin, index),
        into: turned.raw.plane(index).part(place, index))
    }
  }

  private func turn(_ from: Picture.Plane, into to: Picture.Plane) {
    // libyuv reads a plane of negative height upside down.
    let isUpsideDown = turn.isMirrored && turn.rotation != .none
    let (width, height) = (Int32(from.width), Int32(from.height) * (isUpsideDown ? -1 : 1))
    let (fromStride, toStride) = (Int32(from.stride), Int32(to.stride))
    switch turn.rotation {
    case .none:
      MirrorPlane(from.bytes, fromStride, to.bytes, toStride, width, height)
    case .half where turn.isMirrored:
      CopyPlane(from.bytes, fromStride, to.bytes, toStride, width, height)
    case .quarter, .half, .threeQuarters:
      let mode = RotationMode(rawValue: UInt32(turn.rotation.rawValue))
      RotatePlane(from.bytes, fromStride, to.bytes, toStride, width, height, mode)
    }
  }
}

extension Picture.Plane {
  /// What it has of a part of its picture, which is even.
  fileprivate func part(_ part: PictureFit.Rectangle, _ index: Int) -> Self {
    let scale = index == 0 ? 1 : 2
    return Picture.Plane(
      bytes: bytes + part.y / scale * stride + part.x / scale, stride: stride,
      width: part.width / scale, height: part.height / scale)
  }
}
