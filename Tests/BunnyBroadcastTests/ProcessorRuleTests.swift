import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Testing

/// What is ordered, on machines that are arithmetic.
@Suite struct ProcessorRuleTests {
  private typealias Machine = ArithmeticMachine

  private func efforts(
    _ verdicts: [(after: Double, verdict: ProcessorRule.Verdict)]
  ) -> [EncoderEffort?] {
    verdicts.compactMap { $0.verdict.order?.step.effort }
  }

  @Test func `the ladder is lighter effort, then half the pictures, then smaller ones`() {
    let steps = EncodingStep.ladder(.effort(.light))
    #expect(steps.map(\.effort) == [.light, .lighter, .lightest, .lightest, .lightest, .lightest])
    #expect(steps.map(\.frameDivisor) == [1, 1, 1, 2, 2, 2])
    #expect(steps.map(\.size) == [.whole, .whole, .whole, .whole, .threeQuarters, .half])
    for wish: EncodingStep.Wish in [.auto, .effort(.best), .preset(cost: 4), .hardware] {
      let costs = EncodingStep.ladder(wish).map(\.cost)
      #expect(zip(costs, costs.dropFirst()).allSatisfy { $0 > $1 })
    }
    let below = EncodingStep.ladder(.preset(cost: 0.55)).map(\.effort)
    #expect(below.prefix(3) == [nil, .lighter, .lightest])
    #expect(EncodingStep.ladder(.hardware).allSatisfy { $0.effort == nil })
    #expect(
      steps[4].words(Machine.quality) == "effort lightest, 15 pictures a second of 960x540")
  }

  @Test func `it begins with what a third of the processor may be expected to do`() {
    func beginning(_ milliseconds: Double, _ processors: Double) -> EncoderEffort? {
      Machine(.auto, milliseconds: milliseconds, processors: processors).rule.beginning.step.effort
    }
    #expect(beginning(5, 4) == .light)
    #expect(beginning(17, 1) == .light)
    #expect(beginning(20, 1) == .lighter)
    #expect(beginning(25, 1) == .lightest)
    #expect(beginning(500, 1) == .lightest)
  }

  @Test func `it measures, and goes at once to the best that leaves a third free`() {
    var fast = Machine(.auto, milliseconds: 10)
    let verdicts = fast.run(120)
    #expect(efforts(verdicts) == [.best])
    #expect(verdicts.first.map { $0.after <= 3 && $0.verdict.order?.atOnce == false } ?? false)
    #expect(fast.rule.settled(at: fast.now) == .best)
    // 30 pictures of 40 ms are 1.2 processors; two have 1.33 to give away.
    var middle = Machine(.auto, milliseconds: 40, processors: 2)
    #expect(efforts(middle.run(120)) == [.good])
  }

  @Test func `what was remembered is begun with, and taken back when it does not hold`() {
    var hot = Machine(.auto, milliseconds: 60, expected: 15, processors: 2, remembered: .best)
    #expect(hot.rule.beginning.step.effort == .best)
    let verdicts = hot.run(60)
    #expect(verdicts.first?.verdict.order.map { $0.step.effort != .best } ?? false)
    #expect(hot.rule.settled(at: hot.now).map { $0 < .best } ?? false)
    // What fails at once is not begun with again.
    var hopeless = Machine(
      .auto, milliseconds: 120, expected: 15, processors: 1, remembered: .best)
    _ = hopeless.run(4)
    #expect(hopeless.rule.settled(at: hopeless.now).map { $0 < .best } ?? false)
  }

  @Test func `what is overloaded again before it has recovered says each further step`() {
    var slow = Machine(
      .effort(.light), milliseconds: 26 / EncoderEffort.lightest.cost, expected: 15,
      processors: 1)
    _ = slow.run(20)
    slow.milliseconds *= 3  // others take most of it
    let verdicts = slow.run(20)
    let steps = verdicts.filter { $0.verdict.order?.atOnce ?? false }
    #expect(!steps.isEmpty)
    #expect(
      steps.allSatisfy { if case .moved? = $0.verdict.news { true } else { false } },
      "\(verdicts)")
  }

  @Test func `too many pictures are told of within two seconds, and answered at once`() {
    // 26 ms of 33.3 with the lightest effort: more than three quarters.
    let milliseconds = 26 / EncoderEffort.lightest.cost
    var slow = Machine(.effort(.best), milliseconds: milliseconds, expected: 15, processors: 1)
    let verdicts = slow.run(30)
    #expect(verdicts.first.map { $0.after <= 2 } ?? false)
    #expect(verdicts.first?.verdict.order?.atOnce == true)
    guard case .overloaded(let load)? = verdicts.first?.verdict.news else {
      Issue.record("\(verdicts)")
      return
    }
    #expect(load.frameMs > 33 && load.frameMs < 34 && load.pictureMs > 90)
    #expect(
      verdicts.filter { if case .overloaded? = $0.verdict.news { true } else { false } }.count == 1)
    // So half of the pictures.
    #expect(slow.rule.steps[slow.rule.index].effort == .lightest)
    #expect(slow.plan.frameDivisor == 2 && slow.plan.size == .whole && slow.waiting == 0)
  }

  @Test func `more threads come before less picture`() {
    var wide = Machine(.effort(.good), milliseconds: 40, expected: 10, processors: 4)
    let verdicts = wide.run(10)
    let order = verdicts.first?.verdict.order
    #expect(order?.step.effort == .good && order?.threads == 2 && order?.atOnce == true)
    #expect(wide.waiting == 0)
    // The processor can do it, so nobody is alarmed.
    let news = verdicts.compactMap(\.verdict.news)
    guard news.count == 1, case .moved? = news.first else {
      Issue.record("\(news)")
      return
    }
  }

  @Test func `at the end of the ladder it is said and borne`() {
    var hopeless = Machine(.preset(cost: 1), milliseconds: 2_000, expected: 10, processors: 1)
    let verdicts = hopeless.run(60)
    #expect(verdicts.compactMap(\.verdict.news).count == 1)
    #expect(hopeless.plan.size == .half && hopeless.plan.frameDivisor == 2)
  }

  @Test func `it comes back slowly, later each time it did not hold, and says so once`() {
    var machine = Machine(.effort(.light), milliseconds: 30, processors: 1)
    #expect(machine.run(60).isEmpty)
    machine.milliseconds = 80
    let down = machine.run(10)
    #expect(down.first.map { $0.after <= 2 } ?? false)
    machine.milliseconds = 30
    let up = machine.run(300)
    #expect(up.compactMap(\.verdict.order?.step.effort).last == .light)
    #expect(machine.plan.effort == .light && machine.plan.frameDivisor == 1)
    #expect(up.compactMap(\.verdict.order).allSatisfy { !$0.atOnce })
    // One step every twenty seconds.
    #expect(zip(up, up.dropFirst()).allSatisfy { $1.after - $0.after >= 10 })
    let recovered = up.compactMap(\.verdict.news).filter {
      if case .recovered = $0 { true } else { false }
    }
    #expect(recovered.count == 1)
  }

  @Test func `a failure after a climb doubles the wait`() {
    var machine = Machine(.effort(.light), milliseconds: 30, processors: 1)
    _ = machine.run(10)
    machine.others = 1  // a neighbour that takes half, whenever we use more
    var waits: [Double] = []
    for _ in 0..<4 {
      machine.milliseconds = 60
      _ = machine.run(6)
      machine.milliseconds = 25
      if let up = machine.run(1000).first(where: { $0.verdict.order != nil }) {
        waits.append(up.after)
      }
    }
    #expect(waits.count >= 2 && zip(waits, waits.dropFirst()).allSatisfy { $1 >= $0 })
  }

  @Test func `a sixth is too little to spare, without hurry`() {
    var machine = Machine(.auto, milliseconds: 10)
    _ = machine.run(30)
    machine.others = 3.4
    let verdicts = machine.run(25)
    #expect(efforts(verdicts).first == .better)
    #expect(verdicts.first?.verdict.order?.atOnce == false)
    #expect(verdicts.allSatisfy { if case .overloaded? = $0.verdict.news { false } else { true } })
  }

  @Test func `a bit rate that changes all the time disturbs nothing`() {
    var machine = Machine(.auto, milliseconds: 10)
    var efforts: [EncoderEffort?] = []
    for rate in 0..<40 {
      machine.plan.bitrate = 1_000_000 + rate
      efforts += machine.run(0.5).compactMap { $0.verdict.order?.step.effort }
    }
    #expect(efforts.first == .best)
  }

  @Test func `others' limits are left alone`() {
    var machine = Machine(.auto, milliseconds: 10)
    var limit = EncodingPlan.Limit()
    (limit.size, limit.frameDivisor) = (.half, 4)
    machine.orders.limit(limit, by: .network)
    _ = machine.run(30)
    #expect(machine.plan.size == .half && machine.plan.frameDivisor == 4)
    #expect(machine.plan.effort == .best)
  }
}
