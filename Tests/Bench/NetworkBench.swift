import Foundation
import Support

/// How the bit rate follows the network, over a line of real TCP, beside `ffmpeg` with a fixed one.
struct NetworkBench {
  let options: BenchOptions

  func run(into results: inout Results) async throws {
    guard Line.isAvailable else { throw BenchFailure(69, "`network` \(Line.need)") }
    // A new network begins with this machine's.
    let control = try String(
      contentsOfFile: "/proc/sys/net/ipv4/tcp_congestion_control", encoding: .utf8)
    say(
      "the kernel's congestion control is \(control.trimmingCharacters(in: .whitespacesAndNewlines))"
    )
    let phase = Double(options.seconds)
    for course in NetworkCourse.all(phase: phase) {
      // What a fixed rate does for ten minutes is seen in one.
      let short = course.kind == .constant ? course.shortened(to: phase * 2) : course
      var (ours, peer): ([NetworkRun], [NetworkRun]) = ([], [])
      for round in 1...options.rounds {
        say("\(course.title), round \(round): \(Int(course.seconds + short.seconds)) s")
        ours.append(try await NetworkRun(course, ffmpeg: false))
        peer.append(try await NetworkRun(short, ffmpeg: true))
      }
      results.add(table(course, NetworkFigure.all(course, phase: phase), ours, peer))
      results.add(NetworkSeries(course: course, ours: ours[0].marks, ffmpeg: peer[0].marks))
    }
  }

  /// A figure in each line, and those who broadcast in the columns.
  private func table(
    _ course: NetworkCourse, _ figures: [NetworkFigure], _ ours: [NetworkRun], _ peer: [NetworkRun]
  ) -> ResultTable {
    var table = ResultTable(title: course.title, columns: ["ours", "ffmpeg, fixed"])
    for figure in figures {
      let (own, other) = (ours.map(figure.value), figure.isOfBoth ? peer.map(figure.value) : [])
      table.lines.append(.init(name: figure.title, figures: [own, other]))
      switch figure.goal {
      case .none: continue
      case .most(let most):
        table.goals.append(Goal(title: figure.title, value: own.median, most: most))
      case .peers:
        table.goals.append(
          Goal(title: "\(figure.title), against ffmpeg's", value: own.median, most: other.median))
      }
    }
    return table
  }
}

/// What happened in the first round, for a plot.
struct NetworkSeries: Encodable {
  let title: String
  let name: String
  let seconds: Double
  let ours: [NetworkRun.Mark]
  let ffmpeg: [NetworkRun.Mark]

  init(course: NetworkCourse, ours: [NetworkRun.Mark], ffmpeg: [NetworkRun.Mark]) {
    (title, name, seconds) = (course.title, course.file, course.seconds)
    (self.ours, self.ffmpeg) = (ours, ffmpeg)
  }
}

// Two panels with one axis of time: rates, and what is late.
extension NetworkSeries {
  var plot: String {
    // What a fixed rate piles up would hide all else.
    let latest = ours.flatMap { [$0.queueAgeMs, $0.lateMs].compactMap { $0 } }.max() ?? 0
    return """
      set terminal pngcairo size 1200,800 font 'sans,11'
      set datafile missing '?'
      $ours << END
      \(Self.lines(ours))
      END
      $ffmpeg << END
      \(Self.lines(ffmpeg))
      END
      set multiplot layout 2,1 title '\(title)'
      set lmargin 9
      set rmargin 30
      set xrange [0:\(seconds)]
      set yrange [0:*]
      set key outside right top Left reverse
      set ylabel 'Mbit/s'
      plot $ours using 1:2 with steps linewidth 3 linecolor rgb '#bbbbbb' title 'what the line carries', \\
        $ffmpeg using 1:3 with lines linecolor rgb '#dd8833' title 'ffmpeg, arrived', \\
        $ours using 1:3 with lines linecolor rgb '#88aacc' title 'ours, arrived', \\
        $ours using 1:4 with steps linewidth 2 linecolor rgb '#224488' title 'ours, asked for'
      set ylabel 'seconds'
      set xlabel 'seconds'
      set yrange [0:\(max(1, latest / 1000 * 1.1))]
      plot $ffmpeg using 1:6 with lines linecolor rgb '#dd8833' title 'ffmpeg, how late', \\
        $ours using 1:6 with lines linecolor rgb '#88aacc' title 'ours, how late', \\
        $ours using 1:5 with lines linewidth 2 linecolor rgb '#224488' title 'ours, waiting here'
      unset multiplot
      """
  }

  /// Second, capacity, arrived, asked for, queue age, lateness; the rates with IP and all.
  private static func lines(_ marks: [NetworkRun.Mark]) -> String {
    marks.map { mark in
      let asked = mark.target.map { _ in NetworkRun.asked(mark) / 1e6 }
      let values: [Double?] = [
        mark.second, mark.capacity / 1e6, mark.arrived / 1e6, asked,
        mark.queueAgeMs.map { $0 / 1000 }, mark.lateMs.map { $0 / 1000 },
      ]
      return values.map { $0.map { String(format: "%.4g", $0) } ?? "?" }.joined(separator: " ")
    }.joined(separator: "\n")
  }
}
