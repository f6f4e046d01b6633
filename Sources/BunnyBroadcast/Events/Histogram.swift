import Glibc

/// Counts durations in classes 5 % apart, so that a month of them costs no more than an hour.
package struct Histogram {
  private static let step = 1.05
  private static let least = 0.001  // milliseconds
  private var counts = [Int](repeating: 0, count: 400)
  private var total = 0

  package init() {}

  package mutating func add(milliseconds: Double) {
    let steps = log(max(milliseconds, Self.least) / Self.least) / log(Self.step)
    counts[min(counts.count - 1, Int(steps))] += 1
    total += 1
  }

  /// - Parameter share: 0.5 for the median.
  /// - Returns: Milliseconds, rounded up to the class's end; 0 when nothing was counted.
  package func percentile(_ share: Double) -> Double {
    guard total > 0 else { return 0 }
    var rest = Int((Double(total) * share).rounded(.up))
    for (index, count) in counts.enumerated() {
      rest -= count
      if rest <= 0 { return Self.least * pow(Self.step, Double(index + 1)) }
    }
    return Self.least * pow(Self.step, Double(counts.count))
  }
}
