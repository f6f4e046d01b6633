package import BunnyMedia
import Glibc

/// A rectangle of pixels.
package typealias Area = PictureFit.Rectangle

extension Area {
  /// The rectangle between fractions of a `width` times `height` picture, its edges even.
  init(
    of width: Int, _ height: Int, x: ClosedRange<Double>, y: ClosedRange<Double>
  ) {
    let left = even(Double(width) * x.lowerBound)
    let right = even(Double(width) * x.upperBound)
    let top = even(Double(height) * y.lowerBound)
    let bottom = even(Double(height) * y.upperBound)
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The middle of it: what is left when a quarter is taken from each side.
  package var core: Area {
    Area(x: x + width / 4, y: y + height / 4, width: width / 2, height: height / 2)
  }

  /// What of it lies in a plane of that size.
  func clipped(width: Int, height: Int) -> Area {
    let left = min(max(x, 0), width)
    let top = min(max(y, 0), height)
    return Area(
      x: left, y: top, width: max(0, min(x + self.width, width) - left),
      height: max(0, min(y + self.height, height) - top))
  }
}

/// The nearest even number of pixels.
func even(_ value: Double) -> Int { 2 * Int((value / 2).rounded()) }

extension Picture.Plane {
  /// Fills what of `area` lies in this plane.
  func fill(_ area: Area, _ level: UInt8) {
    let area = area.clipped(width: width, height: height)
    guard area.width > 0 else { return }
    for row in area.y..<(area.y + area.height) {
      memset(bytes + row * stride + area.x, Int32(level), area.width)
    }
  }

  /// Copies a plane of the same size.
  func copy(_ other: Picture.Plane) {
    if stride == other.stride {
      memcpy(bytes, other.bytes, stride * (height - 1) + width)
    } else {
      for row in 0..<height {
        memcpy(bytes + row * stride, other.bytes + row * other.stride, width)
      }
    }
  }
}
