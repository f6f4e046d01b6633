import BunnyCapture
import BunnyRTMP
import BunnySystem

/// Has the picture encoded to what the network carries: tells a ``BitrateRule`` for each publish lane how
/// its connection does, and obeys the one that is content with the least. On a thread of its own.
final class BitrateWatch: Sendable {
  private static let period = Int64.milliseconds(100)

  private let limits: BitrateRule.Limits
  private let lanes: Int
  private let orders: EncodingOrders
  private let outlet: Outlet
  private let telemetry: Telemetry
  private let line: Line
  private let events: EventHub
  private let passesThrough: Bool
  private let isOver = Flag()
  private let wake = WakeEvent()

  init(
    _ configuration: BroadcastConfiguration, _ orders: EncodingOrders, _ outlet: Outlet,
    _ telemetry: Telemetry, _ line: Line, _ events: EventHub
  ) {
    limits = BitrateRule.Limits(
      picture: configuration.quality.videoBitrate, sound: configuration.quality.audioBitrate)
    lanes = configuration.targets.count
    passesThrough = configuration.camera.passthrough
    (self.orders, self.outlet, self.telemetry) = (orders, outlet, telemetry)
    (self.line, self.events) = (line, events)
  }

  func start() {
    startThread("bitrate") { [self] in
      var round = Round(limits, lanes: lanes)
      while !isOver.isSet {
        if wake.wait(until: .now + Self.period) { continue }
        take(&round)
      }
    }
  }

  func stop() {
    isOver.isSet = true
    wake.signal()
  }

  /// What changes from look to look.
  private struct Round {
    var rules: [BitrateRule]
    var news: BitrateNews
    var hasSaidWhatPasses = false
    var saysTooLittle = false

    init(_ limits: BitrateRule.Limits, lanes: Int) {
      rules = Array(repeating: BitrateRule(limits), count: lanes)
      news = BitrateNews(limits)
    }
  }

  private func take(_ round: inout Round) {
    let now = MonotonicTime.now
    var least: BitrateRule?
    for lane in round.rules.indices {
      guard let sample = sample(of: lane, at: now) else { continue }
      round.rules[lane].take(sample)
      if round.rules[lane].target < least?.target ?? .infinity { least = round.rules[lane] }
    }
    guard let strictest = least else { return }
    obey(strictest)
    if let change = round.news.take(strictest, at: now) {
      events.send(.bitrateChanged(from: change.from, to: change.to, reason: change.reason))
      sayWhatPasses(&round, change.to)
    }
    sayIfTooLittle(&round, strictest)
  }

  private func sample(of lane: Int, at now: MonotonicTime) -> BitrateRule.Sample? {
    guard let carrier = line.carrier(lane: lane),
      let age = telemetry.queueAge(lane: lane, at: now)
    else { return nil }
    let counters = carrier.connection.counters
    let pace = counters.pace
    return BitrateRule.Sample(
      time: now, connection: carrier.number, queueAge: age, confirmed: counters.bytesConfirmed,
      figures: pace.confirmedAt.map {
        DeliveryFigures(
          confirmedAt: $0, delay: pace.delay, roundTrip: counters.roundTrip?.nanoseconds)
      },
      burst: pace.burstAt.flatMap { at in
        pace.burstRate.map { BitrateRule.Burst(bytesPerSecond: $0, at: at) }
      }, made: outlet.madeBytes)
  }

  private func obey(_ rule: BitrateRule) {
    var limit = EncodingPlan.Limit()
    limit.bitrate = Int(rule.target)
    limit.frameDivisor = rule.steps.frameDivisor
    limit.size = rule.steps.size
    orders.limit(limit, by: .network)
    telemetry.aims(at: Int(rule.target), because: rule.reason?.description)
  }

  /// Once, until it carries more.
  private func sayIfTooLittle(_ round: inout Round, _ rule: BitrateRule) {
    defer { round.saysTooLittle = rule.isTooLittle }
    guard rule.isTooLittle, !round.saysTooLittle else { return }
    events.send(
      .notice(
        message: "the network carries less than this quality takes at least "
          + "(\(BitrateNews.text(limits.least)) of picture, \(BitrateNews.text(limits.sound)) of "
          + "sound): what piles up is left out by the second; take a smaller --quality"))
  }

  private func sayWhatPasses(_ round: inout Round, _ bitrate: Int) {
    guard passesThrough, bitrate < Int(limits.most), !round.hasSaidWhatPasses else { return }
    round.hasSaidWhatPasses = true
    events.send(
      .notice(
        message: "the network takes no more than \(BitrateNews.text(Double(bitrate))) of picture, "
          + "and what the camera has coded itself cannot be made smaller; lower its own bit rate, "
          + "or leave out --passthrough"))
  }
}
