import BunnyStreamAPI
import BunnySystem
import Foundation
import Support

/// What a client costs that only asks for the ingest status every five seconds, as a broadcast does: the
/// processor time of a process of its own (`bunny-bench poll URL SECONDS`), while it polls and before that,
/// while it does nothing.
struct PollingCost {
  private static let rounds = 3
  private static let pause = Duration.seconds(5)
  /// One tick of the kernel's count in a minute: less than that no tool shows.
  private static let mostPercent = 100 * 0.01 / 60

  let seconds: Int

  /// In percent of a core.
  func rows(_ url: String) async throws -> [SpreadRow] {
    var (idle, polling): ([Double], [Double]) = ([], [])
    for round in 0..<Self.rounds {
      say("polling, round \(round + 1) of \(Self.rounds)")
      let outcome = try await Running.toEnd(
        CommandLine.arguments[0], ["poll", url, "\(seconds)"], atMost: 2 * Double(seconds) + 60)
      let percents = outcome.standardOutput.split(whereSeparator: \.isWhitespace).compactMap {
        Double($0)
      }
      guard outcome.exitStatus == 0, percents.count == 2 else {
        throw BenchFailure(70, "polling: \(outcome)")
      }
      idle.append(percents[0])
      polling.append(percents[1])
    }
    return [
      SpreadRow("doing nothing", idle), SpreadRow("polling every 5 s", polling),
      SpreadRow(
        "the difference", zip(polling, idle).map { $0 - $1 },
        goal: (Self.mostPercent, Self.mostPercent)),
    ]
  }

  /// What such a process does.
  ///
  /// - Returns: whether `arguments` asked for it.
  static func run(_ arguments: [String]) async throws -> Bool {
    guard arguments.count == 3, arguments[0] == "poll", let seconds = Int(arguments[2]) else {
      return false
    }
    let api = try APIBench.client(arguments[1])
    // The first call loads and connects.
    _ = try await api.ingestStatus(libraryId: 12, streamId: "g")
    let polls = seconds / Int(pause / .seconds(1))
    print(try await percent { try await Task.sleep(for: pause * polls) })
    print(
      try await percent {
        for _ in 0..<polls {
          try await Task.sleep(for: pause)
          _ = try await api.ingestStatus(libraryId: 12, streamId: "g")
        }
      })
    return true
  }

  /// Of a core, that this process takes meanwhile.
  private static func percent(_ work: () async throws -> Void) async rethrows -> Double {
    let (began, before) = (MonotonicTime.now, ProcessorTime.ownSeconds)
    try await work()
    return (ProcessorTime.ownSeconds - before) / (Double(MonotonicTime.now - began) / 1e9) * 100
  }
}
