import Foundation

/// Ours against the peer on one course, taking turns.
struct Comparison {
  private let course: Course
  private let options: BenchOptions

  init(_ course: Course, _ options: BenchOptions) {
    self.course = course
    self.options = options
  }

  /// - Returns: The table's rows.
  func rows() async throws -> [Row] {
    let whole = try await turns("\(options.seconds) s", seconds: options.seconds, lookahead: true)
    let short = try await turns("start, no look-ahead", seconds: 1, lookahead: false)
    warn((whole.ours + whole.peers).map(\.otherWork).median)
    let handling = whole.ours.compactMap(\.handling)
    guard handling.count == whole.ours.count else {
      throw BenchFailure(70, "there are no handling times in bunny-broadcast's `ended` event")
    }
    return [
      Row(
        title: "CPU", ours: whole.ours.map(\.cpuSeconds), peers: whole.peers.map(\.cpuSeconds),
        unit: " s", goal: .ratio(1.03)),
      Row(
        title: "peak memory", ours: whole.ours.map(\.peakMemory),
        peers: whole.peers.map(\.peakMemory), unit: " MB", goal: .ratio(1)),
      Row(
        title: "first keyframe, look-ahead 10", ours: whole.ours.map(\.firstKeyframe),
        peers: whole.peers.map(\.firstKeyframe), unit: " ms"),
      Row(
        title: "first keyframe, look-ahead 0", ours: short.ours.map(\.firstKeyframe),
        peers: short.peers.map(\.firstKeyframe), unit: " ms", goal: .value(150)),
      Row(title: "handling, p50", ours: handling.map(\.p50), unit: " ms", goal: .value(1)),
      Row(title: "handling, p99", ours: handling.map(\.p99), unit: " ms", goal: .value(5)),
    ]
  }

  /// Other work spoils the milliseconds first.
  private func warn(_ otherWork: Double) {
    guard otherWork > 0.15 else { return }
    let percent = Int((otherWork * 100).rounded())
    say("\(course.name) is rough: other work took \(percent) % of a core meanwhile")
  }

  /// Who begins changes from round to round.
  private func turns(
    _ what: String, seconds: Int, lookahead: Bool
  ) async throws -> (ours: [Trial], peers: [Trial]) {
    var trials: [Contender: [Trial]] = [:]
    for round in 0..<options.rounds {
      say("\(course.name), \(what), round \(round + 1) of \(options.rounds)")
      let order = round % 2 == 0 ? Contender.allCases : Contender.allCases.reversed()
      for contender in order {
        let trial = try await Trial.run(
          contender, course, lookahead: lookahead, seconds: seconds)
        trials[contender, default: []].append(trial)
      }
    }
    let settings = Set(trials.values.joined().map(\.x264Settings))
    guard settings.count == 1 else {
      throw BenchFailure(70, "x264 was set differently:\n\(settings.joined(separator: "\n"))")
    }
    return (trials[.ours] ?? [], trials[.ffmpeg] ?? [])
  }
}
