import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// What one run of one contender cost.
struct Trial {
  let cpuSeconds: Double
  /// MB, as ru_maxrss counts.
  let peakMemory: Double
  /// From exec to its last byte at the ingest, in milliseconds.
  let firstKeyframe: Double
  /// Our own count, in milliseconds; nil for others.
  let handling: (p50: Double, p99: Double)?
  /// Cores that something else kept busy meanwhile: this process with its ingest, at least.
  let otherWork: Double
  /// What x264 says of its settings, in its first frame.
  let x264Settings: String

  /// Runs `contender` to its end, with an ingest that takes everything.
  ///
  /// - Throws: ``BenchFailure``, also when fewer pictures arrive than there are.
  static func run(
    _ contender: Contender, _ course: Course, lookahead: Bool = true, seconds: Int
  ) async throws -> Trial {
    let ingest = try ScriptedIngest()
    defer { ingest.close() }
    let arguments = contender.arguments(
      course, lookahead: lookahead, seconds: seconds, to: "rtmp://127.0.0.1:\(ingest.port)/live/key"
    )
    let busyBefore = try ProcessorTime.busySeconds()
    let begin = MonotonicTime.now
    let outcome = try await Running.toEnd(
      contender.command, arguments, atMost: Double(seconds) + 30)
    let busy = try ProcessorTime.busySeconds() - busyBefore
    let lasted = Double(outcome.endedAt - begin) / 1e9
    let name = "\(contender) at \(course.name)"
    guard outcome.exitStatus == 0 else { throw BenchFailure(70, "\(name): \(outcome)") }
    let pictures = try await ingest.visit().media.filter { $0.kind == .video }
    guard let first = pictures.first, first.tag.isKeyframe else {
      throw BenchFailure(70, "\(name): no keyframe arrived")
    }
    guard pictures.count >= seconds * 30 - 1 else {
      let percent = Int((busy / lasted * 100).rounded())
      throw BenchFailure(
        70,
        "\(name): \(pictures.count) of \(seconds * 30) pictures arrived, while the machine "
          + "was busy with \(percent) % of a core")
    }
    let cpuSeconds = outcome.userSeconds + outcome.systemSeconds
    return Trial(
      cpuSeconds: cpuSeconds,
      peakMemory: Double(outcome.peakMemory) / 1e6,
      firstKeyframe: Double(first.arrival - begin) / 1e6,
      handling: handling(in: outcome.standardOutput),
      otherWork: (busy - cpuSeconds) / lasted,
      x264Settings: x264Settings(in: first.body))
  }

  private static func handling(in events: String) -> (p50: Double, p99: Double)? {
    guard
      let ended = events.split(separator: "\n").last,
      let event = try? JSONSerialization.jsonObject(with: Data(ended.utf8)) as? [String: Any],
      let half = event["handlingP50Ms"] as? Double, let most = event["handlingP99Ms"] as? Double
    else { return nil }
    return (half, most)
  }

  /// The text that x264 writes into a message of its first frame.
  private static func x264Settings(in body: [UInt8]) -> String {
    let text = Data(body)
    guard let start = text.range(of: Data("options: ".utf8))?.lowerBound else { return "none" }
    return String(decoding: text[start...].prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
  }
}
