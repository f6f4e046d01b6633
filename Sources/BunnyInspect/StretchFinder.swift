/// Finds where something holds without a break for some time.
package struct StretchFinder {
  /// Seconds; shorter ones do not count.
  let shortest: Double
  /// Stretches that follow one another within this many seconds are one.
  let joiningWithin: Double

  package private(set) var stretches: [Stretch] = []
  private var start: Double?
  private var end = 0.0

  package init(shortest: Double, joiningWithin: Double = 0) {
    self.shortest = shortest
    self.joiningWithin = joiningWithin
  }

  /// - Parameters:
  ///   - holds: whether it does from `time` until `end`.
  package mutating func add(_ holds: Bool, from time: Double, to end: Double) {
    guard holds else { return close() }
    if start == nil { start = time }
    self.end = end
  }

  package mutating func close() {
    guard let start else { return }
    self.start = nil
    guard end - start >= shortest - 1e-3 else { return }
    if let last = stretches.last, start - (last.start + last.length) <= joiningWithin {
      stretches[stretches.count - 1].length = end - last.start
    } else {
      stretches.append(Stretch(start: start, length: end - start))
    }
  }
}
