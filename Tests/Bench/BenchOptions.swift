/// What `scripts/bench`, which has the help, was asked for.
struct BenchOptions {
  enum Topic: String, CaseIterable {
    case cost, quality, growth, conversion, watch, failover, network, api

    /// Whether a plain `scripts/bench` runs it.
    var isShort: Bool { ![.failover, .network, .api].contains(self) }
  }

  /// nil: all that are short.
  var topic: Topic?
  /// Of media in one run; of a phase of the network; of polling.
  var seconds = 10
  /// How often each contender runs; the medians are shown.
  var rounds = 3
  /// Of each row of the failover; of each call of the API.
  var trials = 200
  /// Where every single result goes.
  var json: String?
  /// The folder that the plots go to.
  var plots: String?

  /// - Throws: ``BenchFailure`` with status 64.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    if let word = rest.first, !word.hasPrefix("-") {
      guard let topic = Topic(rawValue: word) else {
        let topics = Topic.allCases.map(\.rawValue).joined(separator: ", ")
        throw BenchFailure(64, "\(word) is no topic; the topics are \(topics)")
      }
      self.topic = topic
      switch topic {
      case .network: (seconds, rounds) = (30, 1)
      case .api: (seconds, trials) = (60, 1000)
      default: break
      }
      rest.removeFirst()
    }
    while let name = rest.popFirst() {
      switch name {
      case "--seconds" where topic == .failover, "--rounds" where topic == .failover:
        throw BenchFailure(
          64, "`failover` has no \(name); give --trials N, how often each is measured")
      case "--rounds" where topic == .api:
        throw BenchFailure(
          64, "`api` has no --rounds; give --trials N, how often each call is made")
      case "--trials" where topic != .failover && topic != .api:
        throw BenchFailure(
          64,
          "\(name) belongs to `scripts/bench failover` and `api`; give --rounds N, how often "
            + "each runs")
      case "--seconds":
        seconds = try Self.number(name, rest.popFirst(), secondsRange)
      case "--trials": trials = try Self.number(name, rest.popFirst(), 2...10_000)
      case "--rounds": rounds = try Self.number(name, rest.popFirst(), 1...99)
      case "--json": json = try Self.path(name, rest.popFirst())
      case "--plots": plots = try Self.path(name, rest.popFirst())
      default: throw BenchFailure(64, "\(name) is no option; see scripts/bench --help")
      }
    }
  }

  private var secondsRange: ClosedRange<Int> {
    switch topic {
    case .network: 6...60
    case .api: 10...600
    default: 5...28
    }
  }

  private static func path(_ name: String, _ text: String?) throws -> String {
    guard let text, !text.isEmpty else { throw BenchFailure(64, "\(name) takes a path") }
    return text
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
