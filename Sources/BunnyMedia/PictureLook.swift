import Glibc

/// What some thousand points of a picture say of it.
package struct PictureLook: Equatable, Sendable {
  /// The same for pictures that are the same at all points.
  package let fingerprint: UInt64
  /// From black, 0, to white, 1: the mean.
  package let brightness: Double
  /// The one colour that it has, but for a hundredth of it and some noise; nil: it has several.
  package let colour: PictureColour?

  /// From the darkest to the brightest of what counts: noise of a sensor in the dark, not a wall.
  private static let lumaNoise = 24
  private static let chromaNoise = 16

  /// - Parameters:
  ///   - picture: in the broadcast's own form.
  ///   - area: where it shows something other than bars.
  package init(_ picture: Picture, in area: PictureFit.Rectangle) {
    var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
    let half = PictureFit.Rectangle(
      x: area.x / 2, y: area.y / 2, width: area.width / 2, height: area.height / 2)
    let (y, u, v) = picture.withPlanes { y, u, v in
      (
        Levels(y, area, &fingerprint), Levels(u, half, &fingerprint), Levels(v, half, &fingerprint)
      )
    }
    self.fingerprint = fingerprint
    brightness = min(1, max(0, (y.mean - 16) / 219))
    let isPlain =
      y.spread <= Self.lumaNoise && u.spread <= Self.chromaNoise && v.spread <= Self.chromaNoise
    colour =
      isPlain ? PictureColour(y: y.level(of: 0.5), u: u.level(of: 0.5), v: v.level(of: 0.5)) : nil
  }
}

/// How often each level is met at the points of one plane.
private struct Levels {
  private static let (columns, rows) = (64, 36)
  private var counts = InlineArray<256, Int>(repeating: 0)

  /// - Parameter fingerprint: takes each point in (FNV-1a).
  init(_ plane: Picture.Plane, _ area: PictureFit.Rectangle, _ fingerprint: inout UInt64) {
    for row in 0..<Self.rows {
      let line = area.y + (2 * row + 1) * area.height / (2 * Self.rows)
      let bytes = plane.bytes + line * plane.stride + area.x
      for column in 0..<Self.columns {
        let level = bytes[(2 * column + 1) * area.width / (2 * Self.columns)]
        counts[Int(level)] += 1
        fingerprint = (fingerprint ^ UInt64(level)) &* 0x100_0000_01B3
      }
    }
  }

  var mean: Double {
    let sum = counts.indices.reduce(0) { $0 + $1 * counts[$1] }
    return Double(sum) / Double(Self.columns * Self.rows)
  }

  /// The lowest level that so much of the points does not exceed.
  func level(of share: Double) -> Int {
    var rest = (share * Double(Self.columns * Self.rows)).rounded(.up)
    for level in counts.indices {
      rest -= Double(counts[level])
      if rest <= 0 { return level }
    }
    return 255
  }

  var spread: Int { level(of: 0.995) - level(of: 0.005) }
}

/// A colour of the broadcast's own form: bt709, limited range.
package struct PictureColour: Hashable, Sendable, CustomStringConvertible {
  package let y: Int
  package let u: Int
  package let v: Int

  package init(y: Int, u: Int, v: Int) { (self.y, self.u, self.v) = (y, u, v) }

  /// `black`, or `blue (#0010f0)`.
  package var description: String { isBlack ? "black" : "\(name) (#\(hexadecimal))" }

  private var isGrey: Bool { abs(u - 128) <= 12 && abs(v - 128) <= 12 }
  private var isBlack: Bool { isGrey && y <= 32 }

  private var name: String {
    guard !isGrey else { return y >= 218 ? "white" : "grey" }
    let names = ["red", "yellow", "green", "cyan", "blue", "magenta"]
    return names[Int((hue / 60).rounded()) % 6]
  }

  /// 0 to 255.
  private var rgb: [Int] {
    let (y, u, v) = (Double(y - 16) / 219, Double(u - 128) / 224, Double(v - 128) / 224)
    return [y + 1.5748 * v, y - 0.1873 * u - 0.4681 * v, y + 1.8556 * u].map {
      Int((min(1, max(0, $0)) * 255).rounded())
    }
  }

  /// Degrees, from 0 up to, not including, 360.
  private var hue: Double {
    let (red, green, blue) = (Double(rgb[0]), Double(rgb[1]), Double(rgb[2]))
    let angle = atan2(3.0.squareRoot() * (green - blue), 2 * red - green - blue) * 180 / .pi
    return angle < 0 ? angle + 360 : angle
  }

  private var hexadecimal: String {
    rgb.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Picture {
  /// Whether both show the same, to the bit. Both in the broadcast's own form and size.
  package func isIdentical(to other: Picture) -> Bool {
    withPlanes { y, u, v in
      other.withPlanes { y.isIdentical(to: $0) && u.isIdentical(to: $1) && v.isIdentical(to: $2) }
    }
  }
}

extension Picture.Plane {
  fileprivate func isIdentical(to other: Picture.Plane) -> Bool {
    (0..<height).allSatisfy { row in
      memcmp(bytes + row * stride, other.bytes + row * other.stride, width) == 0
    }
  }
}
