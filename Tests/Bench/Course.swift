import Foundation
import Support

/// A size to be measured at: one of the built-in qualities, and a clip of just that form.
struct Course {
  let quality: String
  let width: Int
  let height: Int
  let videoBitrate: Int

  static let all = [
    Course(quality: "hd720", width: 1280, height: 720, videoBitrate: 2_500_000),
    Course(quality: "fullHd1080", width: 1920, height: 1080, videoBitrate: 4_500_000),
  ]

  var name: String { "\(height)p30" }
  var clip: String { ".cache/bench-\(name).mp4" }
  static let source = ".cache/bigbuckbunny.mp4"
  /// The quality without look-ahead.
  var qualityFile: String { ".cache/bench-\(name).json" }
  private var unfinished: String { "\(clip).part" }

  private var qualityWithoutLookahead: String {
    """
    {"resolution": {"width": \(width), "height": \(height)}, "frameRate": 30,
      "videoBitrate": \(videoBitrate), "encoder": {"lookahead": 0}}
    """
  }

  /// Writes the quality file, and the clip unless it is there.
  func prepare() async throws {
    try await prepareClip()
    try qualityWithoutLookahead.write(toFile: qualityFile, atomically: false, encoding: .utf8)
  }

  /// Half a minute of a real picture with sound, 30 frames a second, bt709 limited, 48 kHz stereo,
  /// so that nothing is left to convert.
  private func prepareClip() async throws {
    guard !FileManager.default.fileExists(atPath: clip) else { return }
    guard FileManager.default.fileExists(atPath: Self.source) else {
      throw BenchFailure(69, "\(Self.source) is not there; scripts/setup --test fetches it")
    }
    say("making \(clip)")
    let arguments = """
      -hide_banner -loglevel error -nostdin -y
      -stream_loop -1 -r 30 -i \(Self.source) -stream_loop -1 -i \(Self.source)
      -map 0:v -map 1:a -t 30
      -vf scale=\(width):\(height):out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p
      -color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv
      -c:v libx264 -preset veryfast -crf 20 -g 60 -sc_threshold 0
      -c:a aac -b:a 160k -ar 48000 -ac 2 -f mp4 \(unfinished)
      """
    let unfinished = unfinished
    let outcome = try await Running.toEnd(
      "ffmpeg", words(arguments), atMost: 600, leaving: { unlink(unfinished) })
    guard outcome.exitStatus == 0 else {
      throw BenchFailure(69, "ffmpeg could not make \(clip): \(outcome.standardError)")
    }
    try FileManager.default.moveItem(atPath: unfinished, toPath: clip)
  }
}

/// The words of a command line without quotes.
func words(_ text: String) -> [String] {
  text.split(whereSeparator: \.isWhitespace).map(String.init)
}

func say(_ sentence: String) {
  FileHandle.standardError.write(Data("bench: \(sentence)\n".utf8))
}
