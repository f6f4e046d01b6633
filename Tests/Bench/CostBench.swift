import Foundation

/// What a broadcast costs: ours, ffmpeg's and GStreamer's, of the same picture, and x264 alone.
struct CostBench {
  let options: BenchOptions

  private static let courses = Course.all.prefix(4)
  static let columns = [
    "CPU, ms a picture", "once begun", "peak memory, MB", "first keyframe, ms", "SSIM, dB",
    "handling p50, ms", "handling p99, ms",
  ]

  func run(into results: inout Results) async throws {
    for course in Self.courses {
      try await course.prepare(seconds: options.seconds)
      try await course.prepare(seconds: Self.startSeconds)
      results.add(try await same(course))
      results.add(try await start(course))
      results.add(try await usual(course))
    }
  }

  /// The same x264 settings for all.
  private func same(_ course: Course) async throws -> ResultTable {
    var table = ResultTable(
      title: "\(course.name), same x264 settings", columns: Self.columns)
    var turns = Turns(course, options)
    for contender in Contender.all(of: course) {
      turns.add(contender.rawValue, contender, .same)
    }
    try await turns.run()
    try turns.expectSameSettings([.ours, .ffmpeg])
    table.lines = try await turns.lines()
    var floor: [Double] = []
    for work in Floor.allCases where work != .jpeg || course.feed == .mjpeg {
      var rounds: [Double] = []
      for _ in 0..<options.rounds {
        rounds.append(try await work.measured(course, .same, seconds: options.seconds))
      }
      floor.append(rounds.median)
      let empty = Array(repeating: [Double](), count: Self.columns.count - 1)
      table.lines.append(.init(name: "\(work.rawValue) alone", figures: [rounds] + empty))
    }
    let ours = table[Contender.ours.rawValue, 0]
    let running = table[Contender.ours.rawValue, 1]
    let most = course.feed == .mjpeg ? 0.85 : 1
    table.goals =
      Goal.ratio("CPU, of ffmpeg's", ours, to: table[Contender.ffmpeg.rawValue, 0], most: most)
      + Goal.ratio(
        "peak memory, of ffmpeg's", table[Contender.ours.rawValue, 2],
        to: table[Contender.ffmpeg.rawValue, 2], most: 1)
    // Frames that came late, and were repeated, would be cheap.
    if let ours = table[Contender.ours.rawValue, 4], let peer = table[Contender.ffmpeg.rawValue, 4]
    {
      table.goals.append(
        Goal(title: "SSIM, below ffmpeg's", value: peer - ours, most: 0.2, unit: " dB"))
    }
    // A decoder of H.264 is no part of a camera's broadcast.
    if let running, course.feed != .h264, course.quality == "hd720" {
      let rest = (running - floor.reduce(0, +)) * Double(course.framesPerSecond) / 10
      let title = "all but \(course.feed == .mjpeg ? "x264, JPEG and AAC" : "x264 and AAC")"
      table.goals.append(Goal(title: title, value: rest, most: 2, unit: " % of a core"))
    }
    return table
  }

  private static let startSeconds = 5

  /// From exec to the first keyframe, when nothing is looked ahead.
  private func start(_ course: Course) async throws -> ResultTable {
    var turns = Turns(course, options, seconds: Self.startSeconds)
    for contender in Contender.all(of: course) {
      turns.add(contender.rawValue, contender, .withoutLookahead)
    }
    try await turns.run()
    var table = ResultTable(
      title: "\(course.name), without look-ahead", columns: Self.columns)
    table.lines = try await turns.lines()
    table.goals =
      Goal.most("first keyframe", table[Contender.ours.rawValue, 3], 150, unit: " ms")
      + Goal.most("handling p99", table[Contender.ours.rawValue, 6], 5, unit: " ms")
    // Of a camera's JPEG, decoding is in it.
    if course.feed != .mjpeg {
      table.goals += Goal.most("handling p50", table[Contender.ours.rawValue, 5], 1, unit: " ms")
    }
    return table
  }

  /// What each does by itself.
  private func usual(_ course: Course) async throws -> ResultTable {
    let (mine, common) = ("ours, --cpu light", "ffmpeg -preset veryfast -tune zerolatency")
    var turns = Turns(course, options)
    turns.add(mine, .ours, .light)
    turns.add("ours, --cpu good", .ours, .good)
    turns.add("ours, --cpu auto (the default)", .ours, .usual)
    turns.add(common, .ffmpeg, .usual)
    turns.add("ffmpeg, look-ahead of 10", .ffmpeg, .same)
    if course.feed != .h264 { turns.add("GStreamer, zerolatency", .gstreamer, .usual) }
    try await turns.run()
    var table = ResultTable(title: "\(course.name), as each is used", columns: Self.columns)
    table.lines = try await turns.lines()
    guard course.feed == .mjpeg, course.quality == "hd720" else { return table }
    table.goals =
      Goal.ratio(
        "CPU, of the common ffmpeg line's", table[mine, 0], to: table[common, 0], most: 0.6)
    if let ours = table[mine, 4], let peer = table[common, 4] {
      table.goals.append(
        Goal(title: "SSIM, above the common line's", value: ours - peer, least: 0, unit: " dB"))
    }
    return table
  }
}
