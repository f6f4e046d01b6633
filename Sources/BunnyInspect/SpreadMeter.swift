/// The lowest, middle and highest of any number of values, to the hundredth.
///
/// Keeps a count for each hundredth that occurred. Beyond 10,000 of them it goes on with wider
/// steps, so its memory has a bound; only the median gets coarser.
package struct SpreadMeter {
  private(set) var count = 0
  private var lowest = Double.infinity
  private var highest = -Double.infinity
  private var counts: [Int: Int] = [:]
  private var step = 0.01

  package init() {}

  package mutating func add(_ value: Double) {
    count += 1
    lowest = min(lowest, value)
    highest = max(highest, value)
    counts[bin(value), default: 0] += 1
    if counts.count > 10_000 { widen() }
  }

  private func bin(_ value: Double) -> Int { Int((max(-1e15, min(1e15, value)) / step).rounded()) }

  private mutating func widen() {
    let finer = step
    step *= 10
    counts = Dictionary(counts.map { (bin(Double($0) * finer), $1) }, uniquingKeysWith: +)
  }

  /// nil before there is a value.
  package var spread: Spread? {
    guard count > 0 else { return nil }
    var left = (count + 1) / 2
    for (bin, count) in counts.sorted(by: { $0.key < $1.key }) {
      left -= count
      if left <= 0 {
        let median = min(highest, max(lowest, Double(bin) * step))
        return Spread(min: lowest, median: median, max: highest)
      }
    }
    return nil
  }
}
