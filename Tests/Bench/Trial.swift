import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// What one run of one contender cost.
struct Trial {
  let cpuSeconds: Double
  /// Of it, until the first keyframe had arrived: what it costs to begin.
  let startSeconds: Double
  /// Of the picture, as many as were asked for.
  let pictures: Int
  /// MB, as the kernel keeps it of the program. (Into what it says at a process's end it counts what the
  /// parent held at its start.)
  let peakMemory: Double
  /// From exec to its last byte at the ingest, in milliseconds.
  let firstKeyframe: Double
  /// Our own count, in milliseconds; nil for others.
  let handling: (p50: Double, p99: Double)?
  /// Cores that something else kept busy meanwhile: this process with its ingest, at least.
  let otherWork: Double
  /// What x264 says of its settings, in its first frame.
  let x264Settings: String
  /// All that came of the picture.
  let video: [RTMPTag]

  var cpuMillisecondsPerPicture: Double { cpuSeconds * 1000 / Double(pictures) }
  /// Without what it costs to begin.
  var runningMillisecondsPerPicture: Double {
    (cpuSeconds - startSeconds) * 1000 / Double(pictures - 1)
  }

  /// Runs `contender` to its end, with an ingest that takes everything.
  ///
  /// - Throws: ``BenchFailure``, also when fewer pictures arrive than there are.
  static func run(
    _ contender: Contender, _ course: Course, _ x264: X264, seconds: Int
  ) async throws -> Trial {
    let ingest = try ScriptedIngest()
    defer { ingest.close() }
    let wanted = seconds * course.framesPerSecond
    let camera =
      course.feed == .h264
      ? nil
      : try CameraStandIn(
        course.frames, framesPerSecond: course.framesPerSecond,
        limit: contender.endsWithItsInput ? wanted : nil)
    let job = Contender.Job(
      course: course, x264: x264, seconds: seconds, input: camera?.path ?? course.clip,
      url: ingest.url())
    let busyBefore = try ProcessorTime.busySeconds()
    let begin = MonotonicTime.now
    let name = "\(contender.rawValue), \(course.name)"
    let arguments = try contender.arguments(job)
    let outcome: ChildProcess.Outcome
    let process = Watched<pid_t?>(nil)
    let start = Task {
      try await ingest.waitUntil { $0.contains { $0.media.contains { $0.kind == .video } } }
      return process.current.flatMap { ProcessorTime.seconds(of: $0) }
    }
    let watch = Task {
      var most = 0
      while !Task.isCancelled {
        most = max(most, process.current.flatMap { ProcessFootprint.peakKilobytes(of: $0) } ?? 0)
        try? await Task.sleep(for: .milliseconds(100))
      }
      return most
    }
    do {
      outcome = try await Running.toEnd(
        contender.command, arguments, atMost: Double(seconds) + 30,
        started: { number in process.change { $0 = number } })
    } catch { throw BenchFailure(70, "\(name): \(error)") }
    watch.cancel()
    withExtendedLifetime(camera) {}
    let busy = try ProcessorTime.busySeconds() - busyBefore
    let lasted = Double(outcome.endedAt - begin) / 1e9
    guard outcome.exitStatus == 0 else { throw BenchFailure(70, "\(name): \(outcome)") }
    let video = try await ingest.visit().tags.filter { $0.kind == .video }
    let pictures = video.filter { !$0.tag.isSequenceHeader }
    guard let first = pictures.first, first.tag.isKeyframe else {
      throw BenchFailure(70, "\(name): no keyframe arrived")
    }
    guard pictures.count >= wanted - 2 else {
      let percent = Int((busy / lasted * 100).rounded())
      throw BenchFailure(
        70,
        "\(name): \(pictures.count) of \(wanted) pictures arrived, while the machine was busy with "
          + "\(percent) % of a core")
    }
    guard let startSeconds = try await start.value else {
      throw BenchFailure(70, "\(name): it had ended when its first keyframe arrived")
    }
    let cpuSeconds = outcome.userSeconds + outcome.systemSeconds
    return Trial(
      cpuSeconds: cpuSeconds, startSeconds: startSeconds, pictures: wanted,
      peakMemory: Double(await watch.value) * 1024 / 1e6,
      firstKeyframe: Double(first.arrival - begin) / 1e6,
      handling: handling(in: outcome.standardOutput), otherWork: (busy - cpuSeconds) / lasted,
      x264Settings: x264Settings(in: first.body), video: video.map(\.tag))
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
  private static func x264Settings(in body: SharedBytes) -> String {
    let text = Data(body)
    guard let start = text.range(of: Data("options: ".utf8))?.lowerBound else { return "none" }
    return String(decoding: text[start...].prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
  }
}
