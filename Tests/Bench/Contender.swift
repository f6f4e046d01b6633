import Foundation

/// Who is measured.
enum Contender: CaseIterable {
  case ours
  case ffmpeg

  /// `bunny-broadcast`, built beside this program.
  static let ownCommand = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appendingPathComponent("bunny-broadcast").path

  var command: String { self == .ours ? Self.ownCommand : "ffmpeg" }

  /// What it takes to publish `seconds` of the course's clip to `url`.
  func arguments(
    _ course: Course, lookahead: Bool, seconds: Int, to url: String
  ) -> [String] {
    switch self {
    case .ours:
      let quality = lookahead ? course.quality : course.qualityFile
      return words(
        """
        publish --to \(url) --video file:\(course.clip) --quality \(quality)
        --duration \(seconds)s --retry never --events json
        """)
    case .ffmpeg:
      // VideoEncoder.swift's and AudioEncoder.swift's settings, in ffmpeg's words. Threads are
      // left to x264 by both.
      let rate = course.videoBitrate
      return words(
        """
        -hide_banner -loglevel error -nostdin -re -i \(course.clip) -t \(seconds)
        -c:v libx264 -preset veryfast -profile:v high -g 60 -bf 0 -forced-idr 1
        -b:v \(rate) -maxrate \(rate) -bufsize \(rate)
        -x264-params \(x264Parameters(lookahead ? 10 : 0))
        -c:a aac -b:a 128k -ar 48000 -ac 2 -f flv \(url)
        """)
    }
  }

  private func x264Parameters(_ lookahead: Int) -> String {
    "scenecut=0:open-gop=0:sliced-threads=0:rc-lookahead=\(lookahead):sync-lookahead=0:force-cfr=1"
  }
}
