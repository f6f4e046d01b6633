import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnyRTMP
import BunnySystem
import Support
import Testing

/// The real clip with sound that `scripts/setup --test` fetches: 720p, 25 fps, 5.28 s, 5.1 channels.
let realClip =
  "\(#filePath)".split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
  + "/.cache/bigbuckbunny.mp4"

/// What a broadcast left behind.
struct Recording {
  let totals: BroadcastTotals
  let path: String
  let report: Report

  /// Luma of the top left corner, of each frame.
  func corners() throws -> [UInt8] {
    let demuxer = try Demuxer("file:\(path)")
    let track = try #require(demuxer.video)
    demuxer.keepOnly([track])
    let decoder = try Decoder(track)
    var pictures: [Picture] = []
    while let (_, packet) = try demuxer.next() { pictures += decoder.pictures(packet, at: .now) }
    pictures += decoder.pictures(nil, at: .now)
    return pictures.map { $0.withPlanes { y, _, _ in y.bytes[8 * y.stride + 8] } }
  }
}

/// One connection, every frame of 30 a second, rising times, a keyframe each second, sound without a gap.
func expectNothingSeen(
  _ recording: Recording, seconds: Int, location: SourceLocation = #_sourceLocation
) throws {
  #expect(recording.totals.connections == 1, sourceLocation: location)
  #expect(recording.totals.droppedFrames == 0, sourceLocation: location)
  let report = recording.report
  let video = try #require(report.video, sourceLocation: location)
  let audio = try #require(report.audio, sourceLocation: location)
  #expect(video.frames == seconds * 30 && video.decodeErrors == 0, sourceLocation: location)
  #expect(video.packets.dtsNotRising == 0, sourceLocation: location)
  #expect(
    video.keyframeFrames == Array(repeating: 30, count: seconds - 1), sourceLocation: location)
  #expect(audio.packets.dtsNotRising == 0 && audio.gaps == 0, sourceLocation: location)
  #expect(report.interleaving.stepsBack == 0, sourceLocation: location)
}

/// Broadcasts to a real nginx-rtmp, and inspects what that recorded.
func record(
  _ video: VideoInput, _ audio: AudioInput = .automatic, quality: BroadcastQuality = .hd720,
  seconds: Int, to nginx: NginxIngest, _ change: (inout BroadcastConfiguration) -> Void = { _ in }
) async throws -> Recording {
  var configuration = BroadcastConfiguration(
    ingest: try nginx.ingest(), video: video, audio: audio, quality: quality)
  configuration.cpu = .light  // what is recorded does not depend on this machine
  configuration.duration = .seconds(seconds)
  configuration.retry = .never
  change(&configuration)
  let before = nginx.recordingCount
  let totals = try await Broadcast(configuration).run()
  let path = try await nginx.recordings(atLeast: before + 1).last!
  return Recording(totals: totals, path: path, report: try inspect(path))
}

/// What holds of every broadcast, whatever its sources are.
func expectSound(
  _ recording: Recording, frames: Int, keyframesEvery gop: Int = 60,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let video = try #require(recording.report.video, sourceLocation: sourceLocation)
  let audio = try #require(recording.report.audio, sourceLocation: sourceLocation)
  #expect(abs(video.frames - frames) <= 1, sourceLocation: sourceLocation)
  #expect(video.decodeErrors == 0 && audio.decodeErrors == 0, sourceLocation: sourceLocation)
  #expect(video.packets.dtsNotRising == 0, sourceLocation: sourceLocation)
  #expect(audio.packets.dtsNotRising == 0, sourceLocation: sourceLocation)
  #expect(recording.report.interleaving.stepsBack == 0, sourceLocation: sourceLocation)
  #expect(video.startsWithKeyframe, sourceLocation: sourceLocation)
  #expect(video.keyframeFrames.allSatisfy { $0 == gop }, sourceLocation: sourceLocation)
  #expect(video.keyframeFrames.count == (frames - 1) / gop, sourceLocation: sourceLocation)
  #expect(video.codec == "h264" && video.profile == "High", sourceLocation: sourceLocation)
  #expect(
    video.pixelFormat == "yuv420p" && video.colourRange == "tv", sourceLocation: sourceLocation)
  let colours = [video.colourSpace, video.colourPrimaries, video.colourTransfer]
  #expect(colours == ["bt709", "bt709", "bt709"], sourceLocation: sourceLocation)
  #expect(!video.isInterlaced, sourceLocation: sourceLocation)
  #expect(audio.codec == "aac" && audio.profile == "LC", sourceLocation: sourceLocation)
  #expect(audio.sampleRate == 48_000 && audio.channels == 2, sourceLocation: sourceLocation)
  #expect(audio.gaps == 0, sourceLocation: sourceLocation)
  let first = (video.packets.firstPts ?? 99, audio.packets.firstPts ?? 99)
  #expect(abs(first.0 - first.1) <= 1.0 / 30, sourceLocation: sourceLocation)
}

extension BunnyBroadcastEvent {
  /// What it says of the sources; nil: nothing.
  var ofSources: String? {
    switch self {
    case .cameraLost(let reason): "lost: \(reason)"
    case .cameraBack: "back"
    case .cameraChanged(let source): "changed: \(source)"
    case .cameraNotChanged(let source, let reason): "not changed: \(source): \(reason)"
    case .microphoneLost(let reason): "no sound: \(reason)"
    case .microphoneBack: "sound"
    default: nil
    }
  }
}
