import BunnyBroadcast
import BunnySystem
import Testing

private func moment(_ milliseconds: Int64) -> MonotonicTime {
  MonotonicTime(nanoseconds: .seconds(100) + .milliseconds(milliseconds))
}

/// What the ``BitrateRule`` is made of.
@Suite struct BitratePartsTests {
  // What the line carries.

  /// Confirmations every 50 ms, of a line of 40 ms.
  private func meter(
    late: Int64, bytes: Int64, times: Range<Int64>, meter: DeliveryMeter = DeliveryMeter()
  ) -> DeliveryMeter {
    var meter = meter
    for index in times {
      meter.note(
        queueAge: 0, confirmed: index * bytes,
        pace: DeliveryFigures(
          confirmedAt: moment(index * 50), delay: .milliseconds(40 + (index == 0 ? 0 : late))),
        at: moment(index * 50))
    }
    return meter
  }

  @Test func `what arrives while nothing waits says nothing of the line`() {
    #expect(meter(late: 50, bytes: 5000, times: 0..<20).rate(within: .seconds(2)) == nil)
  }

  @Test func `while something waits it is what the line carries`() throws {
    let meter = meter(late: 100, bytes: 5000, times: 0..<20)
    let rate = try #require(meter.rate(within: .milliseconds(500)))
    #expect(rate == 100_000)
    #expect(meter.queue == .milliseconds(100) && meter.idleDelay == .milliseconds(40))
  }

  @Test func `less than a quarter of a second is too short to tell`() {
    #expect(meter(late: 100, bytes: 5000, times: 0..<5).rate(within: .seconds(1)) == nil)
  }

  /// The most in a part, of confirmations every 50 ms, of so many bytes each.
  private func most(_ confirmations: [Int64]) -> Double? {
    var meter = DeliveryMeter()
    var confirmed: Int64 = 0
    for (index, bytes) in confirmations.enumerated() {
      confirmed += bytes
      let now = moment(Int64(index) * 50)
      meter.note(
        queueAge: 0, confirmed: confirmed,
        pace: DeliveryFigures(confirmedAt: now, delay: .milliseconds(index == 0 ? 40 : 140)),
        at: now)
    }
    return meter.most(in: .milliseconds(150))
  }

  @Test func `a quarter of a second with little is TCP's, and half of one is the line's`() {
    let usual = [Int64](repeating: 5000, count: 10)
    #expect(most(usual) == 100_000)
    #expect(most(Array(usual.dropLast())) == nil)
    #expect(most(usual + [500, 500, 500, 500, 500]) == 100_000)
    #expect(most(usual + [500, 500, 500, 500, 500, 500, 500, 500, 500]) == 10_000)
  }

  @Test func `a pause is no slower line, and one after another is`() throws {
    var before = meter(late: 100, bytes: 5000, times: 0..<20)
    for (index, pause) in [Int64(2000), 3000, 4000].enumerated() {
      before.note(
        queueAge: .milliseconds(900), confirmed: 100_000 + Int64(index) * 10_000,
        pace: DeliveryFigures(confirmedAt: moment(pause), delay: .milliseconds(1000)),
        at: moment(pause))
      if index == 0 { #expect(before.rate(within: .seconds(2)) == nil) }
    }
    let rate = try #require(before.rate(within: .milliseconds(1500)))
    #expect(rate == 10_000)
  }

  // What it does not carry.

  @Test func `nothing is known to fail before something has`() {
    var ceiling = RateCeiling()
    #expect(ceiling.take(isUsed: false, isCalm: true, at: moment(0)) == .rises)
    ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(0))
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(59_999)) == .hold(1_500_000))
    #expect(ceiling.take(isUsed: false, isCalm: true, at: moment(60_000)) == .hold(1_500_000))
    #expect(ceiling.take(isUsed: true, isCalm: false, at: moment(60_000)) == .hold(1_500_000))
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(60_000)).isTry)
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(63_999)).isTry)
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(64_000)) == .rises)
  }

  @Test func `each try that fails at the same rate is tried again later, nine minutes at most`() {
    var ceiling = RateCeiling()
    var now: Int64 = 0
    for seconds: Int64 in [60, 180, 540, 540] {
      ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(now))
      let due = now + seconds * 1000
      #expect(!ceiling.take(isUsed: true, isCalm: true, at: moment(due - 1)).isTry)
      #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(due)).isTry)
      now = due + 1000
    }
    ceiling.failed(at: 3_000_000, wasUsed: true, now: moment(now))  // another one
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(now + 60_000)).isTry)
  }

  @Test func `what fails unproven is no try`() {
    var ceiling = RateCeiling()
    for _ in 0..<5 { ceiling.failed(at: 1_500_000, wasUsed: false, now: moment(0)) }
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(60_000)).isTry)
  }

  @Test func `two fast bursts in a row show another line`() {
    var ceiling = RateCeiling()
    ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(0))
    for (time, bytes) in [(Int64(2000), 400_000.0), (3000, 190_000), (4000, 400_000)] {
      ceiling.note(.init(bytesPerSecond: bytes, at: moment(time)))
      #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(time)) == .hold(1_500_000))
    }
    ceiling.note(.init(bytesPerSecond: 450_000, at: moment(5000)))
    #expect(ceiling.take(isUsed: true, isCalm: true, at: moment(5000)) == .rises)
  }

  @Test func `one burst is one, and each time that bursts misled one more is asked for`() {
    var ceiling = RateCeiling()
    ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(0))
    func fast(_ time: Int64) -> Bool {
      ceiling.note(.init(bytesPerSecond: 450_000, at: moment(time)))
      return ceiling.take(isUsed: true, isCalm: true, at: moment(time)) == .rises
    }
    #expect(!fast(2000) && !fast(2100) && fast(4000))
    ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(10_000))
    #expect(!fast(12_000) && !fast(14_000) && fast(16_000))
    ceiling.failed(at: 2_500_000, wasUsed: true, now: moment(20_000))  // it was another line
    #expect(!fast(22_000) && fast(24_000))
  }

  @Test func `what came through while something waited is a better figure`() {
    var ceiling = RateCeiling()
    ceiling.failed(at: 1_500_000, wasUsed: true, now: moment(0))
    ceiling.carried(1_550_000)
    #expect(ceiling.rate == 1_500_000)
    ceiling.carried(1_800_000)
    #expect(ceiling.rate == 1_800_000)
  }

  @Test func `how much the encoders use is measured over two seconds`() {
    var usage = UsageMeter()
    #expect(usage.share(of: 1_000_000, within: .seconds(1)) == 0)
    for index in Int64(0)..<40 { usage.note(made: index * 12_500, at: moment(index * 100)) }
    #expect(usage.share(of: 2_000_000, within: .seconds(2)) == 0.5)
  }

  // What suits a rate.

  @Test func `below a third half the frames, then a smaller picture; back after ten seconds`() {
    var steps = PictureSteps()
    func look(_ share: Double, _ time: Int64) -> Int {
      steps.take(share: share, at: moment(time))
      return steps.step
    }
    #expect(look(0.34, 0) == 0 && look(0.32, 100) == 0 && look(0.32, 1099) == 0)
    #expect(look(0.32, 1100) == 1 && steps.frameDivisor == 2 && steps.size == .whole)
    #expect(look(0.24, 2000) == 1 && look(0.34, 2500) == 1)  // it did not last
    #expect(look(0.15, 3000) == 1 && look(0.15, 4000) == 3 && steps.size == .half)
    #expect(look(0.3, 13_999) == 3 && look(0.3, 14_000) == 2 && steps.size == .threeQuarters)
    #expect(look(0.31, 24_000) == 2 && look(0.32, 24_100) == 1)
    #expect(look(0.4, 40_000) == 1 && look(0.42, 40_100) == 0)
    #expect(look(0.1, 50_000) == 0 && look(0.1, 51_000) == 3)
    #expect(look(1, 60_999) == 3 && look(1, 61_000) == 0)  // nothing in between
  }
}

extension RateCeiling.Advice {
  fileprivate var isTry: Bool { if case .tries = self { true } else { false } }
}

extension BitratePartsTests {
  @Test func `floors are fifteen percent or 300 kbit/s, and never above the quality`() {
    #expect(BitrateRule.Limits(picture: 6_000_000, sound: 0).least == 900_000)
    #expect(BitrateRule.Limits(picture: 1_000_000, sound: 0).least == 300_000)
    #expect(BitrateRule.Limits(picture: 200_000, sound: 0).least == 200_000)
  }

  @Test(arguments: [
    (BitrateRule.Reason.carries(1_496_000), "the network takes 1.50 Mbit/s"),
    (.carries(849_600), "the network takes 850 kbit/s"),
    (.catchingUp(900), "900 ms of media have piled up, and are caught up with"),
    (.trying, "trying whether the network takes more"),
  ])
  func `a reason is a sentence`(reason: BitrateRule.Reason, text: String) {
    #expect("\(reason)" == text)
  }
}
