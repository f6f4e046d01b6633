package import BunnySystem

/// How the video lane is to encode, so that the processor can carry it. Measures and does nothing itself.
///
/// Lighter, at once, when pictures come faster than they are encoded; better, at a keyframe that is due,
/// when that leaves a third of the processor free; back again, later each time, when it did not hold.
package struct ProcessorRule {
  /// What was measured since the last one, some quarter of a second ago.
  package struct Sample: Equatable, Sendable {
    package var time: MonotonicTime
    /// Pictures encoded.
    package var frames = 0
    /// What converting and encoding them took in the lane: nanoseconds of the clock.
    package var converting: Int64 = 0
    package var encoding: Int64 = 0
    /// Of all threads of this process, nanoseconds.
    package var processorTime: Int64 = 0
    /// Of the processors that this process may use, how many were idle; nil: not known.
    package var idle: Double?
    /// How many it may use; a quota may leave it a part of one.
    package var processors = 1.0
    /// Pictures that wait to be encoded, and those that were left out.
    package var waiting = 0
    package var leftOut = 0

    package init(time: MonotonicTime) { self.time = time }
  }

  package struct Order: Equatable, Sendable {
    package let step: EncodingStep
    package let threads: Int
    /// Another encoder does not wait for the next keyframe to be due.
    package let atOnce: Bool
  }

  package enum News: Equatable, Sendable {
    /// It cannot keep up; said once, until it does.
    case overloaded(ProcessorLoad)
    /// It keeps up again.
    case recovered(ProcessorLoad)
    /// It can do better, or has too little to spare.
    case moved(ProcessorLoad)
  }

  package struct Verdict: Equatable, Sendable {
    package var order: Order?
    package var news: News?

    package init(order: Order? = nil, news: News? = nil) { (self.order, self.news) = (order, news) }
  }

  package let steps: [EncodingStep]
  package private(set) var index: Int
  private let setup: Setup
  private let isAutomatic: Bool
  private var threads: Int
  private var span: LoadSpan?
  private var plan: EncodingPlan?
  private var last: MonotonicTime?
  private var behindSince: MonotonicTime?
  private var keepsUpSince: MonotonicTime?
  private var changed: MonotonicTime?
  private var climbed: MonotonicTime?
  private var patience: Int64 = 0
  private var isTold = false

  /// What does not change while it runs.
  package struct Setup: Equatable, Sendable {
    /// Pictures a second, and how high they are.
    package var framesPerSecond: Double
    package var height: Int
    /// Processors.
    package var processors: Double
    /// What a picture may be expected to take of one processor where ``EncoderEffort/cost`` is 1; nanoseconds.
    package var expected: Double

    package init(framesPerSecond: Double, height: Int, processors: Double, expected: Double) {
      (self.framesPerSecond, self.height) = (framesPerSecond, height)
      (self.processors, self.expected) = (processors, expected)
    }

    var frame: Double { 1e9 / framesPerSecond }
  }

  static let noticeAfter: Int64 = .milliseconds(1_000)
  static let noticeLatest: Int64 = .milliseconds(1_750)
  static let firstLook: Int64 = .seconds(2)
  static let longestSpan: Int64 = .seconds(10)
  static let firstPatience: Int64 = .seconds(20)
  static let longestPatience: Int64 = .seconds(900)

  /// - Parameter remembered: what held the last time.
  package init(
    _ wish: EncodingStep.Wish, remembered: EncoderEffort? = nil, _ setup: Setup
  ) {
    steps = EncodingStep.ladder(wish)
    isAutomatic = wish == .auto
    self.setup = setup
    index = 0
    threads = 1
    if isAutomatic { index = first(remembered) }
    threads = threads(at: setup.expected * steps[index].cost, setup.processors)
  }

  /// What to begin with: what held before, else no more than a third of the processors by expectation.
  private func first(_ remembered: EncoderEffort?) -> Int {
    if let remembered, let index = steps.firstIndex(where: { $0.effort == remembered }) {
      return index
    }
    let light = steps.firstIndex { $0.effort == .light } ?? 0
    return steps.indices.first {
      $0 >= light && setup.expected * steps[$0].cost / setup.frame <= setup.processors / 3
    } ?? (steps.firstIndex { $0.effort == .lightest } ?? 0)
  }

  /// What the encoder is opened with.
  package var beginning: Order { Order(step: steps[index], threads: threads, atOnce: false) }

  /// What has held for a while, where it is ours to choose.
  package func settled(at now: MonotonicTime) -> EncoderEffort? {
    guard isAutomatic, steps[index].isWhole, let changed, now - changed >= .seconds(30),
      behindSince == nil
    else { return nil }
    return steps[index].effort
  }

  /// - Parameter plan: what is encoded to; others may have taken something off.
  package mutating func look(_ sample: Sample, _ plan: EncodingPlan) -> Verdict {
    defer { last = sample.time }
    let isSame = self.plan.map { plan.differsOnlyInBitrate(from: $0) } ?? false
    self.plan = plan
    guard isSame, let last else {
      // Opening an encoder, and emptying the one before, took its time.
      (span, behindSince, changed) = (nil, nil, sample.time)
      return Verdict()
    }
    var span = self.span ?? LoadSpan(since: last)
    span.add(sample, after: last)
    self.span = span
    note(sample, plan)
    if let since = behindSince { return behind(since, sample, plan) }
    guard sample.time - span.since >= Self.firstLook, span.frames > 0 else { return Verdict() }
    let load = span.load(setup.frame)
    if let verdict = recovered(load, sample) ?? moved(span, load, sample, plan) { return verdict }
    if sample.time - span.since >= Self.longestSpan { self.span = nil }
    return Verdict()
  }

  private mutating func note(_ sample: Sample, _ plan: EncodingPlan) {
    let took = Double(sample.converting + sample.encoding)
    let had = setup.frame * Double(plan.frameDivisor * sample.frames)
    let isBehind =
      sample.frames > 0 && took >= 0.95 * had && (sample.leftOut > 0 || sample.waiting > 2)
    if !isBehind {
      behindSince = nil
      keepsUpSince = keepsUpSince ?? sample.time
    } else if behindSince == nil {
      behindSince = last
      keepsUpSince = nil
      self.span = LoadSpan(since: last ?? sample.time)
      self.span?.add(sample, after: last ?? sample.time)
    }
  }
}

// MARK: Down

extension ProcessorRule {
  private mutating func behind(
    _ since: MonotonicTime, _ sample: Sample, _ plan: EncodingPlan
  ) -> Verdict {
    // As long as nothing had to be left out it may pass.
    let patience = (span?.leftOut ?? 0) > 0 ? Self.noticeAfter : Self.noticeLatest
    guard let span, sample.time - since >= patience else { return Verdict() }
    let load = span.load(setup.frame)
    var verdict = Verdict()
    if steps[index].limits(plan) {
      let target = downward(span, plan)
      if target.index != index || target.threads != threads {
        noteFailure(sample.time)
        verdict.order = move(to: target.index, target.threads, sample, atOnce: true)
      }
    }
    if !isTold { verdict.news = .overloaded(load) }
    isTold = true
    return verdict
  }

  /// The first that keeps up by expectation: more threads, before something is taken off.
  private func downward(_ span: LoadSpan, _ plan: EncodingPlan) -> (index: Int, threads: Int) {
    for candidate in index..<steps.count {
      let (threads, share) = prediction(candidate, span, plan)
      let isOther = candidate > index || threads > self.threads
      if isOther && share <= 0.75 { return (candidate, threads) }
    }
    let last = steps.count - 1
    return (last, max(threads, prediction(last, span, plan).threads))
  }

  private mutating func noteFailure(_ now: MonotonicTime) {
    let hasJustClimbed = climbed.map { now - $0 < 3 * max(patience, .seconds(20)) } ?? false
    patience =
      hasJustClimbed
      ? min(max(2 * patience, Self.firstPatience), Self.longestPatience)
      : max(patience, Self.firstPatience)
    climbed = nil
  }

  private mutating func move(
    to index: Int, _ threads: Int, _ sample: Sample, atOnce: Bool
  ) -> Order {
    (self.index, self.threads) = (index, threads)
    (span, behindSince, changed) = (nil, nil, sample.time)
    keepsUpSince = nil
    return Order(step: steps[index], threads: threads, atOnce: atOnce)
  }
}

// MARK: Up, and back

extension ProcessorRule {
  private mutating func recovered(_ load: ProcessorLoad, _ sample: Sample) -> Verdict? {
    guard isTold, steps[index].isWhole, let keepsUpSince,
      sample.time - keepsUpSince >= .seconds(10)
    else { return nil }
    isTold = false
    return Verdict(news: .recovered(load))
  }

  private mutating func moved(
    _ span: LoadSpan, _ load: ProcessorLoad, _ sample: Sample, _ plan: EncodingPlan
  ) -> Verdict? {
    guard steps[index].limits(plan), let changed else { return nil }
    if let verdict = tooMuch(span, load, sample, plan) { return verdict }
    guard index > 0, sample.time - changed >= max(patience, Self.firstLook) else { return nil }
    // Once something did not hold, step by step.
    let best = patience == 0 ? 0 : index - 1
    for candidate in best..<index {
      let (threads, share) = prediction(candidate, span, plan)
      guard share <= 0.7, leavesEnough(candidate, span, plan) else { continue }
      climbed = sample.time
      let order = move(to: candidate, threads, sample, atOnce: false)
      return Verdict(order: order, news: .moved(load))
    }
    return nil
  }

  /// What we chose ourselves is taken back when others, or heat, leave less than a sixth free.
  private mutating func tooMuch(
    _ span: LoadSpan, _ load: ProcessorLoad, _ sample: Sample, _ plan: EncodingPlan
  ) -> Verdict? {
    guard isAutomatic, sample.time - span.since >= Self.longestSpan, index + 1 < steps.count,
      steps[index + 1].isWhole, span.free < span.processors / 6
    else { return nil }
    noteFailure(sample.time)
    let threads = prediction(index + 1, span, plan).threads
    let order = move(to: index + 1, threads, sample, atOnce: false)
    return Verdict(order: order, news: .moved(load))
  }

  /// Whether a third of the processors stays free, where the effort is ours to choose.
  private func leavesEnough(_ candidate: Int, _ span: LoadSpan, _ plan: EncodingPlan) -> Bool {
    guard isAutomatic, steps[candidate].isWhole, candidate < steps.count - 4 else { return true }
    let more = span.encodingProcessors * (ratio(candidate, plan) - 1)
    return span.free - more >= span.processors / 3
  }

  private func ratio(_ candidate: Int, _ plan: EncodingPlan) -> Double {
    steps[candidate].cost / EncodingStep.cost(of: plan, ownCost: steps[0].cost)
  }

  /// How many threads it would have, and what of the time between two pictures one would take.
  private func prediction(
    _ candidate: Int, _ span: LoadSpan, _ plan: EncodingPlan
  ) -> (threads: Int, share: Double) {
    let step = steps[candidate]
    let frame = setup.frame * Double(step.frameDivisor)
    // Of one picture: its cost a second, times how many fewer there are.
    let picture =
      ratio(candidate, plan) * Double(step.frameDivisor) / Double(plan.frameDivisor)
    let needs = span.encodingProcessorTime / Double(span.frames) * picture
    let threads = max(1, threads(at: needs, span.processors, every: frame))
    let took = Double(span.encoding) / Double(span.frames) * picture
    let faster = EncoderThreads.speed(threads) / EncoderThreads.speed(self.threads)
    return (threads, (Double(span.converting) / Double(span.frames) + took / faster) / frame)
  }

  private func threads(
    at needs: Double, _ processors: Double, every frame: Double? = nil
  ) -> Int {
    EncoderThreads.count(
      load: needs / (frame ?? setup.frame), processors: processors, height: setup.height)
  }
}
