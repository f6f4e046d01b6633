package import BunnyCapture
package import BunnyMedia

/// What the test picture's frames tell about their way here.
struct TestPictureCheck {
  private var read = 0
  private var unreadable = 0
  private var numbers = FrameCount()
  private var spacing = SpreadMeter()
  private var delay = SpreadMeter()
  private var highestPts = 0.0
  /// pts minus time of making, in milliseconds: of the first frame since the last restart.
  private var origin: Double?
  private var drift = TestPictureReport.Drift(last: 0, min: 0, max: 0)
  private var colourError = 0.0
  private var colourSecond = -1
  private var flashes: [Double] = []
  private var wasFlash: Bool?

  /// - Parameters:
  ///   - pts: seconds.
  ///   - received: UNIX milliseconds; nil for a recording.
  mutating func add(
    _ y: Picture.Plane, _ u: Picture.Plane, _ v: Picture.Plane, pts: Double, received: UInt64?
  ) {
    guard let mark = FrameMark.read(from: y) else {
      unreadable += 1
      return
    }
    read += 1
    addTimes(mark, pts)
    if let received { delay.add(Double(received) - Double(mark.milliseconds)) }
    let layout = TestPictureLayout(width: y.width, height: y.height)
    addFlash(y.mean(of: layout.flash.core) > 128, pts)
    if Int(pts) != colourSecond {  // once a second is enough
      colourSecond = Int(pts)
      colourError = max(colourError, layout.colourError(y, u, v))
    }
  }

  private mutating func addTimes(_ mark: FrameMark, _ pts: Double) {
    let made = Double(mark.milliseconds)
    let steps = numbers.add(mark)
    if let steps, steps > 0 { spacing.add((pts - highestPts) * 1000 / Double(steps)) }
    if let steps, steps <= 0 { return }  // a repeated frame is late by nature
    highestPts = pts
    if steps == nil { origin = nil }
    let start = origin ?? pts * 1000 - made
    origin = start
    drift.last = pts * 1000 - made - start
    drift.min = min(drift.min, drift.last)
    drift.max = max(drift.max, drift.last)
  }

  private mutating func addFlash(_ isFlash: Bool, _ pts: Double) {
    if isFlash && wasFlash == false { flashes.append(pts) }
    wasFlash = isFlash
  }

  /// - Parameter beeps: where beeps begin, in seconds.
  /// - Returns: nil unless most frames have a mark.
  func report(beeps: [Double]) -> TestPictureReport? {
    guard read > unreadable, let first = numbers.first, let last = numbers.highest else {
      return nil
    }
    let offsets = pair(beeps: beeps, flashes: flashes)
    return TestPictureReport(
      framesRead: read, unreadable: unreadable, firstNumber: Int(first.number),
      lastNumber: Int(last.number), lost: numbers.lost, shownTwice: numbers.shownTwice,
      outOfOrder: numbers.outOfOrder, restarts: numbers.restarts, spacing: spacing.spread,
      delay: delay.spread, drift: drift, colourError: colourError, beeps: offsets,
      largestOffset: offsets.map { abs($0.offset) }.max())
  }
}

/// Gives each beep the flash nearest to it, if there is one within half a second. Both rise.
func pair(beeps: [Double], flashes: [Double]) -> [TestPictureReport.Beep] {
  var next = 0
  return beeps.compactMap { beep in
    while next + 1 < flashes.count && abs(flashes[next + 1] - beep) <= abs(flashes[next] - beep) {
      next += 1
    }
    guard next < flashes.count, abs(flashes[next] - beep) <= 0.5 else { return nil }
    return .init(second: flashes[next], offset: (beep - flashes[next]) * 1000)
  }
}

extension TestPictureLayout {
  /// How far the bars are from what they are drawn with: levels, the largest of all.
  func colourError(_ y: Picture.Plane, _ u: Picture.Plane, _ v: Picture.Plane) -> Double {
    Self.bars.indices.map { index in
      let bar = Self.bars[index]
      let mean = meanYUV(of: self.bar(index).core, y, u, v)
      return max(
        abs(mean.y - Double(bar.y)), abs(mean.u - Double(bar.u)), abs(mean.v - Double(bar.v)))
    }.max() ?? 0
  }
}

extension Picture {
  /// The mean levels in a rectangle that lies in this 8-bit 4:2:0 picture.
  package func meanYUV(of area: Area) -> (y: Double, u: Double, v: Double) {
    withPlanes { y, u, v in BunnyInspect.meanYUV(of: area, y, u, v) }
  }
}

private func meanYUV(
  of area: Area, _ y: Picture.Plane, _ u: Picture.Plane, _ v: Picture.Plane
) -> (y: Double, u: Double, v: Double) {
  let chroma = Area(
    x: area.x / 2, y: area.y / 2, width: max(1, area.width / 2), height: max(1, area.height / 2))
  return (y.mean(of: area), u.mean(of: chroma), v.mean(of: chroma))
}

extension Picture.Plane {
  /// The mean of a rectangle that lies in it; 0 of an empty one.
  func mean(of area: Area) -> Double {
    guard area.width > 0, area.height > 0 else { return 0 }
    var sum = 0
    for row in area.y..<(area.y + area.height) {
      let line = bytes + row * stride
      for x in area.x..<(area.x + area.width) { sum += Int(line[x]) }
    }
    return Double(sum) / Double(area.width * area.height)
  }
}
