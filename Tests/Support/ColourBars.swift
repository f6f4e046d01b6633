package import BunnyMedia
import BunnySystem

/// Upright bars of known colours, 64 pixels wide each, as cameras deliver them.
package struct ColourBars: Sendable {
  /// 0 to 255 each.
  package typealias Levels = (y: Double, u: Double, v: Double)

  /// Red, green and blue, 0 to 1: 75 % bars, then what lies between.
  private static let colours: [(r: Double, g: Double, b: Double)] = [
    (0.75, 0.75, 0.75), (0.75, 0.75, 0), (0, 0.75, 0.75), (0, 0.75, 0), (0.75, 0, 0.75),
    (0.75, 0, 0), (0, 0, 0.75), (0, 0, 0), (0.8, 0.6, 0.5), (0.25, 0.35, 0.6),
  ]
  private static let barWidth = 64
  package static let width = colours.count * barWidth
  package static let height = width * 9 / 16

  private static let bt601 = (r: 0.299, b: 0.114)
  private static let bt709 = (r: 0.2126, b: 0.0722)

  private let weights: (r: Double, b: Double)
  private let isFullRange: Bool
  /// What each bar is delivered as.
  private let delivered: [(y: UInt8, u: UInt8, v: UInt8)]

  package init(_ matrix: FrameColour.Matrix, isFullRange: Bool) {
    let weights = matrix == .bt709 ? Self.bt709 : Self.bt601
    (self.weights, self.isFullRange) = (weights, isFullRange)
    delivered = Self.colours.map { colour in
      let luma =
        weights.r * colour.r + (1 - weights.r - weights.b) * colour.g + weights.b * colour.b
      let (scale, zero, reach) = isFullRange ? (255.0, 0.0, 255.0) : (219, 16, 224)
      func level(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
      return (
        level(zero + scale * luma),
        level(128 + reach * (colour.b - luma) / (2 - 2 * weights.b)),
        level(128 + reach * (colour.r - luma) / (2 - 2 * weights.r))
      )
    }
  }

  private func bar(_ x: Int) -> (y: UInt8, u: UInt8, v: UInt8) { delivered[x / Self.barWidth] }

  /// Packed 4:2:2.
  package var yuyv: [UInt8] {
    let row = stride(from: 0, to: Self.width, by: 2).flatMap { x in
      let bar = bar(x)
      return [bar.y, bar.u, bar.y, bar.v]
    }
    return (0..<Self.height).flatMap { _ in row }
  }

  /// 4:2:0 with the chroma of a pixel side by side.
  package var nv12: [UInt8] {
    let luma = (0..<Self.width).map { bar($0).y }
    let chroma = stride(from: 0, to: Self.width, by: 2).flatMap { [bar($0).u, bar($0).v] }
    return (0..<Self.height).flatMap { _ in luma } + (0..<(Self.height / 2)).flatMap { _ in chroma }
  }

  /// 4:2:0 in three planes.
  package var planar: Picture {
    PicturePool(width: Self.width, height: Self.height).picture(time: .now) { y, u, v in
      for row in 0..<y.height {
        for x in 0..<y.width { y.bytes[row * y.stride + x] = bar(x).y }
      }
      for row in 0..<u.height {
        for x in 0..<u.width {
          (u.bytes[row * u.stride + x], v.bytes[row * v.stride + x]) = (bar(2 * x).u, bar(2 * x).v)
        }
      }
    }
  }

  /// What each bar is in the broadcast, BT.709 limited, as BT.601 and BT.709 define it.
  private var expected: [Levels] {
    delivered.map { bar in
      let (scale, zero, reach) = isFullRange ? (255.0, 0.0, 255.0) : (219, 16, 224)
      let luma = (Double(bar.y) - zero) / scale
      let blue = luma + (Double(bar.u) - 128) / reach * (2 - 2 * weights.b)
      let red = luma + (Double(bar.v) - 128) / reach * (2 - 2 * weights.r)
      let green = (luma - weights.r * red - weights.b * blue) / (1 - weights.r - weights.b)
      let new = Self.bt709
      let shown = new.r * red + (1 - new.r - new.b) * green + new.b * blue
      return (
        16 + 219 * shown, 128 + 224 * (blue - shown) / (2 - 2 * new.b),
        128 + 224 * (red - shown) / (2 - 2 * new.r)
      )
    }
  }

  /// How far a broadcast's picture of them is off, in levels: the worst of all samples that no edge
  /// is near.
  ///
  /// - Parameter picture: 4:2:0, ``width`` times ``height``.
  package func error(of picture: Picture) -> Double {
    picture.withPlanes { y, u, v in
      expected.indices.reduce(0) { worst, index in
        let left = index * Self.barWidth
        let wanted = expected[index]
        func error(_ plane: Picture.Plane, _ wanted: Double, _ columns: Range<Int>) -> Double {
          (4..<(plane.height - 4)).reduce(0) { worst, row in
            columns.reduce(worst) {
              max($0, abs(Double(plane.bytes[row * plane.stride + $1]) - wanted))
            }
          }
        }
        let chroma = (left / 2 + 8)..<((left + Self.barWidth) / 2 - 8)
        return [
          worst, error(y, wanted.y, (left + 16)..<(left + Self.barWidth - 16)),
          error(u, wanted.u, chroma), error(v, wanted.v, chroma),
        ].max()!
      }
    }
  }
}
