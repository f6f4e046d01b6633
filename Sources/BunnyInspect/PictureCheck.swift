import BunnyCapture
import BunnyMedia
import BunnySystem

/// What the decoded pictures show: black and frozen stretches, frame rate, and the test picture.
struct PictureCheck {
  private(set) var frames = 0
  private(set) var hasBFrames = false
  private(set) var isInterlaced = false
  private(set) var test = TestPictureCheck()

  private var black = StretchFinder(shortest: 0.5)
  private var frozen = StretchFinder(shortest: 0.5, joiningWithin: 0.1)
  private var last: (pts: Double, grid: LumaGrid, isBlack: Bool)?
  private var firstPts = 0.0

  /// - Parameters:
  ///   - picture: 8-bit 4:2:0, its time being its pts.
  ///   - received: UNIX milliseconds; nil for a recording.
  mutating func add(_ picture: Picture, received: UInt64?) {
    let pts = Double(picture.time.nanoseconds) / 1e9
    picture.withPlanes { y, u, v in
      let grid = LumaGrid(y)
      let isBlack = grid.isBlack
      if let last {
        // A frame is shown until the next: what holds at both ends holds between them.
        black.add(last.isBlack, from: last.pts, to: pts)
        let isFrozen = !isBlack && !last.isBlack && grid.difference(from: last.grid) < 0.25
        frozen.add(isFrozen, from: last.pts, to: pts)
      } else {
        firstPts = pts
      }
      last = (pts, grid, isBlack)
      test.add(y, u, v, pts: pts, received: received)
    }
    frames += 1
    hasBFrames = hasBFrames || picture.isBidirectional
    isInterlaced = isInterlaced || picture.isInterlaced
  }

  var frameRate: Double {
    guard let last, frames > 1, last.pts > firstPts else { return 0 }
    return Double(frames - 1) / (last.pts - firstPts)
  }

  /// All stretches, those included that last to the end.
  func stretches() -> (black: [Stretch], frozen: [Stretch]) {
    var (black, frozen) = (black, frozen)
    if let last, frameRate > 0 {
      black.add(last.isBlack, from: last.pts, to: last.pts + 1 / frameRate)
    }
    black.close()
    frozen.close()
    return (black.stretches, frozen.stretches)
  }
}

/// Every eighth luma sample of every eighth row.
struct LumaGrid {
  private let samples: [UInt8]

  init(_ luma: Picture.Plane) {
    let columns = (luma.width + 7) / 8
    let rows = (luma.height + 7) / 8
    samples = [UInt8](unsafeUninitializedCapacity: columns * rows) { samples, count in
      for row in 0..<rows {
        let from = luma.bytes + 8 * row * luma.stride
        let to = samples.baseAddress! + row * columns
        for column in 0..<columns { to[column] = from[8 * column] }
      }
      count = columns * rows
    }
  }

  var isBlack: Bool {
    samples.withUnsafeBufferPointer { samples in
      var sum = 0
      for sample in samples {
        if sample > 48 { return false }
        sum += Int(sample)
      }
      return sum <= 20 * samples.count
    }
  }

  /// Mean of the absolute differences; 255 for a picture of another size.
  func difference(from other: LumaGrid) -> Double {
    guard samples.count == other.samples.count, !samples.isEmpty else { return 255 }
    return samples.withUnsafeBufferPointer { mine in
      other.samples.withUnsafeBufferPointer { other in
        var sum = 0
        for index in 0..<mine.count { sum += abs(Int(mine[index]) - Int(other[index])) }
        return Double(sum) / Double(mine.count)
      }
    }
  }
}
