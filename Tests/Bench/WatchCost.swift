import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Support

/// What it costs to notice that what flows is dead, at 1080p30 with sound, beside ffmpeg's filters for it.
struct WatchCost {
  let rounds: Int
  /// Of media.
  private static let seconds = 30
  private static let (width, height) = (1920, 1080)

  func table() async throws -> ResultTable {
    var peers: [Double] = []
    for round in 0..<rounds {
      say("watching, round \(round + 1) of \(rounds)")
      peers.append(try await Self.peer())
    }
    let frozen = (0..<rounds).map { _ in Self.ours(isFrozen: true) }
    let moving = (0..<rounds).map { _ in Self.ours(isFrozen: false) }
    var table = ResultTable(title: "watching 1080p30 and sound", columns: ["% of a core"])
    table.lines = [
      .init(name: "frozen picture and silence, ours", figures: [frozen]),
      .init(name: "the same, ffmpeg's filters", figures: [peers]),
      .init(name: "moving picture and silence, ours", figures: [moving]),
    ]
    table.goals = Goal.ratio(
      "watching, of ffmpeg's", frozen.median, to: peers.median, most: 0.25)
    return table
  }

  private static func ours(isFrozen: Bool) -> Double {
    let pool = PicturePool(width: width, height: height)
    var dice = SystemRandomNumberGenerator()
    var content = UInt64(1)
    // More than a processor caches, and each in memory of its own.
    let pictures = (0..<16).map { _ in
      if !isFrozen { content = dice.next() }
      return pool.picture(time: .now) { y, u, v in
        for plane in [y, u, v] { plane.fill(from: content) }
      }
    }
    let run = Samples(time: .now, count: 480) { left, right in
      for index in 0..<480 { (left[index], right[index]) = (0, 0) }
    }
    let area = PictureFit.Rectangle(x: 0, y: 0, width: width, height: height)
    let telemetry = Telemetry(lanes: 1)
    var picture = PictureWatch(VitalLimits(), telemetry) { _ in }
    var sound = SoundWatch(VitalLimits(), telemetry) { _ in }
    let before = threadSeconds
    for frame in 0..<(30 * seconds) {
      let time = MonotonicTime(nanoseconds: Int64(frame) * 1_000_000_000 / 30)
      picture.see(pictures[frame % pictures.count], in: area, isOfSensor: true, at: time)
    }
    for _ in 0..<(100 * seconds) { sound.hear(run, isMuted: false) }
    return (threadSeconds - before) / Double(seconds) * 100
  }

  /// Of this thread.
  private static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// What ffmpeg's filters add to passing the same through.
  private static func peer() async throws -> Double {
    let without = try await cpuSeconds("null", "anull")
    let with = try await cpuSeconds("freezedetect,blackdetect", "silencedetect=noise=-70dB")
    return (with - without) / Double(seconds) * 100
  }

  private static func cpuSeconds(_ picture: String, _ sound: String) async throws -> Double {
    let outcome = try await Running.toEnd(
      "ffmpeg",
      words(
        """
        -hide_banner -loglevel error -nostdin
        -f lavfi -i color=gray:s=\(width)x\(height):r=30 -f lavfi -i anullsrc=r=48000
        -t \(seconds) -vf \(picture) -af \(sound) -c:v wrapped_avframe -f null -
        """), atMost: 120)
    guard outcome.exitStatus == 0 else { throw BenchFailure(70, "ffmpeg: \(outcome)") }
    return outcome.userSeconds + outcome.systemSeconds
  }
}

extension Picture.Plane {
  /// The same for the same seed.
  fileprivate func fill(from seed: UInt64) {
    var state = seed
    for index in 0..<(stride * height) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}
