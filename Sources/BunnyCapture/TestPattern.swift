package import BunnyMedia
import BunnySystem
import Glibc

/// Draws test pictures of one size. Holds what does not change from frame to frame, so that a frame
/// costs little more than copying it.
package struct TestPattern {
  package let layout: TestPictureLayout
  package let grid: SourceGrid

  private let background: Picture
  private let clockFont: TestFont
  private let detailFont: TestFont
  /// Its size and rate, in words.
  private let form: String

  /// - Parameters:
  ///   - width: pixels, even, at least 64.
  ///   - height: pixels, even, at least 64.
  ///   - grid: its frames' moments; says at which frames it flashes.
  package init(width: Int, height: Int, grid: SourceGrid) {
    precondition(width >= 64 && height >= 64, "a test picture of \(width)x\(height)")
    layout = TestPictureLayout(width: width, height: height)
    self.grid = grid
    form = "\(width)x\(height) \(Self.describe(rate: grid.period.reciprocal)) FPS"
    background = Self.background(layout)
    clockFont = TestFont(
      pitch: max(1, layout.clock.pitch), ink: 235, paper: Self.panel, characters: "0123456789:.")
    detailFont = TestFont(
      pitch: max(1, layout.detail(0).pitch), ink: 176, paper: Self.panel,
      characters: "0123456789.-x FRAMEPSUTC")
  }

  /// Draws the frame of one moment over whatever the planes hold.
  ///
  /// - Parameters:
  ///   - index: which moment of ``grid``: decides on flash and motion.
  ///   - mark: its number and UNIX time: what the clock and the counter show.
  package func draw(
    _ index: Int64, mark: FrameMark, y: Picture.Plane, u: Picture.Plane, v: Picture.Plane
  ) {
    background.withPlanes {
      y.copy($0)
      u.copy($1)
      v.copy($2)
    }
    y.fill(layout.flash, isFlash(index) ? FrameMark.white : FrameMark.black)
    drawBall(at: grid.time(of: index), into: y)
    drawText(mark, into: y)
    mark.draw(into: y)
  }

  /// The flash shows in the frame nearest to each whole second and lasts a tenth of one.
  package func isFlash(_ index: Int64) -> Bool {
    let second = grid.time(of: index).wholeSecond
    let length = max(1, grid.nearest(to: grid.start + oneSecond / 10))
    return [second, second + 1].contains { second in  // the nearest frame may lie just before it
      let onset = grid.nearest(to: MonotonicTime(nanoseconds: second * oneSecond))
      return (onset..<(onset + length)).contains(index)
    }
  }

  private static let panel: UInt8 = 30
}

// MARK: What does not change

extension TestPattern {
  private static func background(_ layout: TestPictureLayout) -> Picture {
    PicturePool(width: layout.width, height: layout.height).picture(time: .now) { y, u, v in
      y.fill(Area(x: 0, y: 0, width: y.width, height: y.height), panel)
      for plane in [u, v] {
        plane.fill(Area(x: 0, y: 0, width: plane.width, height: plane.height), 128)
      }
      for (index, bar) in TestPictureLayout.bars.enumerated() {
        let area = layout.bar(index)
        y.fill(area, bar.y)
        u.fill(area.halved, bar.u)
        v.fill(area.halved, bar.v)
      }
      drawRamp(layout.ramp, into: y)
      drawFrame(around: layout.flash, into: y)
      y.fill(layout.track, 16)
    }
  }

  private static func drawRamp(_ ramp: Area, into y: Picture.Plane) {
    guard ramp.height > 0 else { return }
    let first = y.bytes + ramp.y * y.stride
    for x in 0..<ramp.width { first[x] = UInt8(16 + (219 * x + ramp.width / 2) / (ramp.width - 1)) }
    for row in 1..<ramp.height { memcpy(first + row * y.stride, first, ramp.width) }
  }

  private static func drawFrame(around area: Area, into y: Picture.Plane) {
    let border = max(2, even(Double(y.height) / 240))
    y.fill(
      Area(
        x: area.x - border, y: area.y - border, width: area.width + 2 * border,
        height: area.height + 2 * border), 90)
  }

  private static func describe(rate: Timebase) -> String {
    let hundredths = Int((rate.value * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100)" + (fraction == 0 ? "" : ".\(digits(fraction, 2))")
  }
}

// MARK: What changes

extension TestPattern {
  /// A ball that runs from edge to edge at an even speed, there in 2 s and back in 2 s.
  private func drawBall(at time: MonotonicTime, into y: Picture.Plane) {
    let track = layout.track
    let radius = Double(track.height) / 2 - 1
    guard radius >= 2 else { return }
    let phase = Double(time.nanoseconds % (4 * oneSecond)) / Double(2 * oneSecond)
    let way = phase < 1 ? phase : 2 - phase
    let centreX = radius + 1 + way * (Double(track.width) - 2 * radius - 2)
    let left = max(0, Int(centreX - radius - 1))
    let right = min(track.width - 1, Int(centreX + radius + 1))
    for row in 0..<track.height {
      let line = y.bytes + (track.y + row) * y.stride
      let dy = Double(row) + 0.5 - Double(track.height) / 2
      for x in left...right {
        let dx = Double(x) + 0.5 - centreX
        let cover = min(1, max(0, radius + 0.5 - (dx * dx + dy * dy).squareRoot()))
        line[x] = UInt8(16 + 219 * cover)
      }
    }
  }

  private func drawText(_ mark: FrameMark, into y: Picture.Plane) {
    let time = CalendarTime(unixMilliseconds: mark.milliseconds)
    write(time.clock, at: layout.clock, clockFont, into: y)
    // No text that is made here is longer than the 15 bytes that a String holds without an allocation.
    write("FRAME \(digits(Int(mark.number), 8))", at: layout.detail(0), detailFont, into: y)
    write(time.date + " UTC", at: layout.detail(1), detailFont, into: y)
    write(form, at: layout.detail(2), detailFont, into: y)
  }

  /// Leaves out what is too small to read, or does not fit.
  private func write(
    _ text: String, at line: TestPictureLayout.Line, _ font: TestFont, into y: Picture.Plane
  ) {
    guard !line.isTooSmall else { return }
    font.write(text, x: line.x, y: line.y, into: y)
  }
}

extension Area {
  /// The same place in a plane of half the width and height.
  fileprivate var halved: Area { Area(x: x / 2, y: y / 2, width: width / 2, height: height / 2) }
}

/// A UNIX time as people in UTC read it.
struct CalendarTime {
  /// `HH:MM:SS.mmm`
  let clock: String
  /// `YYYY-MM-DD`
  let date: String

  init(unixMilliseconds: UInt64) {
    var seconds = time_t(unixMilliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let (hour, minute) = (digits(Int(parts.tm_hour), 2), digits(Int(parts.tm_min), 2))
    let second = digits(Int(parts.tm_sec), 2)
    clock = "\(hour):\(minute):\(second).\(digits(Int(unixMilliseconds % 1000), 3))"
    date =
      "\(1900 + parts.tm_year)-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))"
  }
}

/// A number with leading zeros.
private func digits(_ value: Int, _ count: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}
