import CBunnyFFmpeg
import Glibc

/// Reads the packets of any file or address that FFmpeg opens.
///
/// Belongs to one thread at a time. ``interrupt()`` may come from any.
public final class Demuxer {
  /// One of its tracks: the picture or the sound.
  public struct Track: Sendable {
    /// Its place among the container's streams.
    public let index: Int
    public let parameters: CodecParameters
    /// How long the container says it is, in seconds; nil when it does not say.
    public let duration: Double?
    /// Pictures a second, as the container says; nil when it does not say.
    public let frameRate: Timebase?
    /// How far the picture is to be turned to stand upright, clockwise: 0, 90, 180 or 270 degrees.
    public let rotation: Int
  }

  /// FFmpeg's name of the container format.
  public let format: String
  /// The best picture track, and the sound that belongs to it. nil when there is none.
  public let video: Track?
  public let audio: Track?
  /// When its first track begins, in nanoseconds.
  public let start: Int64

  private let context: FormatContext
  private let box = PacketBox()
  private var packets = PacketPool()

  /// Opens `location` and finds out what it holds.
  ///
  /// - Parameters:
  ///   - inputFormat: a libavformat or libavdevice input's name; nil lets FFmpeg find out.
  ///   - options: as the input takes them; those it does not know are ignored.
  ///   - interrupter: makes this, and every call that waits for the input, give up.
  /// - Throws: ``AVFailure`` from `avformat_open_input` or `avformat_find_stream_info`.
  public init(
    _ location: String, inputFormat: String? = nil, options: [String: String] = [:],
    interrupter: Interrupter = Interrupter()
  ) throws(AVFailure) {
    context = FormatContext(interrupter)
    let input = inputFormat.flatMap { av_find_input_format($0) }
    if inputFormat != nil && input == nil {
      throw AVFailure(call: "av_find_input_format", code: bunny_error_decoder_not_found)
    }
    try context.open(location, input, options)
    try check("avformat_find_stream_info", avformat_find_stream_info(context.raw, nil))
    format = String(cString: context.raw.pointee.iformat.pointee.name)
    video = context.bestTrack(AVMEDIA_TYPE_VIDEO)
    audio = context.bestTrack(AVMEDIA_TYPE_AUDIO, relatedTo: video)
    start = Timebase(1, Int32(AV_TIME_BASE)).nanoseconds(context.raw.pointee.start_time) ?? 0
  }

  /// Whether what ended after one picture was a picture, all of it, and not a live stream or one that broke off:
  /// of those the length is not known.
  package var isStill: Bool {
    guard format == "image2" || format.hasSuffix("_pipe") else { return false }
    guard let file = context.raw.pointee.pb else { return true }  // image2 opens its file itself
    let length = avio_size(file)
    return file.pointee.error >= 0 && length >= 0 && avio_seek(file, 0, SEEK_CUR) == length
  }

  /// Leaves out the packets of every track but `tracks`.
  public func keepOnly(_ tracks: [Track]) {
    for index in 0..<Int(context.raw.pointee.nb_streams) {
      let isKept = tracks.contains { $0.index == index }
      context.raw.pointee.streams[index]!.pointee.discard =
        isKept ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// The next packet, of whichever track comes first.
  ///
  /// - Returns: nil at the end.
  /// - Throws: ``AVFailure`` from `av_read_frame`.
  public func next() throws(AVFailure) -> (track: Int, packet: Packet)? {
    while true {
      let code = av_read_frame(context.raw, box.raw)
      if code == bunny_error_eof { return nil }
      if code == bunny_error_again {
        if interrupter.isInterrupted {
          throw AVFailure(call: "av_read_frame", code: bunny_error_exit)
        }
        usleep(2000)  // an input that does not wait by itself
        continue
      }
      try check("av_read_frame", code)
      let index = Int(box.raw.pointee.stream_index)
      let timebase = context.raw.pointee.streams[index]!.pointee.time_base
      return (index, packets.move(box, timebase: Timebase(timebase)))
    }
  }

  /// Goes back to the beginning.
  ///
  /// - Throws: ``AVFailure`` from `av_seek_frame`: it cannot; open it again instead.
  public func rewind() throws(AVFailure) {
    let start = context.raw.pointee.start_time
    try check(
      "av_seek_frame",
      av_seek_frame(context.raw, -1, start == bunny_no_pts ? 0 : start, AVSEEK_FLAG_BACKWARD))
  }

  /// Makes a call that waits for this input give up. From any thread.
  public var interrupter: Interrupter { context.interrupter }
}

/// Owns one `AVFormatContext` that is read from.
final class FormatContext {
  var raw: UnsafeMutablePointer<AVFormatContext>
  let interrupter: Interrupter
  private var isOpen = false

  init(_ interrupter: Interrupter) {
    self.interrupter = interrupter
    raw = avformat_alloc_context()
    raw.pointee.interrupt_callback = AVIOInterruptCB(
      callback: { opaque in
        Unmanaged<Interrupter>.fromOpaque(opaque!).takeUnretainedValue().isInterrupted ? 1 : 0
      }, opaque: Unmanaged.passUnretained(interrupter).toOpaque())
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFormatContext>? = raw
    if isOpen { avformat_close_input(&pointer) }  // a failed open has freed it already
  }

  func open(
    _ location: String, _ input: UnsafePointer<AVInputFormat>?, _ options: [String: String]
  ) throws(AVFailure) {
    var options = Options(options)
    var pointer: UnsafeMutablePointer<AVFormatContext>? = raw
    try check("avformat_open_input", avformat_open_input(&pointer, location, input, &options.raw))
    isOpen = true
  }

  /// - Parameter related: of a container of several programs, the one that this track belongs to.
  func bestTrack(
    _ type: AVMediaType, relatedTo related: Demuxer.Track? = nil
  ) -> Demuxer.Track? {
    let index = av_find_best_stream(raw, type, -1, Int32(related?.index ?? -1), nil, 0)
    guard index >= 0, let stream = raw.pointee.streams[Int(index)] else { return nil }
    let timebase = Timebase(stream.pointee.time_base)
    let duration = stream.pointee.duration
    let rate = stream.pointee.avg_frame_rate
    return Demuxer.Track(
      index: Int(index), parameters: CodecParameters(of: stream),
      duration: duration > 0 ? Double(duration) * timebase.value : nil,
      frameRate: rate.num > 0 && rate.den > 0 ? Timebase(rate) : nil,
      rotation: rotation(of: stream))
  }

  private func rotation(of stream: UnsafeMutablePointer<AVStream>) -> Int {
    guard let matrix = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) else {
      return 0
    }
    let degrees = matrix.withMemoryRebound(to: Int32.self, capacity: 9) {
      av_display_rotation_get($0)
    }
    guard degrees.isFinite else { return 0 }
    return ((Int((-degrees / 90).rounded()) * 90) % 360 + 360) % 360
  }
}
