import BunnyMedia
import BunnySystem
import Support
import Testing

/// In which order a picture is converted, and that it does not matter how its samples lie.
@Suite struct ConversionTests {
  private typealias Planes = (y: [UInt8], u: [UInt8], v: [UInt8])

  private static func order(
    _ picture: (Int, Int), isRead: Bool = true, isColourRight: Bool = false
  ) -> ConversionOrder {
    let fit = PictureFit(
      picture: (picture.0, picture.1, 1), frame: (1280, 720), fill: .letterbox)
    return ConversionOrder(fit, isRead: isRead, isColourRight: isColourRight)
  }

  @Test func `what touches fewer samples comes first`() {
    #expect(Self.order((1280, 720)) == .colours)
    #expect(Self.order((960, 720)) == .colours)
    #expect(Self.order((640, 480)) == .coloursScaled)
    #expect(Self.order((1920, 1080)) == .scaledColours)
    #expect(Self.order((1280, 720), isColourRight: true) == .moved)
    #expect(Self.order((640, 480), isColourRight: true) == .scaled)
    // Only libswscale reads it, and lays it down as it does so.
    #expect(Self.order((1280, 720), isRead: false) == .scaledColours)
    #expect(Self.order((640, 480), isRead: false) == .scaledColours)
    #expect(Self.order((1280, 720), isRead: false, isColourRight: true) == .scaled)
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
