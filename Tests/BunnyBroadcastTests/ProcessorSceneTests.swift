import BunnyBroadcast
import BunnySystem
import Testing

/// What a rule that looks at the last seconds only would get wrong.
@Suite struct ProcessorSceneTests {
  private func isOverload(_ news: ProcessorRule.News?) -> Bool {
    if case .overloaded? = news { true } else { false }
  }

  @Test func `a still scene that begins to move has its threads already`() {
    var machine = ArithmeticMachine(.auto, milliseconds: 5, expected: 20, processors: 4)
    _ = machine.run(30)
    #expect(machine.plan.effort == .best && machine.plan.threads == 2)
    machine.milliseconds = 25
    #expect(machine.run(60).isEmpty)
  }

  @Test func `threads that the quality file insists on are never others`() {
    for threads in [1, 3] {
      var machine = ArithmeticMachine(
        .effort(.good), milliseconds: 20, processors: 4, threads: threads)
      #expect(machine.rule.beginning.threads == threads && machine.run(20).isEmpty)
      // 26 of 33.3 ms with `lighter`, which is too much.
      machine.milliseconds = 26 / EncoderEffort.lighter.cost * EncoderThreads.speed(threads)
      let verdicts = machine.run(200)
      #expect(verdicts.first.map { isOverload($0.verdict.news) } ?? false)
      #expect(verdicts.compactMap(\.verdict.order).allSatisfy { $0.threads == threads })
      #expect(machine.plan.effort == .lightest && machine.plan.frameDivisor == 1)
    }
  }

  @Test func `hours without a picture to encode say nothing of those that follow`() {
    var machine = ArithmeticMachine(.auto, milliseconds: 10)
    machine.isPassing = true
    #expect(machine.run(3_600).isEmpty && machine.rule.settled(at: machine.now) == nil)
    machine.isPassing = false
    #expect(machine.run(5).compactMap(\.verdict.order?.step.effort) == [.best])
    #expect(machine.rule.settled(at: machine.now) == nil)
    #expect(machine.run(35).isEmpty && machine.rule.settled(at: machine.now) == .best)
    machine.isPassing = true
    #expect(machine.run(3_600).isEmpty)
    machine.isPassing = false
    machine.others = 3.4
    // Too little is free, which an hour's average would hide.
    #expect(machine.run(15).first?.verdict.order?.step.effort == .better)
  }

  @Test func `few pictures a second are judged all the same`() {
    var rule = ProcessorRule(
      .auto, .init(framesPerSecond: 2, height: 720, processors: 4, expected: 4e6))
    var plan = EncodingPlan(ArithmeticMachine.quality)
    (plan.effort, plan.threads) = (.light, 1)
    var orders: [EncoderEffort?] = []
    for look in 0..<20 {
      var sample = ProcessorRule.Sample(time: MonotonicTime(nanoseconds: 250_000_000 * Int64(look)))
      if look.isMultiple(of: 2) {
        (sample.frames, sample.encoding, sample.processorTime) = (1, 4_000_000, 4_000_000)
      }
      sample.processors = 4
      if let order = rule.look(sample, plan).order { orders.append(order.step.effort) }
    }
    #expect(orders == [.best])
  }

  /// Runs until something is ordered; no keyframe is due.
  private func order(_ machine: inout ArithmeticMachine) throws -> ProcessorRule.Order {
    for _ in 0..<400 {
      if let order = machine.run(0.25).first?.verdict.order { return order }
    }
    throw NothingOrdered()
  }

  private struct NothingOrdered: Error {}

  /// A machine that took so long, and has ordered a climb now.
  private func climbing(from milliseconds: Double) throws -> ArithmeticMachine {
    var machine = ArithmeticMachine(.effort(.light), milliseconds: 30, processors: 1)
    _ = machine.run(10)
    machine.milliseconds = milliseconds
    _ = machine.run(10)
    machine.milliseconds = 20
    let climb = try order(&machine)
    #expect(!climb.atOnce)
    return machine
  }

  @Test func `a climb that waits is called off when what is encoded is too much`() throws {
    var machine = try climbing(from: 60)
    #expect(machine.rule.steps[machine.rule.index].effort == .lighter)
    #expect(machine.plan.effort == .lightest && machine.plan.frameDivisor == 1)
    machine.milliseconds = 120  // about 41 where there are 33: of half the pictures
    let answer = try order(&machine)
    #expect(answer.atOnce && answer.step == machine.rule.steps[machine.rule.index])
    #expect(answer.step.frameDivisor == 2 && answer.step.size == .whole)
  }

  @Test func `so is one to all of the pictures`() throws {
    var machine = try climbing(from: 80)
    #expect(machine.rule.steps[machine.rule.index].frameDivisor == 1)
    #expect(machine.plan.frameDivisor == 2 && machine.plan.size == .whole)
    // About 75 ms where there are 67: three quarters of each side take 42.
    machine.milliseconds = 220
    let answer = try order(&machine)
    #expect(answer.atOnce && answer.step == machine.rule.steps[machine.rule.index])
    #expect(answer.step.frameDivisor == 2 && answer.step.size == .threeQuarters)
  }

  @Test func `from the last step it is called off without another encoder`() throws {
    var machine = try climbing(from: 300)
    let last = try #require(machine.rule.steps.last)
    #expect(last.limits(machine.plan) && machine.rule.steps[machine.rule.index] != last)
    machine.milliseconds = 900
    let answer = try order(&machine)
    #expect(answer.step == last && answer.threads == 1 && !answer.atOnce)
    #expect(machine.orders.current.plan == machine.plan && !machine.orders.current.isUrgent)
  }
}

@Suite struct ClimbPatienceTests {
  private func seconds(_ count: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000 * count)
  }

  @Test func `it doubles when a climb did not hold, up to a quarter of an hour`() {
    var patience = ClimbPatience()
    #expect(patience.wait == 0)
    var waits: [Int64] = []
    for climb: Int64 in 0..<8 {
      patience.climbed(at: seconds(100 * climb))
      patience.failed(at: seconds(100 * climb + 10))
      waits.append(patience.wait / 1_000_000_000)
    }
    #expect(waits == [20, 40, 80, 160, 320, 640, 900, 900])
  }

  @Test func `an overload that goes on is one failure; long after a climb it is the first again`() {
    var patience = ClimbPatience()
    for climb: Int64 in 0..<3 {
      patience.climbed(at: seconds(50 * climb))
      patience.failed(at: seconds(50 * climb + 10))
    }
    #expect(patience.wait == .seconds(80))
    patience.failed(at: seconds(112))
    patience.failed(at: seconds(351))  // less than three times as long after
    #expect(patience.wait == .seconds(80))
    patience.climbed(at: seconds(400))
    patience.failed(at: seconds(640))
    #expect(patience.wait == .seconds(20))
  }

  @Test func `what fails long after the last failure is the first again, too`() {
    var patience = ClimbPatience()
    patience.climbed(at: seconds(0))
    patience.failed(at: seconds(1))
    patience.climbed(at: seconds(30))
    patience.failed(at: seconds(31))
    #expect(patience.wait == .seconds(40))
    patience.failed(at: seconds(151))
    #expect(patience.wait == .seconds(20))
  }
}
