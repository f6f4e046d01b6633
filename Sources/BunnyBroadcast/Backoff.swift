/// How long to wait before the next try: at once, then 0.5, 1, 2, 5, 10, 15 s, each with full jitter.
package struct Backoff: Equatable {
  /// Seconds.
  package static let steps: [Double] = [0, 0.5, 1, 2, 5, 10, 15]

  /// Failures in a row; media flowing clears it.
  package private(set) var failures = 0

  package init() {}

  package mutating func succeeded() { failures = 0 }

  /// - Parameter chance: from 0 to 1, drawn anew for each wait. The wait is between half of the step
  ///   and all of it, so that a thousand boxes do not come back in the same instant, nor at once.
  /// - Returns: How long to wait: `failed(chance: 1)` gives 0, 0.5, 1, 2, 5, 10, 15, 15 … s.
  package mutating func failed(chance: Double) -> Duration {
    let step = Self.steps[min(failures, Self.steps.count - 1)]
    failures += 1
    return .milliseconds(Int64((step * (0.5 + chance / 2) * 1000).rounded()))
  }
}
