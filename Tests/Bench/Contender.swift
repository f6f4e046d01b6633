import Foundation

/// How x264 is set, in everybody's words.
enum X264: String, CaseIterable {
  /// The same for all, letter by letter: veryfast, ten pictures of look-ahead, no B-frames.
  case same
  /// As `same`, but without look-ahead: for the time to the first keyframe.
  case withoutLookahead
  /// What each does by itself: ours fits its effort to the processor; of others, what most command lines
  /// say, `-preset veryfast -tune zerolatency`.
  case usual
  /// Ours only, at one of its efforts.
  case light, good

  /// Whether nothing is left to anybody's defaults.
  var isPinned: Bool { self == .same || self == .withoutLookahead }

  /// Pinned, so that no default of ours changes what is compared.
  func qualityFile(_ course: Course) throws -> String {
    guard isPinned else { return course.quality }
    let path = "\(Course.folder)/\(course.quality)-\(rawValue).json"
    let text = """
      {"resolution": {"width": \(course.width), "height": \(course.height)},
        "frameRate": \(course.framesPerSecond), "videoBitrate": \(course.videoBitrate),
        "encoder": {"preset": "veryfast", "lookahead": \(lookahead), "bFrames": 0, "threads": \(threads)}}
      """
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private var lookahead: Int { self == .same ? 10 : 0 }
  /// x264's frame threads.
  private var threads: Int { 2 }

  /// Of ours.
  var effort: String { self == .light || self == .good ? "--cpu \(rawValue)" : "" }

  /// VideoEncoder.swift's settings, in ffmpeg's words.
  func ffmpegArguments(_ course: Course) -> String {
    let rate = course.videoBitrate
    let rates = "-b:v \(rate) -maxrate \(rate) -bufsize \(rate) -g \(2 * course.framesPerSecond)"
    let encoder = "-c:v libx264 -preset veryfast"
    guard isPinned else { return "\(encoder) -tune zerolatency -pix_fmt yuv420p \(rates)" }
    let parameters =
      "scenecut=0:open-gop=0:sliced-threads=0:rc-lookahead=\(lookahead):sync-lookahead=0:force-cfr=1"
    let pinned = "-profile:v high -bf 0 -forced-idr 1 -threads \(threads)"
    return "\(encoder) \(pinned) \(rates) -x264-params \(parameters)"
  }

  /// In GStreamer's. Its bit rates are in kbit/s, its buffer in milliseconds.
  func gstreamerElement(_ course: Course) -> String {
    let common = """
      x264enc speed-preset=veryfast bitrate=\(course.videoBitrate / 1000) vbv-buf-capacity=1000
      key-int-max=\(2 * course.framesPerSecond)
      """
    guard isPinned else { return "\(common) tune=zerolatency" }
    return """
      \(common) bframes=0 rc-lookahead=\(lookahead) sync-lookahead=0 sliced-threads=false threads=\(threads)
      option-string=scenecut=0:open-gop=0:force-cfr=1 ! video/x-h264,profile=high
      """
  }
}

/// A program that broadcasts, and how it is told to.
enum Contender: String, CaseIterable {
  case ours = "bunny-broadcast"
  case ffmpeg
  case gstreamer = "GStreamer"

  /// One run.
  struct Job {
    let course: Course
    let x264: X264
    let seconds: Int
    /// The clip, or the FIFO that the frames come through.
    let input: String
    let url: String

    var sound: String { Course.sound(seconds: seconds) }
  }

  /// GStreamer reads a file as fast as it can, which is other work.
  static func all(of course: Course) -> [Self] {
    course.feed == .h264 ? [.ours, .ffmpeg] : allCases
  }

  /// A program of ours, built beside this one.
  static func ownCommand(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

  var command: String {
    switch self {
    case .ours: Self.ownCommand("bunny-broadcast")
    case .ffmpeg: "ffmpeg"
    case .gstreamer: "gst-launch-1.0"
    }
  }

  /// A file that says nothing of when it ends is cut by who feeds it.
  var endsWithItsInput: Bool { self == .gstreamer }

  func arguments(_ job: Job) throws -> [String] {
    switch self {
    case .ours: words(try ownArguments(job))
    case .ffmpeg: words(ffmpegArguments(job))
    case .gstreamer: words(gstreamerArguments(job))
    }
  }

  private func ownArguments(_ job: Job) throws -> String {
    let course = job.course
    let form =
      "--camera-size \(course.width)x\(course.height) --camera-fps \(course.framesPerSecond)"
    let input =
      switch course.feed {
      case .h264: "--video file:\(job.input)"
      case .mjpeg: "--video pipe:\(job.input) --camera-format MJPG \(form)"
      case .yuyv: "--video pipe:\(job.input) --camera-format YUYV \(form)"
      }
    let sound = course.feed == .h264 ? "" : "--audio file:\(job.sound)"
    return """
      publish --to \(job.url) \(input) \(sound) --quality \(try job.x264.qualityFile(course))
      \(job.x264.effort) --bitrate fixed --duration \(job.seconds)s --retry never --events json
      """
  }

  private func ffmpegArguments(_ job: Job) -> String {
    let course = job.course
    let form = "-framerate \(course.framesPerSecond)"
    let sound = "-re -i \(job.sound) -map 0:v -map 1:a"
    let input =
      switch course.feed {
      case .h264: "-re -i \(job.input)"
      case .mjpeg: "-f mjpeg \(form) -i \(job.input) \(sound)"
      case .yuyv:
        """
        -f rawvideo -pix_fmt yuyv422 -video_size \(course.width)x\(course.height) \(form)
        -i \(job.input) \(sound)
        """
      }
    return """
      -hide_banner -loglevel error -nostdin \(input) -t \(job.seconds) \(ffmpegColour(job))
      \(job.x264.ffmpegArguments(course)) -c:a aac -b:a 128k -ar 48000 -ac 2 -f flv \(job.url)
      """
  }

  /// Where the work is to be the same, its result is: bt709, limited. A usual line leaves the matrix alone.
  private func ffmpegColour(_ job: Job) -> String {
    guard job.x264.isPinned, job.course.feed != .h264 else { return "" }
    let range = job.course.feed == .mjpeg ? "pc" : "tv"
    return """
      -vf scale=in_color_matrix=bt601:in_range=\(range):out_color_matrix=bt709:out_range=tv,\
      format=yuv420p \(Making.broadcastColour)
      """
  }

  private func gstreamerArguments(_ job: Job) -> String {
    let course = job.course
    let rate = "framerate=\(course.framesPerSecond)/1"
    let input =
      switch course.feed {
      case .h264: preconditionFailure("see all(of:)")
      case .mjpeg: "filesrc location=\(job.input) ! image/jpeg,\(rate) ! jpegparse ! jpegdec"
      case .yuyv:
        """
        filesrc location=\(job.input) ! rawvideoparse format=yuy2 width=\(course.width)
        height=\(course.height) \(rate) colorimetry=bt601
        """
      }
    let sound = "filesrc location=\(job.sound) ! wavparse"
    return """
      -q -e \(input) ! videoconvert ! video/x-raw,format=I420,colorimetry=bt709
      ! \(job.x264.gstreamerElement(course)) ! queue ! flvmux streamable=true name=mux
      ! rtmp2sink location=\(job.url)
      \(sound) ! audioconvert ! audioresample ! audio/x-raw,rate=48000,channels=2
      ! avenc_aac bitrate=128000 ! queue ! mux.
      """
  }
}
