import CBunnyFFmpeg

/// From one YUV to the broadcast's own, BT.709 limited, in place: exact to the rounding of each sample.
///
/// libswscale goes through RGB, which takes longer than x264 at `veryfast`. Grey stays grey, so luma
/// changes by its scale and by what its chroma says, and chroma by chroma alone.
struct ColourMatrix {
  /// What red and blue count for in luma; green has the rest.
  struct Weights: Equatable {
    let red: Double
    let blue: Double

    static let bt601 = Weights(red: 0.299, blue: 0.114)
    static let bt709 = Weights(red: 0.2126, blue: 0.0722)
    static let bt2020 = Weights(red: 0.2627, blue: 0.0593)
    static let smpte240m = Weights(red: 0.212, blue: 0.087)
    static let fcc = Weights(red: 0.3, blue: 0.11)
  }

  /// In units of 1/16384, so that they and the samples fit 16 bits, which SIMD multiplies at once.
  private let luma: (y: Int16, u: Int16, v: Int16, offset: Int32)
  private let blue: (u: Int16, v: Int16, offset: Int32)
  private let red: (u: Int16, v: Int16, offset: Int32)

  private static let bits: Int32 = 14
  private static let one = Double(1 << bits)

  /// - Returns: nil where there is nothing to be done.
  init?(from source: Weights, isFullRange: Bool) {
    guard isFullRange || source != .bt709 else { return nil }
    let target = Weights.bt709
    let (lumaScale, chromaScale) = isFullRange ? (219.0 / 255, 224.0 / 255) : (1, 1)
    // A colour's luma anew, of what its old chroma says of red, blue and green.
    func lumaChange(red: Double, blue: Double) -> Double {
      let green = -(source.red * red + source.blue * blue) / (1 - source.red - source.blue)
      return target.red * red + target.blue * blue + (1 - target.red - target.blue) * green
    }
    let (redReach, blueReach) = (2 - 2 * source.red, 2 - 2 * source.blue)
    let ofU = lumaChange(red: 0, blue: blueReach)
    let ofV = lumaChange(red: redReach, blue: 0)
    let chromaToLuma = chromaScale * 219 / 224
    func fixed(_ value: Double) -> Int16 { Int16((value * Self.one).rounded()) }
    func offset(_ base: Double, _ centre: Int32) -> Int32 {
      Int32((base * Self.one).rounded()) + 1 << (Self.bits - 1) - centre
    }
    func chroma(_ u: Double, _ v: Double, _ reach: Double) -> (Int16, Int16, Int32) {
      let (u, v) = (fixed(chromaScale * u / reach), fixed(chromaScale * v / reach))
      return (u, v, offset(128, 128 * (Int32(u) + Int32(v))))
    }
    let (u, v) = (fixed(chromaToLuma * ofU), fixed(chromaToLuma * ofV))
    luma = (
      fixed(lumaScale), u, v,
      offset(isFullRange ? 16 : 0, 128 * (Int32(u) + Int32(v)))
    )
    blue = chroma(blueReach - ofU, -ofV, 2 - 2 * target.blue)
    red = chroma(-ofU, redReach - ofV, 2 - 2 * target.red)
  }

  /// Converts a part of a 4:2:0 frame that nobody else holds; its place and size are even.
  func apply(to frame: UnsafeMutablePointer<AVFrame>, in part: PictureFit.Rectangle) {
    let (y, u, v) = (frame.plane(0), frame.plane(1), frame.plane(2))
    for row in 0..<(part.height / 2) {
      let upper = y.bytes + (part.y + 2 * row) * y.stride + part.x
      let chroma = (part.y / 2 + row, part.x / 2)
      convert(
        upper, upper + y.stride, u.bytes + chroma.0 * u.stride + chroma.1,
        v.bytes + chroma.0 * v.stride + chroma.1, count: part.width / 2)
    }
  }

  /// Two rows of luma with the row of chroma that they share.
  private func convert(
    _ upper: UnsafeMutablePointer<UInt8>, _ lower: UnsafeMutablePointer<UInt8>,
    _ u: UnsafeMutablePointer<UInt8>, _ v: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (luma, blue, red) = (luma, blue, red)
    for index in 0..<count {
      let (oldU, oldV) = (Int32(u[index]), Int32(v[index]))
      let change = oldU &* Int32(luma.u) &+ oldV &* Int32(luma.v) &+ luma.offset
      upper[2 * index] = Self.level(Int32(upper[2 * index]) &* Int32(luma.y) &+ change)
      upper[2 * index + 1] = Self.level(Int32(upper[2 * index + 1]) &* Int32(luma.y) &+ change)
      lower[2 * index] = Self.level(Int32(lower[2 * index]) &* Int32(luma.y) &+ change)
      lower[2 * index + 1] = Self.level(Int32(lower[2 * index + 1]) &* Int32(luma.y) &+ change)
      u[index] = Self.level(oldU &* Int32(blue.u) &+ oldV &* Int32(blue.v) &+ blue.offset)
      v[index] = Self.level(oldU &* Int32(red.u) &+ oldV &* Int32(red.v) &+ red.offset)
    }
  }

  private static func level(_ sum: Int32) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, sum &>> bits)))
  }
}
