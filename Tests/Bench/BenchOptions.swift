/// What `scripts/bench`, which has the help, was asked for.
struct BenchOptions {
  /// Of media in one run.
  var seconds = 15
  /// How often each command runs; the medians are shown.
  var rounds = 3
  /// Of each row of the failover; nil: the comparison is run instead.
  var trials: Int?

  /// - Throws: ``BenchFailure`` with status 64.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    if rest.first == "failover" {
      rest.removeFirst()
      trials = 200
    }
    while let name = rest.popFirst() {
      switch name {
      case "--seconds" where trials != nil, "--rounds" where trials != nil:
        throw BenchFailure(
          64, "`failover` has no \(name); give --trials N, how often each is measured")
      case "--trials" where trials == nil:
        throw BenchFailure(
          64, "\(name) belongs to `scripts/bench failover`; give --rounds N, how often each runs")
      case "--seconds": seconds = try Self.number(name, rest.popFirst(), 5...28)
      case "--trials": trials = try Self.number(name, rest.popFirst(), 2...10_000)
      case "--rounds": rounds = try Self.number(name, rest.popFirst(), 1...99)
      default: throw BenchFailure(64, "\(name) is no option; see scripts/bench --help")
      }
    }
  }

  private static func number(
    _ name: String, _ text: String?, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = text.flatMap(Int.init), range.contains(number) else {
      throw BenchFailure(
        64, "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

/// Why there is no result.
struct BenchFailure: Error {
  let status: Int32
  let sentence: String

  init(_ status: Int32, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }
}
