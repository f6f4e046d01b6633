import BunnyMedia
import CBunnyShims
import Support
import Testing

/// The one conversion that no library does cheaply, against itself written plainly.
@Suite struct ColourMatrixTests {
  /// Bytes in which the planes of a picture lie at places and strides that fit nothing.
  private struct Memory {
    var bytes: [UInt8]
    let starts: [Int]
    let strides: [Int]

    init(_ layout: bunny_layout, width: Int, height: Int, dice: inout Dice) {
      let pairs = (width + 1) / 2
      let rows = layout == bunny_layout_422 ? height : (height + 1) / 2
      let planes: [(width: Int, height: Int)] =
        switch layout {
        case bunny_layout_420, bunny_layout_422: [(width, height), (pairs, rows), (pairs, rows)]
        case bunny_layout_nv12, bunny_layout_nv21: [(width, height), (2 * pairs, rows), (0, 0)]
        default: [(4 * pairs, height), (0, 0), (0, 0)]
        }
      let strides = planes.map { $0.width + Int.random(in: 0...5, using: &dice) }
      var starts: [Int] = []
      var end = Int.random(in: 0...7, using: &dice)
      for (plane, stride) in zip(planes, strides) {
        starts.append(end)
        end += stride * plane.height + Int.random(in: 0...3, using: &dice)
      }
      (self.starts, self.strides) = (starts, strides)
      bytes = (0..<end).map { _ in UInt8.random(in: 0...255, using: &dice) }
    }

    mutating func withPlanes<Result>(_ body: (bunny_planes) -> Result) -> Result {
      bytes.withUnsafeMutableBufferPointer { bytes in
        let base = bytes.baseAddress!
        return body(
          bunny_planes(
            y: base + starts[0], u: base + starts[1], v: base + starts[2], y_stride: strides[0],
            u_stride: strides[1], v_stride: strides[2]))
      }
    }
  }

  private static let layouts = [
    bunny_layout_420, bunny_layout_422, bunny_layout_nv12, bunny_layout_nv21, bunny_layout_yuyv,
    bunny_layout_uyvy,
  ]
  private static let matrices: [ColourMatrix] = {
    let weights: [ColourMatrix.Weights] = [.bt601, .bt709, .bt2020, .smpte240m, .fcc]
    return weights.flatMap { weights in
      [false, true].compactMap { ColourMatrix(from: weights, isFullRange: $0) }
    }
  }()

  /// One pixel, with U and V of it in each row.
  private static func sample(
    _ planes: bunny_planes, _ layout: bunny_layout, _ x: Int, _ y: Int
  ) -> (y: Int, u: Int, v: Int) {
    func at(_ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ x: Int, _ y: Int) -> Int {
      Int(plane[y * stride + x])
    }
    let (pair, row) = (x / 2, layout == bunny_layout_422 ? y : y / 2)
    func packed(_ place: Int) -> Int { at(planes.y, planes.y_stride, place, y) }
    func semi(_ place: Int) -> Int { at(planes.u, planes.u_stride, 2 * pair + place, row) }
    switch layout {
    case bunny_layout_yuyv: return (packed(2 * x), packed(4 * pair + 1), packed(4 * pair + 3))
    case bunny_layout_uyvy: return (packed(2 * x + 1), packed(4 * pair), packed(4 * pair + 2))
    case bunny_layout_nv12: return (at(planes.y, planes.y_stride, x, y), semi(0), semi(1))
    case bunny_layout_nv21: return (at(planes.y, planes.y_stride, x, y), semi(1), semi(0))
    default:
      return (
        at(planes.y, planes.y_stride, x, y), at(planes.u, planes.u_stride, pair, row),
        at(planes.v, planes.v_stride, pair, row)
      )
    }
  }

  /// What the kernel makes, and what it shall make, sample by sample.
  private static func plain(
    _ c: bunny_colours, _ source: bunny_planes, _ layout: bunny_layout, to target: bunny_planes,
    width: Int, height: Int
  ) {
    func level(_ sum: Int) -> UInt8 { UInt8(max(0, min(255, sum >> 14))) }
    for y in 0..<height {
      for x in 0..<width {
        let (top, left) = (y / 2 * 2, x / 2 * 2)
        let upper = sample(source, layout, left, top)
        let lower = sample(source, layout, left, min(top + 1, height - 1))
        let (u, v) = ((upper.u + lower.u + 1) >> 1, (upper.v + lower.v + 1) >> 1)
        let change = (u * Int(c.luma_u) + v * Int(c.luma_v) + Int(c.luma_offset)) >> 7
        let luma = (sample(source, layout, x, y).y * Int(c.luma)) >> 8
        target.y[y * target.y_stride + x] = UInt8(max(0, min(255, (luma + change) >> 7)))
        guard x == left, y == top else { continue }
        target.u[y / 2 * target.u_stride + x / 2] = level(
          u * Int(c.u_u) + v * Int(c.u_v) + Int(c.u_offset))
        target.v[y / 2 * target.v_stride + x / 2] = level(
          u * Int(c.v_u) + v * Int(c.v_v) + Int(c.v_offset))
      }
    }
  }

  private static let instructions = [bunny_instructions_baseline, bunny_best_instructions()]

  @Test func `it is to the bit what a plain loop makes, whatever the size and the place`() {
    var dice = Dice(seed: 601_709)
    for layout in Self.layouts {
      for width in Array(2...130) + [510, 512, 513, 545] {
        let height = Int.random(in: 1...5, using: &dice)
        let matrix = Self.matrices[width % Self.matrices.count]
        var source = Memory(layout, width: width, height: height, dice: &dice)
        let canvas = Memory(bunny_layout_420, width: width, height: height, dice: &dice)
        var wanted = canvas
        wanted.withPlanes { to in
          source.withPlanes {
            Self.plain(matrix.colours, $0, layout, to: to, width: width, height: height)
          }
        }
        for instructions in Self.instructions {
          var made = canvas  // what lies between the rows shall stay
          made.withPlanes { to in
            source.withPlanes {
              matrix.convert($0, layout, to: to, size: (width, height), with: instructions)
            }
          }
          #expect(made.bytes == wanted.bytes, "\(layout) \(width)x\(height) \(instructions)")
        }
      }
    }
  }

  @Test func `in place it makes the same`() {
    var dice = Dice(seed: 7)
    for width in [2, 30, 64, 300, 301] {
      for instructions in Self.instructions {
        var source = Memory(bunny_layout_420, width: width, height: 7, dice: &dice)
        var (made, wanted) = (source, source)
        wanted.withPlanes { to in
          source.withPlanes {
            Self.plain(
              Self.matrices[0].colours, $0, bunny_layout_420, to: to, width: width, height: 7)
          }
        }
        made.withPlanes {
          Self.matrices[0].convert(
            $0, bunny_layout_420, to: $0, size: (width, 7), with: instructions)
        }
        #expect(made.bytes == wanted.bytes, "\(width) \(instructions)")
      }
    }
  }

  /// By the definition, in floating point: through red, green and blue.
  @Test(arguments: [false, true])
  func `no sample is off by more than its rounding and a hundredth`(_ isFullRange: Bool) throws {
    let weights = ColourMatrix.Weights.bt601
    let matrix = try #require(ColourMatrix(from: weights, isFullRange: isFullRange))
    // Two by two pixels: four samples of luma, one each of chroma; before and after.
    let samples = UnsafeMutablePointer<UInt8>.allocate(capacity: 12)
    defer { samples.deallocate() }
    func planes(_ start: UnsafeMutablePointer<UInt8>) -> bunny_planes {
      bunny_planes(
        y: start, u: start + 4, v: start + 5, y_stride: 2, u_stride: 1, v_stride: 1)
    }
    var worst = 0.0
    for y in stride(from: 0, through: 255, by: 3) {
      for u in stride(from: 0, through: 255, by: 15) {
        for v in stride(from: 0, through: 255, by: 15) {
          samples.update(repeating: UInt8(y), count: 4)
          (samples[4], samples[5]) = (UInt8(u), UInt8(v))
          matrix.convert(
            planes(samples), bunny_layout_420, to: planes(samples + 6), size: (2, 2))
          let wanted = Self.exact(weights, isFullRange, Double(y), Double(u), Double(v))
          for (place, wanted) in zip([6, 10, 11], wanted) {
            worst = max(worst, abs(Double(samples[place]) - max(0, min(255, wanted))))
          }
        }
      }
    }
    #expect(worst <= 0.525, "\(worst)")
  }

  private static func exact(
    _ old: ColourMatrix.Weights, _ isFullRange: Bool, _ y: Double, _ u: Double, _ v: Double
  ) -> [Double] {
    let (scale, zero, reach) = isFullRange ? (255.0, 0.0, 255.0) : (219, 16, 224)
    let luma = (y - zero) / scale
    let blue = luma + (u - 128) / reach * (2 - 2 * old.blue)
    let red = luma + (v - 128) / reach * (2 - 2 * old.red)
    let green = (luma - old.red * red - old.blue * blue) / (1 - old.red - old.blue)
    let new = ColourMatrix.Weights.bt709
    let shown = new.red * red + (1 - new.red - new.blue) * green + new.blue * blue
    return [
      16 + 219 * shown, 128 + 224 * (blue - shown) / (2 - 2 * new.blue),
      128 + 224 * (red - shown) / (2 - 2 * new.red),
    ]
  }

  @Test func `what has the broadcast's colours needs none`() {
    #expect(ColourMatrix(from: .bt709, isFullRange: false) == nil)
    #expect(Self.matrices.count == 9)
  }
}
