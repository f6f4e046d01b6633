/// A pixel format as V4L2 names it: four letters, such as `YUYV`.
public struct FourCC: Hashable, Sendable, CustomStringConvertible {
  /// The first letter is the lowest byte.
  package let code: UInt32

  package init(code: UInt32) { self.code = code }

  /// - Parameter letters: up to four; `Y16` is padded with a space, as V4L2 does.
  package init(_ letters: StaticString) {
    self.init(letters: letters.withUTF8Buffer { Array($0) })
  }

  /// Reads what people write: `YUYV`, `mjpeg`, `yuv420p`; nil for what can be no format.
  public init?(named name: String) {
    if let alias = Self.aliases[name.lowercased()] {
      self = alias
    } else {
      let bytes = Array(name.uppercased().utf8)
      guard (3...4).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        return nil
      }
      self.init(letters: bytes)
    }
  }

  private init(letters: [UInt8]) {
    code = (0..<4).reduce(0) { code, index in
      code | UInt32(index < letters.count ? letters[index] : 0x20) << (8 * UInt32(index))
    }
  }

  private static let aliases: [String: FourCC] = [
    "mjpeg": "MJPG", "yuyv422": "YUYV", "uyvy422": "UYVY", "yuv420p": "YU12", "i420": "YU12",
    "yuv420": "YU12", "gray": "GREY", "y800": "GREY",
  ]

  public var description: String {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0) & 0x7F) }
    let shown = letters.map { $0 < 0x21 || $0 == 0x7F ? " " : Character(UnicodeScalar($0)) }
    let text = String(shown).split(separator: " ", omittingEmptySubsequences: true)
    return text.joined(separator: " ")
  }
}

extension FourCC: ExpressibleByStringLiteral {
  public init(stringLiteral letters: StaticString) { self.init(letters) }
}

extension FourCC {
  /// How much there is to do until the encoder can take it, cheapest first.
  package enum Cost: Int, Comparable, Sendable {
    /// What is passed on as it is.
    case coded
    /// 4:2:0, what the encoder takes.
    case planar
    /// 4:2:2 in one plane.
    case packed
    case jpeg
    /// RGB and the rest of what libswscale reads.
    case other
    /// Brightness only: an infrared or thermal picture.
    case grey

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// nil: it cannot be captured.
  package var cost: Cost? {
    switch self {
    case "NV12", "YU12", "NV21": .planar
    case "YUYV", "UYVY", "YVYU": .packed
    case "MJPG", "JPEG": .jpeg
    case "GREY", "Y16": .grey
    default: ffmpegName == nil ? nil : .other
    }
  }

  package var isJPEG: Bool { cost == .jpeg }

  /// A coded picture other than JPEG, each of which needs those before it.
  package var isCodedVideo: Bool {
    ["H264", "HEVC", "AVC1", "H265", "VP80", "VP90", "MPG4", "MPG2", "XVID"].contains(self)
  }

  /// What a bare sensor delivers: one colour a pixel, nothing corrected.
  package var isBayer: Bool {
    let text = description
    return text.wholeMatch(of: #/[pab][BGgR](AA|CC|EE|A8)/#) != nil
      || text.wholeMatch(of: #/(BG|GB|GR|RG|BA|BD)1[0246]/#) != nil
      || ["BA81", "GBRG", "GRBG", "RGGB", "BYR2"].contains(text)
  }

  /// FFmpeg's name of the same layout in memory; nil for coded pictures, and where it has none.
  package var ffmpegName: String? { Self.layouts[self] }

  /// Red, green and blue: its colours have no matrix, and their range is full.
  package var isRGB: Bool {
    ffmpegName.map { !$0.hasPrefix("y") && !$0.hasPrefix("u") && !$0.hasPrefix("n") } ?? false
      && cost != .grey
  }

  private static let layouts: [FourCC: String] = [
    "NV12": "nv12", "YU12": "yuv420p", "NV21": "nv21", "YUYV": "yuyv422", "UYVY": "uyvy422",
    "YVYU": "yvyu422", "422P": "yuv422p", "NV16": "nv16", "NV24": "nv24", "RGB3": "rgb24",
    "BGR3": "bgr24", "BGR4": "bgr0", "XR24": "bgr0", "AR24": "bgra", "BX24": "0rgb",
    "BA24": "argb", "RGBP": "rgb565le", "RGBR": "rgb565be", "GREY": "gray", "Y16": "gray16le",
  ]
}
