public import BunnyRTMP
import BunnySystem
import Foundation

/// FLV files as lists of tags.
public enum FLVFile {
  /// All whole tags of a file: timestamps in ms as the file has them, 32 bits unsigned.
  public static func tags(of path: String) throws -> [RTMPTag] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var tags: [RTMPTag] = []
    var rest = bytes.dropFirst(9 + 4)  // file header, size of no previous tag
    while rest.count >= 11 {
      let header = Array(rest.prefix(11))
      let size = integer(header[1...3])
      guard rest.count >= 11 + size else { break }
      let kind: RTMPTag.Kind = header[0] == 8 ? .audio : header[0] == 9 ? .video : .data
      let time = Int64(integer(header[4...6])) | Int64(header[7]) << 24
      let body = Array(rest.dropFirst(11).prefix(size))
      tags.append(RTMPTag(kind: kind, timestamp: time, body: body, serial: Int64(tags.count)))
      rest = rest.dropFirst(11 + size + 4)
    }
    return tags
  }

  /// Writes tags as a file.
  public static func write(_ tags: [RTMPTag], to path: String) throws {
    var file = Data([0x46, 0x4C, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0])
    for tag in tags {
      let (size, time) = (tag.body.count, tag.timestamp)
      let kind: UInt8 = tag.kind == .audio ? 8 : tag.kind == .video ? 9 : 18
      let head =
        [kind] + bytes(size, 3) + bytes(Int(time & 0xFF_FFFF), 3) + bytes(Int(time >> 24), 1)
      file += head + bytes(0, 3) + tag.body + bytes(11 + size, 4)
    }
    try file.write(to: URL(filePath: path))
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// A moving picture with a tone, H.264 and AAC, encoded by the `ffmpeg` command; 320x180 at 30 fps,
  /// a keyframe each second.
  public static func sample(
    seconds: Int = 3, bitrate: String = "400k"
  ) async throws -> [RTMPTag] {
    let directory = try TemporaryDirectory()
    let path = directory.file("sample.flv")
    let outcome = try await ChildProcess.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=\(seconds)",
        "-f", "lavfi", "-i", "sine=f=440:r=48000:d=\(seconds)", "-c:v", "libx264", "-preset",
        "ultrafast", "-g", "30", "-bf", "0", "-b:v", bitrate, "-pix_fmt", "yuv420p", "-c:a", "aac",
        "-ac", "2", "-flvflags", "no_duration_filesize", path,
      ])
    guard outcome.exitStatus == 0 else { throw SampleFailure(outcome: outcome) }
    return try withExtendedLifetime(directory) { try tags(of: path) }
  }

  /// `ffmpeg` made no sample.
  public struct SampleFailure: Error { public let outcome: ChildProcess.Outcome }
}

extension RTMPTag {
  /// AVC or AAC configuration rather than media.
  public var isSequenceHeader: Bool {
    guard body.count > 1, body[1] == 0 else { return false }
    return kind == .video || (kind == .audio && body[0] >> 4 == 10)
  }

  /// An AVC keyframe.
  public var isKeyframe: Bool {
    kind == .video && body.first.map { $0 >> 4 == 1 } == true && !isSequenceHeader
  }
}
