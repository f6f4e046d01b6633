import BunnyMedia
import BunnySystem
import CBunnyShims
import Support
import Testing

/// In which order a picture is converted, and that it does not matter how its samples lie.
@Suite struct ConversionTests {
  private typealias Planes = (y: [UInt8], u: [UInt8], v: [UInt8])

  private static func order(
    _ picture: (Int, Int), _ layout: bunny_layout?, isColourRight: Bool = false
  ) -> ConversionOrder {
    let fit = PictureFit(
      picture: (picture.0, picture.1, 1), frame: (1280, 720), fill: .letterbox)
    return ConversionOrder(fit, layout, isColourRight: isColourRight)
  }

  private static let layouts = [
    bunny_layout_420, bunny_layout_422, bunny_layout_nv12, bunny_layout_nv21, bunny_layout_yuyv,
    bunny_layout_uyvy,
  ]

  @Test func `it is scaled when that touches fewer samples`() {
    for layout in Self.layouts {
      #expect(Self.order((1280, 720), layout) == .notScaled)
      #expect(Self.order((960, 720), layout) == .notScaled)
      #expect(Self.order((1280, 720), layout, isColourRight: true) == .notScaled)
      #expect(Self.order((640, 480), layout) == .scaledLast)
      #expect(Self.order((640, 480), layout, isColourRight: true) == .scaledFirst)
      let isHeavy = [bunny_layout_422, bunny_layout_yuyv, bunny_layout_uyvy].contains(layout)
      #expect(Self.order((1920, 1080), layout) == (isHeavy ? .scaledLast : .scaledFirst))
      let isPlain = layout == bunny_layout_420
      #expect(Self.order((2560, 1440), layout) == (isPlain ? .scaledFirst : .scaledLast))
    }
    // Only libswscale reads it, and lays it down as it does so.
    for size in [(1280, 720), (640, 480), (1920, 1080)] {
      #expect(Self.order(size, nil) == .scaledFirst)
    }
  }

  @Test(arguments: [
    ((1280, 720), 1), ((1919, 1080), 1), ((1920, 1080), 1), ((2558, 1440), 1), ((2560, 1440), 2),
    ((3840, 2160), 2), ((5120, 2880), 4), ((10240, 5760), 8), ((16000, 9000), 8), ((640, 360), 1),
  ])
  func `a picture is shrunk while it is decoded as far as nothing is lost`(
    _ picture: (Int, Int), _ divisor: Int
  ) {
    let fit = PictureFit(
      picture: (picture.0, picture.1, 1), frame: (1280, 720), fill: .letterbox)
    #expect(fit.divisor == divisor)
  }

  private static let (width, height) = (70, 38)

  /// Noise, the chroma of two rows alike where there is one for each.
  private static func noise() -> Planes {
    var dice = Dice(seed: 422)
    func plane(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
    }
    let pairs = width * height / 4
    return (plane(width * height), plane(pairs), plane(pairs))
  }

  private static func bytes(_ planes: Planes, as format: String) -> [UInt8] {
    let pairs = width / 2
    func doubled(_ plane: [UInt8]) -> [UInt8] {
      var rows: [UInt8] = []
      for row in 0..<height {
        let start = row / 2 * pairs
        rows += plane[start..<(start + pairs)]
      }
      return rows
    }
    func packed(_ pixels: (_ y: Int, _ pair: Int) -> [UInt8]) -> [UInt8] {
      var rows: [UInt8] = []
      for row in 0..<height {
        for pair in 0..<pairs { rows += pixels(row * width + 2 * pair, row / 2 * pairs + pair) }
      }
      return rows
    }
    let (y, u, v) = planes
    switch format {
    case "yuv420p": return y + u + v
    case "yuv422p": return y + doubled(u) + doubled(v)
    case "nv12": return y + zip(u, v).flatMap { [$0, $1] }
    case "nv21": return y + zip(u, v).flatMap { [$1, $0] }
    case "yuyv422": return packed { [y[$0], u[$1], y[$0 + 1], v[$1]] }
    default: return packed { [u[$1], y[$0], v[$1], y[$0 + 1]] }
    }
  }

  private static func converted(
    _ planes: Planes, _ format: String, _ colour: FrameColour, to size: (Int, Int),
    _ fill: PictureFit.Fill
  ) throws -> [UInt8] {
    var bytes = bytes(planes, as: format)
    let form = FrameForm(format, width: width, height: height, colour)
    let picture = try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))
    let converter = PictureConverter(width: size.0, height: size.1, fill: fill)
    return Array(try converter.convert(picture).rawBytes)
  }

  private static let formats = ["yuv422p", "nv12", "nv21", "yuyv422", "uyvy422"]

  @Test(arguments: formats, [FrameColour(.bt709, isFullRange: false), .jpeg])
  func `however its samples lie, the same picture comes of them`(
    _ format: String, _ colour: FrameColour
  ) throws {
    let noise = Self.noise()
    // As large as it is; its middle; with bars beside it; with bars above and below.
    let cases: [((Int, Int), PictureFit.Fill)] = [
      ((70, 38), .letterbox), ((38, 38), .crop), ((100, 38), .letterbox), ((70, 60), .letterbox),
    ]
    for (size, fill) in cases {
      let wanted = try Self.converted(noise, "yuv420p", colour, to: size, fill)
      let made = try Self.converted(noise, format, colour, to: size, fill)
      #expect(made == wanted, "\(size) \(fill)")
    }
  }

  @Test func `samples that are right already are moved, not changed`() throws {
    let noise = Self.noise()
    let colour = FrameColour(.bt709, isFullRange: false)
    for format in Self.formats {
      let made = try Self.converted(noise, format, colour, to: (70, 38), .letterbox)
      #expect(made == noise.y + noise.u + noise.v, "\(format)")
    }
  }
}
