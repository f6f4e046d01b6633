/// One figure of a course, and what is wanted of it.
struct NetworkFigure {
  enum Goal {
    case none
    case most(Double)
    /// No more than ffmpeg's, in the same run.
    case peers
  }

  let title: String
  var goal = Goal.none
  /// ffmpeg has it too.
  var isOfBoth = false
  let value: (NetworkRun) -> Double

  /// - Parameter phase: seconds, of the first course's.
  static func all(_ course: NetworkCourse, phase: Double) -> [NetworkFigure] {
    let own =
      switch course.kind {
      case .fallAndRise: fallAndRise(phase)
      case .constant: constant(course)
      case .freezes: freezes(course, phase)
      case .lossy: [] as [NetworkFigure]
      }
    // A broadcast begins before its ingest answers: that is made up for at first.
    let begun = phase / 3..<course.seconds
    return own + [
      NetworkFigure(
        title: "latest at the ingest, once begun, s", goal: .peers, isOfBoth: true,
        value: { $0.most(begun, \.lateMs) / 1000 }),
      NetworkFigure(
        title: "latest while it begins, s", isOfBoth: true,
        value: { $0.most(0..<phase / 3, \.lateMs) / 1000 }),
      NetworkFigure(
        title: "arrived, once begun, Mbit/s", isOfBoth: true,
        value: { $0.marks(begun).map { $0.arrived / 1e6 }.mean }),
      NetworkFigure(title: "frames dropped", goal: .most(0), value: { Double($0.dropped) }),
      NetworkFigure(
        title: "connections", goal: .most(1), isOfBoth: true, value: { Double($0.connections) }),
    ]
  }

  private static func fallAndRise(_ phase: Double) -> [NetworkFigure] {
    let (fall, rise, end) = (phase, phase * 2, phase * 3)
    /// From the rise; a phase: never.
    func back(_ run: NetworkRun) -> Double {
      run.marks(rise..<end).first { NetworkRun.asked($0) >= 3_600_000 }
        .map { $0.second - rise } ?? phase
    }
    return [
      NetworkFigure(
        title: "fall → queue age below 500 ms, s", goal: .most(2),
        value: { $0.settling(fall, until: rise) { $0.queueAgeMs ?? 0 < 500 } ?? phase }),
      NetworkFigure(
        title: "fall → rate within 10 % of the capacity, s", goal: .most(2.5),
        value: { run in
          run.marks(fall + 0.3..<rise).first { abs(NetworkRun.asked($0) / 1_500_000 - 1) <= 0.1 }
            .map { $0.second - fall } ?? phase
        }),
      NetworkFigure(title: "rise → 90 % of 4 Mbit/s, s", goal: .most(10), value: back),
      NetworkFigure(
        title: "overshoots", goal: .most(1),
        value: { run in
          let after = run.marks(rise + back(run)..<end).map(NetworkRun.asked)
          return Double(
            zip(after, after.dropFirst()).count { $0 > 4_400_000 && $1 <= 4_400_000 })
        }),
    ]
  }

  private static func constant(_ course: NetworkCourse) -> [NetworkFigure] {
    let found = min(60, course.seconds / 4)..<course.seconds
    let minutes = (found.upperBound - found.lowerBound) / 60
    return [
      NetworkFigure(
        title: "changes of rate a minute, once found", goal: .most(1),
        value: { Double($0.changes(found)) / minutes }),
      NetworkFigure(
        title: "of the capacity asked for, %",
        value: { $0.marks(found).map { NetworkRun.asked($0) / $0.capacity }.mean * 100 }),
    ]
  }

  private static func freezes(_ course: NetworkCourse, _ phase: Double) -> [NetworkFigure] {
    [
      NetworkFigure(
        title: "below the preset before the next freeze, % of the time", goal: .most(0),
        value: { run in
          let before = course.freezes.dropFirst().flatMap { run.marks($0 - phase / 6..<$0) }
          return before.map { $0.target ?? 0 < Double(course.bitrate) ? 100.0 : 0 }.mean
        })
    ]
  }
}
