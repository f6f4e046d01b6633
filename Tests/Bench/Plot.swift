import BunnyBroadcast
import Foundation
import Support

/// What a picture tells better than a table, drawn by gnuplot.
struct Plot {
  let folder: String

  func draw(_ results: Results) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let tables = results.tables
    try await draw("cost", Self.cost(tables))
    try await draw("quality", Self.quality(tables))
    try await draw("growth", Self.growth(tables))
    for series in results.series { try await draw("network-\(series.name)", series.plot) }
  }

  /// Its lines stay beside the picture, so that it can be drawn in another way.
  private func draw(_ name: String, _ script: String?) async throws {
    guard let script else { return }
    let path = "\(folder)/\(name)"
    let text = """
      set terminal pngcairo size 1000,600 font 'sans,11'
      set output '\(path).png'
      set grid
      \(script)
      """
    try text.write(toFile: "\(path).gnuplot", atomically: false, encoding: .utf8)
    let outcome = try await Running.toEnd("gnuplot", ["\(path).gnuplot"], atMost: 60)
    guard outcome.exitStatus == 0 else {
      throw BenchFailure(69, "gnuplot could not draw \(path).png: \(outcome.standardError)")
    }
    say("\(path).png shows it")
  }

  /// A bar for each who broadcasts, table by table.
  private static func cost(_ tables: [ResultTable]) -> String? {
    let shown = tables.filter { $0.columns == CostBench.columns && !$0.title.contains("without") }
    let bars = shown.flatMap { table in
      table.lines.map { line in
        "\"\(table.title): \(line.name)\" \(line.figures[0].median)"
      }
    }
    guard !bars.isEmpty else { return nil }
    return """
      set terminal pngcairo size 1000,\(120 + 26 * bars.count) font 'sans,10'
      set title 'Processor time'
      set xlabel 'ms a picture'
      set style fill solid 0.7
      set yrange [*:*] reverse
      set xrange [0:*]
      set offsets 0, 0, 0.6, 0.6
      unset key
      $bars << END
      \(bars.joined(separator: "\n"))
      END
      plot $bars using ($2/2):0:($2/2):(0.4):ytic(1) with boxxyerror linecolor rgb '#336699'
      """
  }

  /// A point for each way to set x264.
  private static func quality(_ tables: [ResultTable]) -> String? {
    guard let table = tables.first(where: { $0.title.hasPrefix("hd720 at") }) else { return nil }
    func points(_ lines: [ResultTable.Line]) -> String {
      lines.map { line in
        "\(line.figures[0].median) \(line.figures[3].median) \"\(line.name)\"\n"
      }.joined()
    }
    // More time is a better picture: what is written above it, to the left, is out of the next one's way.
    let efforts = Set(EncoderEffort.allCases.map(\.name))
    let (ours, others) = (
      points(table.lines.filter { efforts.contains($0.name) }),
      points(table.lines.filter { !efforts.contains($0.name) })
    )
    return """
      set title 'Quality against processor time, \(table.title), mean of the clips'
      set xlabel 'ms a picture'
      set ylabel 'SSIM, dB'
      set xrange [0:*]
      set offsets 0, 2, 0.2, 0.2
      unset key
      $ours << END
      \(ours)END
      $others << END
      \(others)END
      plot $ours using 1:2 with linespoints pointtype 7 linecolor rgb '#336699', \\
        $ours using 1:2:3 with labels right offset -1,0.5, \\
        $others using 1:2 with points pointtype 7 linecolor rgb '#993333', \\
        $others using 1:2:3 with labels left offset 1,0
      """
  }

  /// A line for each program, from the smallest picture to the largest.
  private static func growth(_ tables: [ResultTable]) -> String? {
    guard let table = tables.first(where: { $0.title.hasPrefix("growth") }) else { return nil }
    let contenders = [Contender.ours, .ffmpeg].map(\.rawValue)
    let data = contenders.enumerated().map { index, contender in
      let rows = table.lines.filter { $0.name.hasSuffix(contender) }.map { line in
        "\"\(line.name.prefix { $0 != "," })\" \(line.figures[1].median)"
      }
      return "$line\(index) << END\n\(rows.joined(separator: "\n"))\nEND\n"
    }
    let lines = contenders.enumerated().map { index, contender in
      "$line\(index) using 0:2:xtic(1) with linespoints pointtype 7 title '\(contender)'"
    }
    return """
      set title 'How cost grows: MJPEG, the same x264 settings'
      set ylabel '% of a core'
      set yrange [0:*]
      set offsets 0.3, 0.3, 0, 0
      set key left top
      \(data.joined())plot \(lines.joined(separator: ", "))
      """
  }
}
