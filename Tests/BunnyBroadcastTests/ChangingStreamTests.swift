import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import BunnySystem
import Support
import Testing

/// A stream whose rate, frame rate and size change down and up again, as somebody has it who records it or
/// watches it.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct ChangingStreamTests {
  /// From which place of the grid on what is wanted; more than one change may wait for the same keyframe.
  private static let course: [(slot: Int64, bitrate: Int, divisor: Int, size: EncodingPlan.Size)] =
    [
      (50, 300_000, 1, .whole), (75, 200_000, 2, .whole), (130, 150_000, 2, .threeQuarters),
      (190, 150_000, 2, .half), (230, 400_000, 1, .threeQuarters), (260, 800_000, 1, .whole),
    ]
  private static let frames: Int64 = 330

  @Test
  func `nginx-rtmp's recording and its HLS are decoded without a word, and nothing is missing`()
    async throws
  {
    let nginx = try await NginxIngest()
    let (pictures, feed) = try Self.stream()
    try await publish(feed, to: try nginx.ingest(app: "hls"))
    let recording = try await nginx.recordings()[0]
    let hls = try nginx.hls()
    #expect(hls.segments.count >= 8)
    for path in [recording, hls.playlist] + hls.segments {
      let decoded = try await ChildProcess.run(
        "ffmpeg", ["-nostdin", "-v", "warning", "-i", path, "-f", "null", "-"])
      #expect(decoded.exitStatus == 0 && decoded.standardError == "", "\(path)")
    }
    for path in [recording, hls.playlist] {
      let frames = try await Self.frames(of: path)
      #expect(frames.map(\.time) == pictures.map { $0 - pictures[0] }, "\(path)")
      let sizes = frames.map(\.size).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
      #expect(
        sizes == ["640x360", "480x270", "320x180", "480x270", "640x360"], "\(path)")
    }
  }

  /// - Returns: the pictures' times, in milliseconds, and all tags.
  private static func stream() throws -> ([Int64], TagFeed) {
    var settings = VideoEncoder.Settings(
      width: 640, height: 360, frameRate: Timebase(30, 1), bitrate: 800_000)
    (settings.preset, settings.keyframeSeconds, settings.threads) = ("ultrafast", 1, 1)
    settings.lookahead = 10
    let orders = EncodingOrders(settings)
    let encoding = try PictureEncoding(settings, fill: .letterbox, orders: orders)
    let pool = PicturePool(width: 640, height: 360)
    var video: [MediaTag] = []
    for slot in 0..<frames {
      for step in course where step.slot == slot {
        var limit = EncodingPlan.Limit()
        (limit.bitrate, limit.frameDivisor, limit.size) = (step.bitrate, step.divisor, step.size)
        orders.limit(limit, by: .network)
      }
      video += try encoding.arranged(for: slot)
      guard encoding.takes(slot) else { continue }
      let picture = try encoding.converter.convert(EncoderProbe.noise(slot, pool))
      video += try encoding.encoded(picture, in: slot)
    }
    video += try encoding.rest()
    let (sound, soundHeader) = try sound()
    let log = TagLog()
    var interleaver = Interleaver(longestHold: .seconds(60))
    for tag in video + sound { interleaver.offer(tag, at: .now) }
    for kind in [MediaTag.Kind.video, .audio] { interleaver.finish(kind, at: .now) }
    log.append { interleaver.next() }
    log.finish()
    let surroundings = TagFeed.Surroundings(
      log: log,
      headers: [
        .metadata([("width", 640), ("height", 360)]),
        RTMPTag(kind: .video, timestamp: 0, body: encoding.header.body),
        RTMPTag(kind: .audio, timestamp: 0, body: soundHeader.body),
      ],
      telemetry: LaneTelemetry(whole: Telemetry(lanes: 1), lane: 0),
      stallLimit: .milliseconds(1500), gop: 1000, wantsKeyframe: Flag(),
      onDrop: { frames, reason in Issue.record("\(frames) frames dropped: \(reason)") })
    return (video.map(\.dts), TagFeed(surroundings, .oldest))
  }

  private static func sound() throws -> ([MediaTag], header: MediaTag) {
    let encoder = try AudioEncoder(bitrate: 64_000)
    let muxer = try TagMuxer(encoder.parameters)
    let samples = Int(frames) * broadcastSampleRate / 30
    let packets = try encoder.encode(nil, 0..<samples) + encoder.finish()
    return (try packets.compactMap { try muxer.tag($0) }, muxer.sequenceHeader)
  }

  /// Each frame's time, in milliseconds since the first one's, and size.
  private static func frames(of path: String) async throws -> [(time: Int64, size: String)] {
    let probe = try await ChildProcess.run(
      "ffprobe",
      [
        "-v", "warning", "-select_streams", "v", "-show_entries", "frame=pts_time,width,height",
        "-of", "csv=p=0", path,
      ])
    #expect(probe.exitStatus == 0 && probe.standardError == "", "\(path)")
    let frames = probe.standardOutput.split(separator: "\n").map { line in
      let fields = line.split(separator: ",")
      let milliseconds = Double(fields[0]).map { Int64(($0 * 1000).rounded()) } ?? -1
      return (time: milliseconds, size: "\(fields[1])x\(fields[2])")
    }
    return frames.map { ($0.time - (frames.first?.time ?? 0), $0.size) }
  }
}
