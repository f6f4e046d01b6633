import Foundation

/// How cost grows with the picture: from 480p to 1080p60, from a webcam, with the same x264 settings.
struct GrowthBench {
  let options: BenchOptions

  private static let qualities = ["sd480", "hd720", "fullHd1080", "fullHd1080p60"]
  private static let columns = ["CPU, ms a picture", "CPU, % of a core", "peak memory, MB"]

  func run(into results: inout Results) async throws {
    var table = ResultTable(title: "growth, MJPEG", columns: Self.columns)
    for quality in Self.qualities {
      let course = Course(.mjpeg, quality)
      try await course.prepare(seconds: options.seconds)
      var turns = Turns(course, options)
      for contender in [Contender.ours, .ffmpeg] {
        turns.add("\(quality), \(contender.rawValue)", contender, .same)
      }
      do {
        try await turns.run()
        table.lines += turns.costs
      } catch let failure as BenchFailure where failure.status == 70 {
        // A machine that is too slow for the largest tells of the others all the same.
        say("\(quality) is not in the table: \(failure.sentence)")
        table.goals.append(Goal(title: "\(quality), all of its pictures", value: 0, least: 1))
      }
    }
    results.add(table)
  }
}
