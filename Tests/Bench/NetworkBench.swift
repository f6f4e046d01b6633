import BunnyBroadcast
import Foundation
import Support

/// How the bit rate follows the network, over a line of real TCP, beside `ffmpeg` with a fixed one.
struct NetworkBench {
  private static let folder = ".cache/bench"
  private let phase: Double

  /// - Returns: whether every goal is held; nil: the arguments are not meant for this.
  static func run(_ arguments: [String]) async throws -> Bool? {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case NetworkTrace.name:
      try await NetworkTrace.run(rest)
      return true
    case "network": return try await NetworkBench(rest).run()
    default: return nil
    }
  }

  /// - Parameter arguments: `--seconds N`, of the phases of the first course; the others follow it.
  init(_ arguments: [String]) throws {
    switch arguments.count {
    case 0: phase = 30
    case 2 where arguments[0] == "--seconds":
      guard let seconds = Double(arguments[1]), (6...60).contains(seconds) else {
        throw BenchFailure(64, "--seconds is \(arguments[1]); it takes a number from 6 to 60")
      }
      phase = seconds
    default:
      throw BenchFailure(64, "`network` takes --seconds N; see scripts/bench --help")
    }
  }

  /// - Returns: whether every goal is held.
  func run() async throws -> Bool {
    guard Line.isAvailable else { throw BenchFailure(69, "`network` \(Line.need)") }
    try FileManager.default.createDirectory(
      atPath: Self.folder, withIntermediateDirectories: true)
    var rows: [[String]] = [["the network", "ours", "goal", "held", "ffmpeg, fixed"]]
    var isHeld = true
    for course in NetworkCourse.all(phase: phase) {
      say("\(course.title): \(Int(course.seconds)) s, twice")
      let ours = try await NetworkRun(course, ffmpeg: false)
      let peer = try await NetworkRun(
        course.kind == .constant ? course.shortened(to: phase * 2) : course, ffmpeg: true)
      try await keep(ours, peer)
      for figure in figures(ours, peer) {
        rows.append(figure.cells)
        isHeld = isHeld && figure.isHeld != false
      }
    }
    print(aligned(rows))
    return isHeld
  }

  private struct Figure {
    let title: String
    let value: Double?
    var goal: Double?
    var peer: Double?

    var isHeld: Bool? { goal.map { (value ?? .infinity) <= $0 } }
    var cells: [String] {
      func text(_ value: Double?) -> String {
        value.map { String(format: $0 == $0.rounded() ? "%.0f" : "%.2f", $0) } ?? "never"
      }
      return [
        title, text(value), goal.map { "≤ \(text($0))" } ?? "-",
        isHeld.map { $0 ? "yes" : "NO" } ?? "-", peer.map { text($0) } ?? "-",
      ]
    }
  }

  private func figures(_ ours: NetworkRun, _ peer: NetworkRun) -> [Figure] {
    let course = ours.course
    let all = 0.0..<course.seconds
    var figures: [Figure] = []
    if course.kind == .fallAndRise { figures = fallAndRise(ours) }
    if course.kind == .constant {
      let found = min(60, course.seconds / 4)
      let minutes = (course.seconds - found) / 60
      figures = [
        Figure(
          title: "changes of rate a minute, once found",
          value: Double(ours.changes(found..<course.seconds)) / minutes, goal: 1),
        Figure(
          title: "of the capacity used, %",
          value: ours.marks(found..<course.seconds).map { ours.asked($0) / $0.capacity }.mean * 100),
      ]
    }
    if course.kind == .freezes {
      let before = course.freezes.dropFirst().flatMap { ours.marks($0 - phase / 6..<$0) }
      figures = [
        Figure(
          title: "below the preset before the next freeze, % of the time",
          value: before.map { $0.target ?? 0 < Double(course.bitrate) ? 100.0 : 0 }.mean, goal: 0)
      ]
    }
    figures += [
      Figure(
        title: "most late at the ingest, s", value: ours.most(all) { $0.lateness } / 1000,
        peer: peer.most(all) { $0.lateness } / 1000),
      Figure(title: "frames dropped", value: Double(ours.dropped), goal: 0),
      Figure(
        title: "connections", value: Double(ours.connections), goal: 1,
        peer: Double(peer.connections)),
    ]
    return figures.map {
      Figure(title: "\(course.title): \($0.title)", value: $0.value, goal: $0.goal, peer: $0.peer)
    }
  }

  private func fallAndRise(_ run: NetworkRun) -> [Figure] {
    let (fall, rise, end) = (phase, phase * 2, phase * 3)
    let back = run.marks(rise..<end).first { run.asked($0) >= 3_600_000 }?.second
    let after = run.marks((back ?? end)..<end)
    let overshoots = zip(after, after.dropFirst()).count {
      run.asked($0) > 4_400_000 && run.asked($1) <= 4_400_000
    }
    return [
      Figure(
        title: "fall → queue age below 500 ms, s",
        value: run.settling(fall, until: rise) { $0.queueAge ?? 0 < 500 }, goal: 2),
      Figure(
        title: "fall → rate within 10 % of the capacity, s",
        value: run.marks(fall + 0.3..<rise).first { abs(run.asked($0) / 1_500_000 - 1) <= 0.1 }
          .map { $0.second - fall }, goal: 2.5),
      Figure(title: "rise → 90 % of 4 Mbit/s, s", value: back.map { $0 - rise }, goal: 10),
      Figure(title: "overshoots", value: Double(overshoots), goal: 1),
    ]
  }
}

// What is kept.
extension NetworkBench {
  private func keep(_ ours: NetworkRun, _ peer: NetworkRun) async throws {
    let base = "\(Self.folder)/network-\(ours.course.file)"
    let series = JSONValue.object([
      .init("title", .string(ours.course.title)), .init("ours", series(ours)),
      .init("ffmpeg", series(peer)),
    ])
    try series.line.write(toFile: "\(base).json", atomically: true, encoding: .utf8)
    for (name, run) in [("ours", ours), ("ffmpeg", peer)] {
      try run.marks.map { mark in
        [
          mark.second, mark.capacity / 1e6, mark.arrived / 1e6, (mark.target ?? 0) / 1e6,
          mark.queueAge ?? 0, mark.lateness ?? 0,
        ].map { "\($0)" }.joined(separator: " ")
      }.joined(separator: "\n").write(
        toFile: "\(base)-\(name).dat", atomically: true, encoding: .utf8)
    }
    await plot(ours.course.title, base)
  }

  private func series(_ run: NetworkRun) -> JSONValue {
    .array(
      run.marks.map { mark in
        func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
        return .object([
          .init("second", .number(mark.second)), .init("capacity", .number(mark.capacity)),
          .init("arrived", .number(mark.arrived)), .init("sent", number(mark.sent)),
          .init("target", number(mark.target)), .init("queueAgeMs", number(mark.queueAge)),
          .init("lateMs", number(mark.lateness)),
        ])
      })
  }

  private func plot(_ title: String, _ base: String) async {
    let script = """
      set terminal pngcairo size 1200,800; set output '\(base).png'
      set multiplot layout 2,1 title '\(title)'
      set xlabel 's'; set key outside; set ylabel 'Mbit/s'; set yrange [0:*]
      plot '\(base)-ours.dat' u 1:2 w steps lw 2 t 'capacity', '' u 1:4 w l lw 2 t 'target', \\
        '' u 1:3 w l t 'arrived', '\(base)-ffmpeg.dat' u 1:3 w l dt 2 t "ffmpeg's"
      set ylabel 'ms'
      plot '\(base)-ours.dat' u 1:5 w l lw 2 t 'queue age', '' u 1:6 w l t 'late', \\
        '\(base)-ffmpeg.dat' u 1:6 w l dt 2 t "ffmpeg's, late"
      """
    do {
      try script.write(toFile: "\(base).gp", atomically: true, encoding: .utf8)
      let outcome = try await ChildProcess.run("gnuplot", ["\(base).gp"])
      if outcome.exitStatus != 0 { say("no plot: \(outcome.standardError)") }
    } catch {
      say("no plot: \(error); is gnuplot installed?")
    }
  }
}

extension NetworkCourse {
  fileprivate func shortened(to seconds: Double) -> NetworkCourse {
    NetworkCourse(
      kind: kind, title: title, file: file, bitrate: bitrate, seconds: seconds, phases: phases,
      freezes: freezes)
  }
}
