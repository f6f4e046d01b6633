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
    picture.withPlanes { y, u, v in
      pool.picture(time: picture.time) { newY, newU, newV in
        for (from, to) in [(y, newY), (u, newU), (v, newV)] { turn(from, into: to) }
      }
    }
  }

  private func turn(_ from: Picture.Plane, into to: Picture.Plane) {
    // A plane that is read upside down is one whose rows lie backwards.
    let first = turn.flipsDown ? to.bytes + (to.height - 1) * to.stride : to.bytes
    let stride = turn.flipsDown ? -to.stride : to.stride
    if turn.isSideways {
      Self.transpose(from, to: first, stride, flipsAcross: turn.flipsAcross)
    } else {
      for row in 0..<from.height {
        let (source, target) = (from.bytes + row * from.stride, first + row * stride)
        if turn.flipsAcross {
          let last = from.width - 1
          for column in 0...last { target[column] = source[last - column] }
        } else {
          target.update(from: source, count: from.width)
        }
      }
    }
  }

  /// Squares of this many samples: what one reads down the columns stays in the cache.
  private static let square = 16

  private static func transpose(
    _ from: Picture.Plane, to first: UnsafeMutablePointer<UInt8>, _ stride: Int, flipsAcross: Bool
  ) {
    // Row `y` of the source becomes column `y`, counted from the right if left and right change places.
    let origin = flipsAcross ? first + (from.height - 1) : first
    let step = flipsAcross ? -1 : 1
    for top in Swift.stride(from: 0, to: from.height, by: square) {
      let rows = top..<min(from.height, top + square)
      for left in Swift.stride(from: 0, to: from.width, by: square) {
        for x in left..<min(from.width, left + square) {
          let target = origin + x * stride
          for y in rows { target[y * step] = from.bytes[y * from.stride + x] }
        }
      }
    }
  }
}
