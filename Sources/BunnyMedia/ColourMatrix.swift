package import CBunnyShims

/// From one YUV to the broadcast's own, BT.709 limited, 4:2:0, in one pass.
///
/// libswscale goes through RGB, which takes longer than x264 at `veryfast`. Grey stays grey, so luma
/// changes by its scale and by what its chroma says, and chroma by chroma alone.
package struct ColourMatrix: Equatable, Sendable {
  /// What red and blue count for in luma; green has the rest.
  package struct Weights: Equatable, Sendable {
    package let red: Double
    package let blue: Double

    package static let bt601 = Weights(red: 0.299, blue: 0.114)
    package static let bt709 = Weights(red: 0.2126, blue: 0.0722)
    package static let bt2020 = Weights(red: 0.2627, blue: 0.0593)
    package static let smpte240m = Weights(red: 0.212, blue: 0.087)
    package static let fcc = Weights(red: 0.3, blue: 0.11)
  }

  /// In numbers that SIMD multiplies at once.
  package let colours: bunny_colours

  private static let one = Double(1 << 14)

  /// - Returns: nil where there is nothing to be done.
  package init?(from source: Weights, isFullRange: Bool) {
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
    func offset(_ base: Double, _ u: Int16, _ v: Int16) -> Int32 {
      Int32(((base + 0.5) * Self.one).rounded()) - 128 * (Int32(u) + Int32(v))
    }
    let luma = (u: fixed(chromaToLuma * ofU), v: fixed(chromaToLuma * ofV))
    let (newRed, newBlue) = (2 - 2 * target.red, 2 - 2 * target.blue)
    let blue = (
      u: fixed(chromaScale * (blueReach - ofU) / newBlue), v: fixed(chromaScale * -ofV / newBlue)
    )
    let red = (
      u: fixed(chromaScale * -ofU / newRed), v: fixed(chromaScale * (redReach - ofV) / newRed)
    )
    // Luma is the sum of two numbers in 1/128; half of that for each that is rounded down.
    let bias = (isFullRange ? 1 : 0.5) / 128
    colours = bunny_colours(
      luma: UInt16((lumaScale * 2 * Self.one).rounded()), luma_u: luma.u, luma_v: luma.v,
      u_u: blue.u, u_v: blue.v, v_u: red.u, v_v: red.v,
      luma_offset: offset((isFullRange ? 16 : 0) + bias, luma.u, luma.v),
      u_offset: offset(128, blue.u, blue.v), v_offset: offset(128, red.u, red.v))
  }

  private static let instructions = bunny_best_instructions()

  /// - Parameters:
  ///   - source: may be `target`, where it is planar 4:2:0.
  ///   - size: pixels.
  package func convert(
    _ source: bunny_planes, _ layout: bunny_layout, to target: bunny_planes,
    size: (width: Int, height: Int), with instructions: bunny_instructions = Self.instructions
  ) {
    var (colours, source, target) = (colours, source, target)
    bunny_convert_colours(
      &colours, layout, &source, &target, Int32(size.width), Int32(size.height), instructions)
  }

  package static func == (one: Self, other: Self) -> Bool {
    withUnsafeBytes(of: one.colours) { one in
      withUnsafeBytes(of: other.colours) { one.elementsEqual($0) }
    }
  }
}
