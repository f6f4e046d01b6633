import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnySystem
import Foundation

/// What `bunny-bench network` starts in the line's near network: broadcasts a busy picture, and writes how it
/// does every 100 ms, one line of JSON each.
enum NetworkTrace {
  static let name = "network-trace"
  static let picture = "testsrc2=s=640x360:r=30,noise=alls=25:allf=t"
  static let sound = 128_000
  static let keyframes = 2

  /// - Parameter arguments: its name, the ingest's URL, and the picture's bit/s.
  /// - Returns: whether they are meant for this.
  static func run(_ arguments: [String]) async throws -> Bool {
    guard arguments.first == name else { return false }
    guard arguments.count == 3, let bitrate = Int(arguments[2]) else {
      throw BenchFailure(64, "\(name) is for `network` only")
    }
    var quality = BroadcastQuality(
      resolution: .custom(width: 640, height: 360), frameRate: 30, videoBitrate: bitrate)
    quality.encoder.preset = "superfast"
    quality.audioBitrate = sound
    let broadcast = Broadcast(
      BroadcastConfiguration(
        ingest: try Ingest(arguments[1]),
        video: try .init("av:lavfi:\(picture)"), audio: .tone, quality: quality))
    let isOver = WakeEvent()
    defer { isOver.signal() }
    startThread("trace") {
      var next = MonotonicTime.now
      repeat {
        write(broadcast.statistics)
        next = max(next + .milliseconds(100), .now)  // after a hold-up, no burst
      } while !isOver.wait(until: next)
    }
    _ = try await broadcast.run()
    return true
  }

  private static func write(_ statistics: BroadcastStatistics) {
    let line = JSONValue.object([
      .init("at", .integer(MonotonicTime.now.nanoseconds / 1_000_000)),
      .init("target", .integer(statistics.targetBitrate)),
      .init("reason", statistics.targetReason.map { .string($0) } ?? .null),
      .init("queueAge", .number(statistics.queueAgeMs)),
      .init("sent", .integer(statistics.totals.bytes)),
      .init("dropped", .integer(statistics.totals.droppedFrames)),
      .init("connections", .integer(statistics.totals.connections)),
    ]).line
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
