import BunnyBroadcast
import BunnyRTMP
import BunnySystem

/// A broadcast over a bottleneck, in steps of 5 ms: encoder, outbox, kernel, line, an ingest that acknowledges
/// every 4 KB; and the rule that is tested.
struct LineModel {
  struct Mark {
    /// Seconds.
    let time: Double
    /// Bit/s.
    let target: Double
    let capacity: Double
    /// Milliseconds.
    let queueAge: Double
    let reason: BitrateRule.Reason?
    let step: Int
  }

  /// Bit/s at a second; 0 is frozen.
  var capacity: (Double) -> Double = { _ in 4e6 }
  /// What share of its target the encoder uses at a second.
  var usage: (Double) -> Double = { _ in 1 }
  /// Seconds at which another connection begins.
  var reconnects: [Double] = []
  var roundTrip = 0.04
  /// Seconds that an answer takes longer at a second.
  var slowness: (Double) -> Double = { _ in 0 }
  /// Seconds that the bottleneck's buffer holds.
  var buffer = 0.2
  var rule: BitrateRule
  let sound = 128_000.0

  private(set) var marks: [Mark] = []
  private(set) var news: [(time: Double, change: BitrateNews.Change)] = []
  private var teller: BitrateNews
  private var outbox: [(at: Double, bytes: Double)] = []
  private var made = 0.0
  private var written = 0.0
  private var read = 0.0
  private var acknowledged = 0.0
  private var answers: [(at: Double, total: Double)] = []
  private var delivery = Delivery(window: 4096)
  private var connection = 1
  private var encoderRate: Double
  private var frames = 0

  init(preset: Int) {
    rule = BitrateRule(.init(picture: preset, sound: 128_000))
    teller = BitrateNews(rule.limits)
    encoderRate = Double(preset)
  }

  private static func moment(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: .seconds(1000 + seconds))
  }

  mutating func run(seconds: Double) {
    for index in 0..<Int(seconds * 200) {
      let time = Double(index) / 200
      if reconnects.contains(where: { abs($0 - time) < 0.002 }) { reconnect() }
      if Int(time * 30) >= frames { encode(time) }
      send(time)
      carry(time)
      if index % 20 == 19 { look(time) }
    }
  }

  private mutating func reconnect() {
    (written, read, acknowledged, answers) = (0, 0, 0, [])
    delivery = Delivery(window: 4096)
    connection += 1
  }

  /// A keyframe weighs as much as five; x264 takes some tenths of a second to follow.
  private mutating func encode(_ time: Double) {
    encoderRate += (rule.target - encoderRate) * (rule.target < encoderRate ? 0.4 : 0.1)
    let weight = (frames % 60 == 0 ? 5.0 : 1) * 60 / 64
    frames += 1
    let bytes = (encoderRate * usage(time) * weight + sound) / 30 / 8
    made += bytes
    outbox.append((time, bytes))
  }

  private mutating func send(_ time: Double) {
    let most = 32_768 + (max(capacity(time), 500_000) / 8) * (buffer + roundTrip)
    while let first = outbox.first, written - read < most {
      written += first.bytes
      outbox.removeFirst()
      delivery.wrote(upTo: Int64(written), at: Self.moment(time))
    }
  }

  private mutating func carry(_ time: Double) {
    read = min(written, read + capacity(time) / 8 / 200)
    if read - acknowledged >= 4096 {
      acknowledged = read
      answers.append((max(time + roundTrip + slowness(time), answers.last?.at ?? 0), read))
    }
    while let first = answers.first, first.at <= time {
      answers.removeFirst()
      delivery.acknowledged(upTo: Int64(first.total), at: Self.moment(time))
    }
  }

  private mutating func look(_ time: Double) {
    let pace = delivery.pace
    let age = outbox.first.map { time - $0.at } ?? 0
    rule.take(
      .init(
        time: Self.moment(time), connection: connection, queueAge: .seconds(age),
        confirmed: delivery.known,
        figures: pace.confirmedAt.map { DeliveryFigures(confirmedAt: $0, delay: pace.delay) },
        burst: pace.burstAt.map { .init(bytesPerSecond: pace.burstRate ?? 0, at: $0) },
        made: Int64(made)))
    if let change = teller.take(rule, at: Self.moment(time)) { news.append((time, change)) }
    marks.append(
      Mark(
        time: time, target: rule.target, capacity: capacity(time), queueAge: age * 1000,
        reason: rule.reason, step: rule.steps.step))
  }
}

extension LineModel {
  /// With sound.
  func rate(_ mark: Mark) -> Double { mark.target + sound }

  func marks(_ seconds: Range<Double>) -> [Mark] { marks.filter { seconds.contains($0.time) } }

  /// How often the target goes to another one, by more than a twentieth.
  func changes(_ seconds: Range<Double>) -> Int {
    var last: Double?
    return marks(seconds).count { mark in
      defer { if last.map({ abs(mark.target - $0) > 0.05 * $0 }) ?? true { last = mark.target } }
      return last.map { abs(mark.target - $0) > 0.05 * $0 } ?? false
    }
  }
}

extension LineModel.Mark: CustomStringConvertible {
  var description: String {
    "\(Int(time * 1000)) ms: \(Int(target / 1000)) of \(Int(capacity / 1000)), queue "
      + "\(Int(queueAge)) ms, step \(step), \(reason.map(\.description) ?? "-")"
  }
}
