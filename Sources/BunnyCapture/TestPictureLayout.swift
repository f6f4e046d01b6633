/// Where the parts of a test picture lie: pure geometry, for any size and for a scaled picture too.
///
/// From top to bottom: colour bars, a grey ramp, a dark panel with clock, counter and flash, the
/// track of a ball, and the ``FrameMark`` row.
package struct TestPictureLayout: Hashable, Sendable {
  let width: Int
  let height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// One of the 75 % bars, in bt709 limited range.
  package struct Bar: Hashable, Sendable {
    package let name: String
    package let y: UInt8
    package let u: UInt8
    package let v: UInt8
  }

  /// The bars from left to right: each primary is 0 or 75 %.
  package static let bars = [
    Bar(name: "white", y: 180, u: 128, v: 128),
    Bar(name: "yellow", y: 168, u: 44, v: 136),
    Bar(name: "cyan", y: 145, u: 147, v: 44),
    Bar(name: "green", y: 133, u: 63, v: 52),
    Bar(name: "magenta", y: 63, u: 193, v: 204),
    Bar(name: "red", y: 51, u: 109, v: 212),
    Bar(name: "blue", y: 28, u: 212, v: 120),
    Bar(name: "black", y: 16, u: 128, v: 128),
  ]

  package func bar(_ index: Int) -> Area {
    let share = 1 / Double(Self.bars.count)
    return area(
      x: Double(index) * share...Double(index + 1) * share, y: 0...Self.barsEnd)
  }

  /// Luma rises from 16 at its left end to 235 at its right.
  var ramp: Area { area(x: 0...1, y: Self.barsEnd...Self.rampEnd) }

  /// White for a tenth of a second from each whole second on.
  package var flash: Area {
    if isPortrait {
      area(x: 0.96 - 0.3...0.96, y: 0.87 - 0.3 * aspect...0.87)
    } else {
      area(x: 0.97 - 0.3 / aspect...0.97, y: 0.55...0.85)
    }
  }

  /// The ball runs along the middle of it.
  var track: Area { area(x: 0...1, y: 0.885...0.9275) }

  package var mark: Area { FrameMark.area(width: width, height: height) }

  /// A line of text: where it starts and the height of its letters with their margin, in pixels.
  struct Line {
    let x: Int
    let y: Int
    /// Between the dots of its font.
    let pitch: Double

    /// Too small to be read.
    var isTooSmall: Bool { pitch < 1 }
  }

  /// The wall clock: `HH:MM:SS.mmm`.
  var clock: Line {
    isPortrait
      ? line(x: 0.04, to: 0.97, y: 0.565, height: 0.07, characters: 12)
      : line(x: 0.03, to: 0.95 - 0.3 / aspect, y: 0.56, height: 0.125, characters: 12)
  }

  /// The small lines under the clock, `index` 0 to 2.
  func detail(_ index: Int) -> Line {
    isPortrait
      ? line(x: 0.04, to: 0.64, y: 0.7 + 0.06 * Double(index), height: 0.04, characters: 16)
      : line(
        x: 0.03, to: 0.95 - 0.3 / aspect, y: 0.71 + 0.055 * Double(index), height: 0.042,
        characters: 16)
  }

  private static let barsEnd = 0.45
  private static let rampEnd = 0.52

  private var aspect: Double { Double(width) / Double(height) }
  private var isPortrait: Bool { width < height }

  private func area(x: ClosedRange<Double>, y: ClosedRange<Double>) -> Area {
    Area(of: width, height, x: x, y: y)
  }

  private func line(
    x: Double, to end: Double, y: Double, height: Double, characters: Int
  ) -> Line {
    let room = (end - x) * Double(width) / Double(6 * characters)
    return Line(
      x: even(x * Double(width)), y: even(y * Double(self.height)),
      pitch: min(room, height * Double(self.height) / 7.4))
  }
}
