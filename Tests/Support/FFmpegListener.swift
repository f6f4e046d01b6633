public import BunnyRTMP
import Foundation

/// The `ffmpeg` command as an RTMP server for one connection, which it copies into an FLV file.
public final class FFmpegListener: Sendable {
  public let port: UInt16
  private let directory: TemporaryDirectory
  private let ffmpeg: ChildProcess

  public static var isAvailable: Bool {
    FileManager.default.fileExists(atPath: "/usr/bin/ffmpeg")
  }

  /// Starts it and waits until it listens.
  public init() async throws {
    directory = try TemporaryDirectory()
    port = FreePort.next()
    ffmpeg = try ChildProcess(
      "ffmpeg",
      [
        "-nostdin", "-loglevel", "verbose", "-listen", "1", "-i",
        "rtmp://127.0.0.1:\(port)/live/key", "-c", "copy", "-copyts", "-f", "flv",
        directory.file("out.flv"), "-c", "copy", "-copyts", "-f", "framecrc",
        directory.file("out.txt"),
      ])
    try await FreePort.waitUntilListening(port, ffmpeg)
  }

  public func ingest() throws -> Ingest { try Ingest("rtmp://127.0.0.1:\(port)/live/key") }

  /// What it wrote on standard error.
  public var log: String { ffmpeg.standardError }

  /// Waits until the publisher has left and the file is finished.
  /// - Returns: The path of the FLV file.
  public func recording(atMost seconds: Double = 30) async throws -> String {
    _ = try await ffmpeg.outcome(atMost: seconds)
    return directory.file("out.flv")
  }

  /// Waits like ``recording(atMost:)``.
  /// - Returns: For each stream (video and audio, in the order they came) its packets' dts in ms as
  ///   ffmpeg understood them; the FLV file's own times wrap at 2^31, because ffmpeg's muxer masks them.
  public func packetTimes(atMost seconds: Double = 30) async throws -> [[Int64]] {
    _ = try await ffmpeg.outcome(atMost: seconds)
    let text = try String(contentsOfFile: directory.file("out.txt"), encoding: .utf8)
    var times: [Int: [Int64]] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count > 2, let stream = Int(fields[0]), let dts = Int64(fields[1]) else {
        continue
      }
      times[stream, default: []].append(dts)
    }
    return times.sorted { $0.key < $1.key }.map(\.value)
  }
}
