import BunnyBroadcast
import Foundation
import Support

/// What is broadcast: a picture of some form and size, at a quality.
struct Course: Sendable {
  /// How the picture comes in.
  enum Feed: String {
    /// A webcam's: 4:2:2, full range, BT.601, one JPEG after the other.
    case mjpeg = "MJPEG"
    /// A capture card's: 4:2:2, limited range, not compressed.
    case yuyv = "YUYV"
    /// A file with sound, of just the broadcast's form: nothing is left to convert.
    case h264 = "H.264"
  }

  let feed: Feed
  /// A built-in one.
  let quality: String
  let width: Int
  let height: Int
  let framesPerSecond: Int
  let videoBitrate: Int

  init(_ feed: Feed, _ name: String) {
    let quality = BroadcastQuality.presets.first { $0.name == name }!.quality
    (self.feed, self.quality, videoBitrate) = (feed, name, quality.videoBitrate)
    (width, height) = (quality.resolution.width, quality.resolution.height)
    framesPerSecond = Int(quality.frameRate)
  }

  /// Those whose cost is compared.
  static let all = [
    Course(.mjpeg, "hd720"), Course(.mjpeg, "fullHd1080"), Course(.yuyv, "hd720"),
    Course(.h264, "hd720"), Course(.mjpeg, "sd480"), Course(.mjpeg, "fullHd1080p60"),
  ]

  var name: String { "\(feed.rawValue) \(height)p\(framesPerSecond)" }
  private var shortName: String { "\(height)p\(framesPerSecond)" }

  static let folder = ".cache/bench"
  static let source = ".cache/bigbuckbunny.mp4"
  /// Frames of a feed that comes through a FIFO: two GOPs.
  private var frameCount: Int { 4 * framesPerSecond }
  private var frameFolder: String {
    "\(Self.folder)/\(feed == .mjpeg ? "mjpeg" : "yuyv")-\(shortName)"
  }
  var frames: [String] { (1...frameCount).map { "\(frameFolder)/\($0).frame" } }
  /// The H.264 feed, with its sound.
  var clip: String { "\(Self.folder)/\(shortName).mp4" }
  /// What should be seen of it: 4:2:0, bt709 limited, without loss.
  var reference: String { feed == .h264 ? clip : "\(frameFolder).mkv" }
  /// The sound beside a feed that has none, of exactly so many seconds.
  static func sound(seconds: Int) -> String { "\(folder)/sound-\(seconds).wav" }

  /// Makes what is not there yet.
  func prepare(seconds: Int) async throws {
    try FileManager.default.createDirectory(
      atPath: Self.folder, withIntermediateDirectories: true)
    guard FileManager.default.fileExists(atPath: Self.source) else {
      throw BenchFailure(69, "\(Self.source) is not there; scripts/setup --bench fetches it")
    }
    try await Making.file(
      Self.sound(seconds: seconds),
      "-stream_loop -1 -i \(Self.source) -vn -t \(seconds) -ar 48000 -ac 2 -f wav")
    switch feed {
    case .h264: try await prepareClip()
    case .mjpeg: try await prepareFrames("-pix_fmt yuvj422p -c:v mjpeg -q:v 4", "pc", "bt601")
    case .yuyv: try await prepareFrames("-pix_fmt yuyv422 -c:v rawvideo", "tv", "bt601")
    }
  }

  /// Half a minute of a real picture with sound.
  private func prepareClip() async throws {
    try await Making.file(
      clip,
      """
      -stream_loop -1 -r \(framesPerSecond) -i \(Self.source) -stream_loop -1 -i \(Self.source)
      -map 0:v -map 1:a -t 30
      -vf scale=\(width):\(height):out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p
      \(Making.broadcastColour)
      -c:v libx264 -preset veryfast -crf 20 -g 60 -sc_threshold 0
      -c:a aac -b:a 160k -ar 48000 -ac 2 -f mp4
      """)
  }

  /// The same picture with a sensor's noise, in a camera's form, and what is to be seen of it.
  private func prepareFrames(_ form: String, _ range: String, _ matrix: String) async throws {
    try await Making.folder(
      frameFolder,
      """
      -stream_loop -1 -r \(framesPerSecond) -i \(Self.source) -an -frames:v \(frameCount)
      -vf scale=\(width):\(height):out_color_matrix=\(matrix):out_range=\(range),setsar=1,\
      noise=c0s=3:allf=t:c0_seed=1
      \(form) -f image2
      """, "%d.frame")
    let input =
      feed == .mjpeg
      ? "-f image2 -c:v mjpeg"
      : "-f image2 -c:v rawvideo -pix_fmt yuyv422 -video_size \(width)x\(height)"
    try await Making.file(
      reference,
      """
      \(input) -framerate \(framesPerSecond) -i \(frameFolder)/%d.frame
      -vf scale=in_color_matrix=\(matrix):in_range=\(range):out_color_matrix=bt709:out_range=tv,\
      format=yuv420p
      \(Making.broadcastColour) -c:v libx264 -preset ultrafast -qp 0 -f matroska
      """)
  }
}

/// What is made once with `ffmpeg`, into .cache/.
enum Making {
  static let broadcastColour =
    "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv"

  /// - Parameter arguments: all but the output.
  static func file(_ path: String, _ arguments: String) async throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let unfinished = "\(path).part"
    try await run(arguments, unfinished, for: path) { unlink(unfinished) }
    try FileManager.default.moveItem(atPath: unfinished, toPath: path)
  }

  /// - Parameter files: the pattern of the files in it.
  static func folder(_ path: String, _ arguments: String, _ files: String) async throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let unfinished = "\(path).part"
    try? FileManager.default.removeItem(atPath: unfinished)  // of a run that was interrupted
    try FileManager.default.createDirectory(
      atPath: unfinished, withIntermediateDirectories: true)
    try await run(arguments, "\(unfinished)/\(files)", for: path) {}
    try FileManager.default.moveItem(atPath: unfinished, toPath: path)
  }

  private static func run(
    _ arguments: String, _ output: String, for path: String,
    leaving cleanUp: @escaping @Sendable () -> Void
  ) async throws {
    say("making \(path)")
    let outcome = try await Running.toEnd(
      "ffmpeg", words("-hide_banner -loglevel error -nostdin -y \(arguments) \(output)"),
      atMost: 600, leaving: cleanUp)
    guard outcome.exitStatus == 0 else {
      throw BenchFailure(69, "ffmpeg could not make \(path): \(outcome.standardError)")
    }
  }
}

/// The words of a command line without quotes.
func words(_ text: String) -> [String] {
  text.split(whereSeparator: \.isWhitespace).map(String.init)
}

func say(_ sentence: String) {
  FileHandle.standardError.write(Data("bench: \(sentence)\n".utf8))
}
