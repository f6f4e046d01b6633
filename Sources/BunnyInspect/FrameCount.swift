package import BunnyCapture

/// Which frames are missing, came twice or in the wrong order. Looks at numbers only.
package struct FrameCount {
  package private(set) var lost = 0
  package private(set) var shownTwice = 0
  package private(set) var outOfOrder = 0
  package private(set) var restarts = 0
  package private(set) var first: FrameMark?
  /// The one with the highest number.
  package private(set) var highest: FrameMark?
  /// Lost ones that may still come. Those of long ago are forgotten.
  private var missing: [ClosedRange<UInt32>] = []

  package init() {}

  /// - Returns: How many steps after ``highest`` it is, which it replaces when they are positive;
  ///   nil for the first, and where counting began anew.
  @discardableResult
  package mutating func add(_ mark: FrameMark) -> Int? {
    guard let previous = highest else {
      (first, highest) = (mark, mark)
      return nil
    }
    let steps = mark - previous
    if steps > 0 {
      note(missing: steps - 1, before: mark)
      highest = mark
    } else if take(mark) {
      lost -= 1
      outOfOrder += 1
    } else if steps < 0 && mark.milliseconds > previous.milliseconds {
      restarts += 1
      highest = mark
      missing = []
      return nil
    } else {
      shownTwice += 1
    }
    return steps
  }

  private mutating func note(missing count: Int, before mark: FrameMark) {
    guard count > 0 else { return }
    lost += count
    if Int(mark.number) >= count {
      missing.append(mark.number - UInt32(count)...mark.number - 1)
    }
    if missing.count > 256 { missing.removeFirst() }
  }

  /// Removes it from what is missing; false when it was not.
  private mutating func take(_ mark: FrameMark) -> Bool {
    guard let index = missing.firstIndex(where: { $0.contains(mark.number) }) else { return false }
    let range = missing.remove(at: index)
    if range.lowerBound < mark.number { missing.append(range.lowerBound...mark.number - 1) }
    if mark.number < range.upperBound { missing.append(mark.number + 1...range.upperBound) }
    return true
  }
}
