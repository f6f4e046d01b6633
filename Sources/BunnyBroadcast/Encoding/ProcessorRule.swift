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
    /// It cannot keep up; said once, until it does. Further steps are moves.
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
  /// What is ordered.
  package private(set) var index: Int
  private let setup: Setup
  private let isAutomatic: Bool
  package private(set) var threads: Int
  /// The step that is encoded to: another one until a keyframe is due.
  private var standing: Int
  private var span: LoadSpan?
  private var plan: EncodingPlan?
  private var last: MonotonicTime?
  private var encoded: MonotonicTime?  // when a look last saw pictures
  private var behindSince: MonotonicTime?
  private var keepsUpSince: MonotonicTime?
  private var changed: MonotonicTime?
  private var patience = ClimbPatience()
  private var isTold = false

  static let noticeAfter: Int64 = .milliseconds(1_000)
  static let noticeLatest: Int64 = .milliseconds(1_750)
  static let firstLook: Int64 = .seconds(2)
  static let longestSpan: Int64 = .seconds(10)

  /// - Parameter remembered: what held the last time.
  package init(
    _ wish: EncodingStep.Wish, remembered: EncoderEffort? = nil, _ setup: Setup
  ) {
    steps = EncodingStep.ladder(wish)
    isAutomatic = wish == .auto
    self.setup = setup
    index = isAutomatic ? Self.first(of: steps, remembered, setup) : 0
    threads = setup.threads(for: steps[index], of: setup.processors)
    standing = index
  }

  /// What to begin with: what held before, else no more than a third of the processors by expectation.
  private static func first(
    of steps: [EncodingStep], _ remembered: EncoderEffort?, _ setup: Setup
  ) -> Int {
    if let remembered, let index = steps.firstIndex(where: { $0.effort == remembered }) {
      return index
    }
    let light = steps.firstIndex { $0.effort == .light } ?? 0
    return steps.indices.first {
      $0 >= light && setup.expectedLoad(steps[$0]) <= setup.processors / 3
    } ?? (steps.firstIndex { $0.effort == .lightest } ?? 0)
  }

  /// What the encoder is opened with.
  package var beginning: Order { Order(step: steps[index], threads: threads, atOnce: false) }

  /// What has held for a while, where it is ours to choose; or what is left of it, so that no other start begins
  /// with what has just failed.
  package func settled(at now: MonotonicTime) -> EncoderEffort? {
    guard isAutomatic else { return nil }
    if isTold { return steps[index].effort }
    guard steps[index].isWhole, let changed, now - changed >= .seconds(30),
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
      if index < standing { patience.climbed(at: sample.time) }
      standing = index
      (span, behindSince, changed) = (nil, nil, sample.time)
      return Verdict()
    }
    // Who ordered less than others left already is obeyed.
    if index > standing, steps[index].limits(plan) { standing = index }
    if sample.frames > 0 { encoded = sample.time }
    if isPause(sample.time, plan) {
      // What is encoded after it is judged by itself.
      (span, behindSince, keepsUpSince, changed) = (nil, nil, nil, sample.time)
      return Verdict()
    }
    var span = self.span ?? LoadSpan(since: last)
    span.add(sample, after: last)
    self.span = span
    guard sample.frames > 0 else { return Verdict() }
    note(sample, plan)
    if let since = behindSince { return behind(since, sample, plan) }
    guard sample.time - span.since >= Self.firstLook else { return Verdict() }
    let load = span.load(setup.frame)
    if let verdict = recovered(load, sample) ?? moved(span, load, sample, plan) { return verdict }
    if sample.time - span.since >= Self.longestSpan { self.span = nil }
    return Verdict()
  }

  /// Few pictures a second leave a look without one; where the camera's own pass, none is encoded for hours.
  private func isPause(_ now: MonotonicTime, _ plan: EncodingPlan) -> Bool {
    let two = Int64(2 * setup.frame * Double(plan.frameDivisor))
    return encoded.map { now - $0 >= max(Self.firstLook, two) } ?? true
  }

  private mutating func note(_ sample: Sample, _ plan: EncodingPlan) {
    let took = Double(sample.converting + sample.encoding)
    let had = setup.frame * Double(plan.frameDivisor * sample.frames)
    let isBehind = took >= 0.95 * had && (sample.leftOut > 0 || sample.waiting > 2)
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
    let delay = (span?.leftOut ?? 0) > 0 ? Self.noticeAfter : Self.noticeLatest
    guard let span, sample.time - since >= delay else { return Verdict() }
    let load = span.load(setup.frame)
    var verdict = Verdict()
    let target = downward(span, plan)
    // A climb that waits for its keyframe is called off, too.
    let isEncoded = steps[target.index].limits(plan) && target.threads == threads(plan)
    if !isEncoded || target.index != index || target.threads != threads {
      patience.failed(at: sample.time)
      verdict.order = move(to: target.index, target.threads, sample, atOnce: !isEncoded)
    }
    if target.index == standing && target.keepsUp {
      verdict.news = .moved(load)  // with more threads it can
    } else if !isTold {
      verdict.news = .overloaded(load)
      isTold = true
    } else if verdict.order != nil {
      verdict.news = .moved(load)
    }
    return verdict
  }

  /// With how many it is encoded.
  private func threads(_ plan: EncodingPlan) -> Int { plan.threads ?? threads }

  /// The first that keeps up by expectation: more threads, before something is taken off.
  private func downward(
    _ span: LoadSpan, _ plan: EncodingPlan
  ) -> (index: Int, threads: Int, keepsUp: Bool) {
    for candidate in standing..<steps.count {
      let (threads, share) = prediction(candidate, span, plan)
      let isOther = candidate > standing || threads > self.threads(plan)
      if isOther && share <= 0.75 { return (candidate, threads, true) }
    }
    let last = steps.count - 1
    return (last, max(threads(plan), prediction(last, span, plan).threads), false)
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
    guard index > 0, sample.time - changed >= max(patience.wait, Self.firstLook) else { return nil }
    // Once something did not hold, step by step.
    let best = patience.wait == 0 ? 0 : index - 1
    for candidate in best..<index {
      let (threads, share) = prediction(candidate, span, plan)
      guard share <= 0.7, leavesEnough(candidate, span, plan) else { continue }
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
    patience.failed(at: sample.time)
    let threads = prediction(index + 1, span, plan).threads
    let order = move(to: index + 1, threads, sample, atOnce: false)
    return Verdict(order: order, news: .moved(load))
  }

  /// Whether a third of the processors stays free, where the effort is ours to choose.
  private func leavesEnough(_ candidate: Int, _ span: LoadSpan, _ plan: EncodingPlan) -> Bool {
    guard isAutomatic, steps[candidate + 1].isWhole else { return true }
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
    let threads = setup.threads(for: step, load: needs / frame, of: span.processors)
    let took = Double(span.encoding) / Double(span.frames) * picture
    let faster = EncoderThreads.speed(threads) / EncoderThreads.speed(self.threads(plan))
    return (threads, (Double(span.converting) / Double(span.frames) + took / faster) / frame)
  }
}
