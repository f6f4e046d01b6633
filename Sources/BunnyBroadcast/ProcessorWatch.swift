package import BunnyMedia
package import BunnySystem

/// Watches what encoding costs, and orders what the processor can carry. Belongs to the video lane's thread,
/// as a look four times a second costs some microseconds.
struct ProcessorWatch {
  private static let period: Int64 = .milliseconds(250)

  private var rule: ProcessorRule
  private let orders: EncodingOrders
  private let facts: ProcessorFacts
  private let trouble: ProcessorTrouble
  private let memory: EffortMemory?
  private var remembered: EncoderEffort?
  private let quality: VideoEncoder.Settings
  private let tell: @Sendable (BunnyBroadcastEvent) -> Void

  private let frame: Int64
  private var backlog = PictureBacklog()
  private var sample: ProcessorRule.Sample
  private var before: (own: Int64, idle: Int64?, time: MonotonicTime)

  /// Orders what to begin with.
  ///
  /// - Parameters:
  ///   - wish: what is to be encoded to, if the processor can.
  ///   - folder: where to remember what held; nil: nowhere.
  init(
    _ quality: VideoEncoder.Settings, wish: EncodingStep.Wish, folder: String?,
    orders: EncodingOrders,
    facts: ProcessorFacts = ProcessorFacts(), trouble: ProcessorTrouble = ProcessorTrouble(),
    tell: @escaping @Sendable (BunnyBroadcastEvent) -> Void
  ) {
    (self.quality, self.orders, self.facts, self.trouble) = (quality, orders, facts, trouble)
    self.tell = tell
    let usable = facts.usable
    memory =
      wish == .auto
      ? folder.map {
        EffortMemory(folder: $0, processor: facts.model, processors: usable, quality)
      } : nil
    do { remembered = try memory?.remembered() } catch { tell(.detail(message: "\(error)")) }
    rule = ProcessorRule(
      wish, remembered: remembered,
      ProcessorRule.Setup(quality, facts, processors: usable))
    frame = quality.frameRate.reciprocal.convert(1, to: .nanoseconds)
    let now = MonotonicTime.now
    sample = ProcessorRule.Sample(time: now)
    before = (ProcessorFacts.ownTime, facts.idleTime, now)
    obey(rule.beginning)
  }

  /// - Parameter waiting: pictures that came after this one.
  mutating func leavesOutPicture(waiting: Int) -> Bool {
    guard backlog.leavesOutPicture(waiting: waiting) else { return false }
    sample.leftOut += 1
    return true
  }

  /// - Parameter waiting: pictures that came since.
  func leavesOutRepeat(waiting: Int) -> Bool { backlog.leavesOutRepeat(waiting: waiting) }

  /// A picture was encoded; nanoseconds that it took.
  mutating func encoded(converting: Int64, encoding: Int64, to plan: EncodingPlan) {
    let frame = frame * Int64(plan.frameDivisor)
    backlog.encoded(in: converting + encoding, frame: frame)
    sample.frames += 1
    // A program that was stopped once is not slow.
    sample.converting += min(converting, 4 * frame)
    sample.encoding += min(encoding, 4 * frame)
  }

  /// Looks, if it is time to.
  ///
  /// - Parameter waiting: pictures that wait to be encoded.
  mutating func look(_ plan: EncodingPlan, waiting: Int) {
    let now = MonotonicTime.now
    guard now - before.time >= Self.period else { return }
    sample.time = now
    sample.waiting = waiting
    measure(now)
    let verdict = rule.look(sample, plan)
    sample = ProcessorRule.Sample(time: now)
    if let order = verdict.order { obey(order) }
    if let news = verdict.news { say(news) }
    remember(now)
  }

  private mutating func measure(_ now: MonotonicTime) {
    let (own, idle) = (ProcessorFacts.ownTime, facts.idleTime)
    sample.processorTime = own - before.own
    sample.processors = facts.usable
    if let idle, let was = before.idle {
      sample.idle = Double(max(0, idle - was)) / Double(now - before.time)
    }
    before = (own, idle, now)
  }

  private func obey(_ order: ProcessorRule.Order) {
    var limit = EncodingPlan.Limit()
    limit.effort = order.step.effort
    limit.frameDivisor = order.step.frameDivisor
    limit.size = order.step.size
    limit.threads = order.threads
    orders.limit(limit, by: .processor, atOnce: order.atOnce)
  }

  private func say(_ news: ProcessorRule.News) {
    let answer = rule.steps[rule.index].words(quality)
    switch news {
    case .overloaded(let load):
      tell(.processorOverloaded(load, answer: answer, trouble: trouble.words))
    case .recovered(let load): tell(.processorRecovered(load, answer: answer))
    case .moved(let load):
      let trouble = trouble.words.map { "; \($0)" } ?? ""
      tell(
        .detail(
          message: "from the next keyframe on: \(answer); "
            + "\(JSONValue.shown((load.free * 100).rounded() / 100)) of "
            + "\(JSONValue.shown(load.processors)) processors are free\(trouble)"))
    }
  }

  /// On a thread of its own, as a slow card may take its time.
  private mutating func remember(_ now: MonotonicTime) {
    guard let memory, let effort = rule.settled(at: now), effort != remembered else { return }
    remembered = effort
    startThread("remember") { [tell] in
      do { try memory.remember(effort) } catch { tell(.detail(message: "\(error)")) }
    }
  }
}

extension ProcessorRule.Setup {
  /// What this processor may be expected to do; cautious, as it is soon measured.
  init(_ quality: VideoEncoder.Settings, _ facts: ProcessorFacts, processors: Double) {
    let pixels = Double(quality.width * quality.height)
    self.init(
      framesPerSecond: quality.frameRate.value, height: quality.height, processors: processors,
      expected: pixels * facts.nanosecondsPerPixel)
  }
}

extension ProcessorFacts {
  /// What x264's `veryfast` takes of one core, for an ``EncoderEffort/cost`` of 1: 14 were measured on a server of 2024 with AVX-512, for a film.
  /// The others are guesses: nothing else was at hand.
  package var nanosecondsPerPixel: Double {
    let flags = flags
    if flags.contains("avx2") { return 20 }
    if flags.contains("sse2") { return 50 }
    guard flags.contains("asimd") else { return 200 }
    return 120 / max(1, gigahertz ?? 1.5)
  }
}

extension BroadcastConfiguration {
  /// What is to be encoded to, if the processor can.
  package func wish(_ encoder: VideoEncoder.Kind) -> EncodingStep.Wish {
    guard encoder == .x264 else { return .hardware }
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
