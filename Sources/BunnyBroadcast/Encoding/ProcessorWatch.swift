package import BunnyMedia
package import BunnySystem

/// Watches what encoding costs, and orders what the processor can carry. Belongs to the video lane's thread,
/// as a look four times a second costs 20 µs each on a server with two processors, and 70 more every ten
/// seconds; of `/proc/stat`, which grows with the processors, above all.
package struct ProcessorWatch {
  private static let period: Int64 = .milliseconds(250)
  /// What hardly changes is read so often.
  private static let longPeriod: Int64 = .seconds(10)
  /// Where pictures are left out.
  private static let shortPeriod: Int64 = .seconds(1)

  private var rule: ProcessorRule
  /// Of x264, as long as it is another one that encodes.
  private var spare: ProcessorRule?
  private let orders: EncodingOrders
  private let facts: ProcessorFacts
  private var trouble: ProcessorTrouble
  /// Writes what held; nil: nowhere.
  package let memory: EffortWriter?
  private var remembered: EncoderEffort?
  private let quality: VideoEncoder.Settings
  private let tell: @Sendable (BunnyBroadcastEvent) -> Void

  private let frame: Int64
  private var backlog = PictureBacklog()
  private var sample: ProcessorRule.Sample
  private var share: ProcessorFacts.Share
  private var refreshed: MonotonicTime
  /// As it was told of last, or begun with.
  private var shown: EncodingStep
  private var before: (own: Int64, idle: Int64?, time: MonotonicTime)

  /// Orders what to begin with.
  ///
  /// - Parameters:
  ///   - wish: what x264 is to encode to, if the processor can.
  ///   - folder: where to remember what held; nil: nowhere.
  package init(
    _ quality: VideoEncoder.Settings, wish: EncodingStep.Wish, folder: String?,
    orders: EncodingOrders,
    facts: ProcessorFacts = ProcessorFacts(), trouble: ProcessorTrouble = ProcessorTrouble(),
    tell: @escaping @Sendable (BunnyBroadcastEvent) -> Void
  ) {
    (self.quality, self.orders, self.facts, self.trouble) = (quality, orders, facts, trouble)
    self.tell = tell
    let share = facts.share
    self.share = share
    let memory =
      wish == .auto
      ? folder.map {
        EffortMemory(folder: $0, processor: facts.model, processors: share.processors, quality)
      } : nil
    do { remembered = try memory?.remembered() } catch { tell(.detail(message: "\(error)")) }
    self.memory = memory.map { memory in
      EffortWriter { effort in
        do { try memory.remember(effort) } catch { tell(.detail(message: "\(error)")) }
      }
    }
    let setup = ProcessorRule.Setup(quality, facts, processors: share.processors)
    rule = ProcessorRule(wish, remembered: remembered, setup)
    if quality.kind != .x264 {
      orders.limitX264(Self.limit(rule.beginning))
      (spare, rule) = (rule, ProcessorRule(.hardware, setup))
    }
    frame = quality.frameRate.reciprocal.convert(1, to: .nanoseconds)
    let now = MonotonicTime.now
    sample = ProcessorRule.Sample(time: now)
    refreshed = now
    shown = rule.beginning.step
    before = (ProcessorFacts.ownTime, facts.idleTime(of: share), now)
    obey(rule.beginning)
  }

  /// - Parameter waiting: pictures that came after this one.
  package mutating func leavesOutPicture(waiting: Int) -> Bool {
    guard backlog.leavesOutPicture(waiting: waiting) else { return false }
    sample.leftOut += 1
    return true
  }

  /// - Parameter waiting: pictures that came since.
  func leavesOutRepeat(waiting: Int) -> Bool { backlog.leavesOutRepeat(waiting: waiting) }

  /// A picture was encoded; nanoseconds that it took.
  package mutating func encoded(converting: Int64, encoding: Int64, to plan: EncodingPlan) {
    let time = PictureTime(
      converting: converting, encoding: encoding, frame: frame * Int64(plan.frameDivisor))
    backlog.encoded(time)
    sample.frames += 1
    sample.converting += time.converting
    sample.encoding += time.encoding
  }

  /// Looks, if it is time to.
  ///
  /// - Parameter waiting: pictures that wait to be encoded.
  package mutating func look(
    _ plan: EncodingPlan, waiting: Int, at now: MonotonicTime = .now
  ) {
    guard now - before.time >= Self.period else { return }
    sample.time = now
    sample.waiting = waiting
    measure(now)
    refresh(now)
    if let spare, orders.isHardwareGivenUp { (rule, self.spare) = (spare, nil) }
    let verdict = rule.look(sample, plan)
    sample = ProcessorRule.Sample(time: now)
    if let order = verdict.order { obey(order) }
    if let news = verdict.news { say(news, atOnce: verdict.order?.atOnce ?? false) }
    remember(now)
  }

  private mutating func measure(_ now: MonotonicTime) {
    let (own, idle) = (ProcessorFacts.ownTime, facts.idleTime(of: share))
    sample.processorTime = own - before.own
    sample.processors = share.processors
    if let idle, let was = before.idle {
      sample.idle = Double(max(0, idle - was)) / Double(now - before.time)
    }
    before = (own, idle, now)
  }

  private mutating func refresh(_ now: MonotonicTime) {
    // A quota that was set a moment ago may be why.
    let period = sample.leftOut > 0 ? Self.shortPeriod : Self.longPeriod
    guard now - refreshed >= period else { return }
    refreshed = now
    trouble.look()
    let share = facts.share
    guard share != self.share else { return }
    self.share = share
    before.idle = facts.idleTime(of: share)
    sample.processors = share.processors
  }

  private func obey(_ order: ProcessorRule.Order) {
    orders.limit(Self.limit(order), by: .processor, atOnce: order.atOnce)
  }

  private static func limit(_ order: ProcessorRule.Order) -> EncodingPlan.Limit {
    var limit = EncodingPlan.Limit()
    limit.effort = order.step.effort
    limit.frameDivisor = order.step.frameDivisor
    limit.size = order.step.size
    limit.threads = order.threads
    return limit
  }

  private mutating func say(_ news: ProcessorRule.News, atOnce: Bool) {
    let step = rule.steps[rule.index]
    let answer = step.words(quality)
    // Viewers see fewer or smaller pictures, or all of them again.
    let isSeen = step.frameDivisor != shown.frameDivisor || step.size != shown.size
    shown = step
    switch news {
    case .overloaded(let load):
      tell(.processorOverloaded(load, answer: answer, trouble: trouble.words))
    case .recovered(let load): tell(.processorRecovered(load, answer: answer))
    case .moved(let load):
      let trouble = trouble.words.map { "; \($0)" } ?? ""
      let message =
        "from \(atOnce ? "now" : "the next keyframe") on: \(answer); threads: \(rule.threads); "
        + "\(JSONValue.shown((load.free * 100).rounded() / 100)) of "
        + "\(JSONValue.shown(load.processors)) processors are free\(trouble)"
      tell(isSeen ? .notice(message: message) : .detail(message: message))
    }
  }

  private mutating func remember(_ now: MonotonicTime) {
    guard let memory, let effort = rule.settled(at: now), effort != remembered else { return }
    remembered = effort
    memory.remember(effort)
  }
}

extension BroadcastConfiguration {
  /// What x264 is to encode to, if the processor can.
  package var wish: EncodingStep.Wish {
    if let cpu { return .effort(cpu) }
    return quality.encoder.preset.map { .preset(cost: EncoderEffort.cost(ofPreset: $0)) } ?? .auto
  }

  /// What the encoder is opened with, when nobody takes anything off.
  package var videoSettings: VideoEncoder.Settings {
    var settings = quality.videoSettings
    if latency == .low { (settings.lookahead, settings.bFrames) = (0, 0) }
    return settings
  }
}
