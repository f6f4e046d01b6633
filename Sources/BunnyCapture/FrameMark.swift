public import BunnyMedia

/// What a test picture says about itself to machines: which frame it is, and when it was made.
///
/// One row of 92 black and white blocks over the full width, in the bottom sixteenth of the picture
/// (from 15/16 of its height down to its end). It survives H.264 at low rates and scaling down to
/// 240 lines. Block `i` reaches from `i * width / 92` to `(i + 1) * width / 92`; white is luma 235,
/// black is 16, chroma is neutral. From left to right, each number's most significant bit first,
/// white being 1:
///
/// | blocks | hold |
/// | --- | --- |
/// | 2 | a marker: white, black |
/// | 30 | ``number``: at 60 frames a second it starts again after 207 days |
/// | 42 | ``milliseconds``: enough until the year 2109 |
/// | 16 | the check sum |
/// | 2 | a marker: black, white |
///
/// The check sum is CRC-16/CCITT-FALSE (polynomial 0x1021, starting at 0xFFFF, not reflected, not
/// inverted; 0x29B1 for the ASCII text `123456789`) of the 72 bits before it as 9 bytes.
public struct FrameMark: Hashable, Sendable {
  /// Which frame this is, counted from 0.
  public let number: UInt32
  /// When it was made, in UNIX time.
  public let milliseconds: UInt64

  /// - Parameters:
  ///   - number: its lower 30 bits count.
  ///   - milliseconds: UNIX time; its lower 42 bits count.
  public init(number: UInt32, milliseconds: UInt64) {
    self.number = number & (1 << 30 - 1)
    self.milliseconds = milliseconds & (1 << 42 - 1)
  }

  /// How many frames later `later` is, also where ``number`` starts again.
  public static func - (later: FrameMark, earlier: FrameMark) -> Int {
    let steps = Int(later.number) - Int(earlier.number)
    let round = 1 << 30
    return ((steps + 3 * round / 2) % round) - round / 2
  }
}

// MARK: Drawing

extension FrameMark {
  static let blocks = 92
  static let white: UInt8 = 235
  static let black: UInt8 = 16

  /// Draws the row into a picture's luma plane of any size.
  public func draw(into luma: Picture.Plane) {
    let area = Self.area(width: luma.width, height: luma.height)
    let bits = self.bits
    for block in 0..<Self.blocks {
      let columns = Self.columns(of: block, width: luma.width)
      luma.fill(
        Area(x: columns.lowerBound, y: area.y, width: columns.count, height: area.height),
        bits >> (Self.blocks - 1 - block) & 1 == 1 ? Self.white : Self.black)
    }
  }

  /// Where the row lies in a picture of `width` times `height` pixels.
  package static func area(width: Int, height: Int) -> Area {
    let top = height * 15 / 16
    return Area(x: 0, y: top, width: width, height: height - top)
  }

  private static func columns(of block: Int, width: Int) -> Range<Int> {
    block * width / blocks..<(block + 1) * width / blocks
  }

  /// The blocks from left to right, the last one lowest.
  private var bits: UInt128 {
    let payload = UInt128(number) << 42 | UInt128(milliseconds)
    let bytes = (0..<9).lazy.map { UInt8(truncatingIfNeeded: payload >> (64 - 8 * $0)) }
    return 0b10 << 90 | payload << 18 | UInt128(Self.checksum(bytes)) << 2 | 0b01
  }

  /// CRC-16/CCITT-FALSE.
  package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var sum: UInt16 = 0xFFFF
    for byte in bytes {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }
    return sum
  }
}

// MARK: Reading

extension FrameMark {
  /// Reads the row from the luma plane of a decoded picture of any size. Looks at the blocks'
  /// centres only, so it costs microseconds.
  ///
  /// - Returns: nil when there is no row, or it cannot be read for certain.
  public static func read(from luma: Picture.Plane) -> FrameMark? {
    guard luma.width >= blocks, luma.height >= 16 else { return nil }
    let levels = blockLevels(of: luma)
    let white = min(levels[0], levels[blocks - 1])
    let black = max(levels[1], levels[blocks - 2])
    guard white - black >= 40 else { return nil }
    let threshold = (white + black) / 2
    return FrameMark(bits: levels[2..<(blocks - 2)].map { $0 > threshold })
  }

  /// The mean of a few pixels around each block's centre.
  private static func blockLevels(of luma: Picture.Plane) -> [Int] {
    let area = area(width: luma.width, height: luma.height)
    let rows = [3, 4, 5].map { area.y + area.height * $0 / 8 }
    let reach = luma.width / blocks / 6
    return (0..<blocks).map { block in
      let columns = columns(of: block, width: luma.width)
      let centre = (columns.lowerBound + columns.upperBound) / 2
      var sum = 0
      for row in rows {
        let line = luma.bytes + row * luma.stride + centre
        sum += Int(line[-reach]) + Int(line[0]) + Int(line[reach])
      }
      return sum / (3 * rows.count)
    }
  }

  /// - Parameter bits: the 88 between the markers.
  private init?(bits: [Bool]) {
    let bytes = (0..<11).map { byte in
      bits[(8 * byte)..<(8 * byte + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    let sum = UInt16(bytes[9]) << 8 | UInt16(bytes[10])
    guard Self.checksum(bytes[..<9]) == sum else { return nil }
    let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(number: UInt32(high >> 34), milliseconds: high << 8 | UInt64(bytes[8]))
  }
}
