import BunnySystem

/// How long to wait before the next try: not at all, then 0.5, 1, 2, 5, 10, 10, 10 … s and up to half
/// as long again: never less than 0.5 s, nor more than 15 s, unless the server says so.
package struct Backoff: Equatable {
  /// Seconds.
  package static let steps: [Double] = [0, 0.5, 1, 2, 5, 10]

  /// No server is left alone for longer, whatever it says.
  package static let longest = Duration.seconds(600)

  /// For how long, in nanoseconds, the stream must have been carried to clear the count of failures:
  /// a server that accepts and then drops us is not to be asked without a pause for ever.
  package static let proof = Int64.seconds(5)

  /// Failures in a row.
  package private(set) var failures = 0

  package init() {}

  /// An ingest has carried the stream for so many nanoseconds.
  package mutating func published(for nanoseconds: Int64) {
    if nanoseconds >= Self.proof { failures = 0 }
  }

  /// - Parameters:
  ///   - chance: from 0 to 1, drawn anew for each wait, so that a thousand boxes do not come back in the
  ///     same instant.
  ///   - retryAfter: for how long the server wants to be left alone.
  /// - Returns: How long to wait, step × (1 + chance / 2): `failed(chance: 0)` gives 0, 0.5, 1, 2, 5,
  ///   10, 10 … s, `failed(chance: 1)` gives 0, 0.75, 1.5, 3, 7.5, 15, 15 … s.
  package mutating func failed(chance: Double, retryAfter: Duration? = nil) -> Duration {
    let step = Self.steps[min(failures, Self.steps.count - 1)]
    failures += 1
    let wait = Duration.milliseconds(Int64((step * (1 + chance / 2) * 1000).rounded()))
    return max(wait, min(retryAfter ?? .zero, Self.longest))
  }
}
