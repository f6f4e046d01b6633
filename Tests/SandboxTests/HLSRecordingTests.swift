import BunnyInspect
import BunnyMedia
import BunnySandbox
import Foundation
import Support
import Testing

@Suite(.enabled(if: FFmpegListener.isAvailable, "needs the ffmpeg command"))
struct HLSRecordingTests {
  private let folder: TemporaryDirectory
  private let recording: HLSRecording

  init() throws {
    folder = try TemporaryDirectory()
    recording = HLSRecording(folder: folder.path)
  }

  @Test func `segments begin at keyframes two seconds apart, B-frames and all`() throws {
    try recording.write(tags(of: clip("clip.flv", ["-preset", "veryfast", "-bf", "2"])))
    try recording.finish()
    #expect(recording.playlist.segments.map(\.seconds) == [2, 2, 1])
    let report = try inspect(folder.file("live.m3u8"))
    #expect(report.problems == [] && report.video?.hasBFrames == true)
    #expect(report.testPicture?.framesRead == 150 && report.testPicture?.lost == 0)
    #expect(report.video?.packets.dtsNotRising == 0 && report.audio?.gaps == 0)
    // Each can be played alone.
    let segment = try inspect(folder.file("segment-00001.ts"))
    #expect(segment.video?.startsWithKeyframe == true && segment.video?.frames == 60)
    #expect(segment.audio?.decodeErrors == 0)
  }

  @Test func `other codec parameters are a discontinuity`() throws {
    let first = try tags(of: clip("first.flv", ["-preset", "ultrafast"]))
    var second = try tags(of: clip("second.flv", ["-preset", "veryfast", "-bf", "0"]))
    for index in second.indices { second[index].dts += 5000 }
    try recording.write(first + second)
    try recording.finish()
    #expect(recording.playlist.segments.count == 6)
    #expect(recording.playlist.segments.map(\.isDiscontinuous).firstIndex(of: true) == 3)
    #expect(recording.playlist.segments.count { $0.isDiscontinuous } == 1)
    let report = try inspect(folder.file("live.m3u8"))
    #expect(report.video?.frames == 300 && report.video?.decodeErrors == 0)
  }

  @Test func `a hole of seconds is a discontinuity, a short one is none`() throws {
    let all = try tags(of: clip("clip.flv", ["-preset", "ultrafast"]))
    try recording.write(all.filter { !(2000..<3000).contains($0.dts) || $0.isSequenceHeader })
    var later = all.filter { !$0.isSequenceHeader }
    for index in later.indices { later[index].dts += 10_000 }
    try recording.write(later)
    try recording.finish()
    #expect(recording.playlist.segments.map(\.isDiscontinuous).filter { $0 }.count == 1)
  }

  @Test func `nothing written is an empty playlist that has ended`() throws {
    try recording.finish()
    let text = try String(contentsOfFile: folder.file("live.m3u8"), encoding: .utf8)
    #expect(text.hasSuffix("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-ENDLIST\n"))
  }

  private func clip(_ name: String, _ options: [String]) throws -> String {
    var clip = Clip(frames: 150)
    clip.options = ["-c:v", "libx264", "-g", "60", "-sc_threshold", "0"] + options
    return try clip.make(in: folder, name)
  }

  /// The tags of an FLV file, read as an ingest's are.
  private func tags(of path: String) throws -> [MediaTag] {
    let reader = try TagReader(path, interrupter: Interrupter())
    var tags: [MediaTag] = []
    while let tag = try reader.next() { tags.append(tag) }
    return tags
  }
}
