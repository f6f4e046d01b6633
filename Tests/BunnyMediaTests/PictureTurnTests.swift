import BunnyMedia
import BunnySystem
import Testing

/// A chart in which every sample says where it was, in luma and in both chromas.
@Suite struct PictureTurnTests {
  static let turns = PictureTurn.Rotation.allCases.flatMap { rotation in
    [false, true].map { PictureTurn(rotation, isMirrored: $0) }
  }

  /// Three planes, row by row.
  private typealias Samples = [[[UInt8]]]

  private static func chart(width: Int, height: Int) -> (Picture, Samples) {
    let planes = [(width, height, 17), (width / 2, height / 2, 29), (width / 2, height / 2, 43)]
    let samples = planes.map { width, height, factor in
      (0..<height).map { y in (0..<width).map { x in UInt8(16 + (x + y * width) * factor % 220) } }
    }
    let picture = PicturePool(width: width, height: height).picture(
      time: MonotonicTime(nanoseconds: 7)
    ) { y, u, v in
      for (plane, rows) in zip([y, u, v], samples) {
        for (row, line) in rows.enumerated() {
          for (column, sample) in line.enumerated() {
            plane.bytes[row * plane.stride + column] = sample
          }
        }
      }
    }
    return (picture, samples)
  }

  private static func samples(_ picture: Picture) -> Samples {
    picture.withPlanes { y, u, v in
      [y, u, v].map { plane in
        (0..<plane.height).map { row in
          (0..<plane.width).map { plane.bytes[row * plane.stride + $0] }
        }
      }
    }
  }

  /// Turned the slow way, a quarter at a time.
  private static func turned(_ plane: [[UInt8]], _ turn: PictureTurn) -> [[UInt8]] {
    var plane = plane
    for _ in 0..<(turn.rotation.rawValue / 90) {
      let before = plane
      plane = before[0].indices.map { x in before.indices.reversed().map { before[$0][x] } }
    }
    return turn.isMirrored ? plane.map { $0.reversed() } : plane
  }

  @Test(arguments: turns)
  func `every sample of luma and chroma goes where it belongs`(_ turn: PictureTurn) throws {
    // No multiple of the squares that are turned at a time, nor of each other.
    let (picture, samples) = Self.chart(width: 70, height: 38)
    let size = turn.isSideways ? (38, 70) : (70, 38)
    let converter = PictureConverter(width: size.0, height: size.1, fill: .letterbox)
    let result = try converter.convert(picture, turned: turn)
    #expect(result.width == size.0 && result.height == size.1 && result.time == picture.time)
    #expect(Self.samples(result) == samples.map { Self.turned($0, turn) })
  }

  /// Of the formats that are converted and turned in one go, with bars and without.
  @Test(arguments: turns)
  func `converted and turned at once it is to the bit what it is one after the other`(
    _ turn: PictureTurn
  ) throws {
    for (format, bits) in [("yuyv422", 16), ("yuv422p", 16), ("nv12", 12), ("yuv420p", 12)] {
      for colour in [FrameColour(.bt709, isFullRange: false), .jpeg] {
        // Three bands, the last one short.
        let form = FrameForm(format, width: 86, height: 150, colour)
        var bytes = (0..<(86 * 150 * bits / 8)).map { UInt8(truncatingIfNeeded: $0 * 37 >> 3) }
        let picture = try #require(Picture.copied(&bytes, count: bytes.count, form, time: .now))
        for frame in [(86, 150), (120, 150), (86, 170)] {
          let size = turn.isSideways ? (frame.1, frame.0) : frame
          let atOnce = PictureConverter(width: size.0, height: size.1, fill: .letterbox)
          let (first, then) = (
            PictureConverter(width: frame.0, height: frame.1, fill: .letterbox),
            PictureConverter(width: size.0, height: size.1, fill: .letterbox)
          )
          let one = Self.samples(try atOnce.convert(picture, turned: turn))
          let other = Self.samples(try then.convert(try first.convert(picture), turned: turn))
          #expect(one == other, "\(format), \(colour), \(frame)")
        }
      }
    }
  }

  @Test func `first it is turned clockwise, then left and right change places`() throws {
    // Of four quarters, dark to bright, the top left one ends up here.
    let corners: [(PictureTurn, Int)] = [
      (PictureTurn(), 0), (PictureTurn(.quarter), 1), (PictureTurn(.half), 3),
      (PictureTurn(.threeQuarters), 2), (PictureTurn(isMirrored: true), 1),
      (PictureTurn(.quarter, isMirrored: true), 0), (PictureTurn(.half, isMirrored: true), 2),
      (PictureTurn(.threeQuarters, isMirrored: true), 3),
    ]
    let picture = PicturePool(width: 64, height: 64).picture(time: .now) { y, u, v in
      for plane in [u, v] {
        for byte in 0..<(plane.stride * plane.height) { plane.bytes[byte] = 128 }
      }
      for row in 0..<64 {
        for column in 0..<64 {
          y.bytes[row * y.stride + column] = row < 32 && column < 32 ? 200 : 50
        }
      }
    }
    let converter = PictureConverter(width: 64, height: 64, fill: .letterbox)
    for (turn, corner) in corners {
      let luma = Self.samples(try converter.convert(picture, turned: turn))[0]
      let bright = [(0, 0), (0, 63), (63, 0), (63, 63)].map { luma[$0.0][$0.1] > 100 }
      #expect(bright.firstIndex(of: true) == corner, "\(turn)")
    }
  }

  @Test(arguments: turns)
  func `bars are where the turned picture leaves room`(_ turn: PictureTurn) throws {
    let (picture, _) = Self.chart(width: 64, height: 36)
    let converter = PictureConverter(width: 128, height: 72, fill: .letterbox)
    let luma = Self.samples(try converter.convert(picture, turned: turn))[0]
    let fit = PictureFit(
      picture: turn.isSideways ? (36, 64, 1) : (64, 36, 1), frame: (128, 72), fill: .letterbox)
    #expect(fit.target.width == (turn.isSideways ? 40 : 128) && fit.target.height == 72)
    let bars = (0..<128).filter { column in luma.allSatisfy { $0[column] == 16 } }
    let right = fit.target.x + fit.target.width
    #expect(bars == Array(0..<fit.target.x) + Array(right..<128))
  }

  @Test func `what is turned and what is not may follow each other`() throws {
    let (picture, samples) = Self.chart(width: 64, height: 64)
    let converter = PictureConverter(width: 64, height: 64, fill: .letterbox)
    for turn in [PictureTurn(.quarter), .none, PictureTurn(.half), PictureTurn(.quarter), .none] {
      let result = try converter.convert(picture, turned: turn)
      #expect(Self.samples(result) == samples.map { Self.turned($0, turn) })
      #expect((result === picture) == (turn == .none))
    }
  }
}
