import BunnyCapture
import BunnySystem
import Testing

@Suite struct PresenceTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: .milliseconds(milliseconds))
  }

  /// Delivers 30 times a second for so long.
  private func running(for seconds: Int64) -> Presence {
    var presence = Presence(at: at(0))
    for frame in 0...(seconds * 30) {
      let step = presence.delivered(at: at(frame * 1000 / 30))
      precondition(step == nil)
    }
    return presence
  }

  @Test func `one that delivers is running, and nothing is said`() {
    var presence = Presence(at: at(0))
    #expect(presence.state == .opening && presence.deadline == at(3000))
    let step = presence.delivered(at: at(2900))
    #expect(step == nil && presence.state == .running && presence.deadline == at(3400))
  }

  @Test func `one that fails is lost once, and asked again at once, then after growing waits`() {
    var presence = running(for: 6)
    var steps = [presence.failed(at: at(6010))]
    var waits = [presence.state]
    for time in [6020, 6300, 7000, 9000] as [Int64] {
      presence.called(at: at(time))
      #expect(presence.state == .lost)
      steps.append(presence.failed(at: at(time)))
      waits.append(presence.state)
    }
    #expect(steps == [.lose, nil, nil, nil, nil])
    let moments = [6010, 6270, 6800, 8000, 10_000] as [Int64]
    #expect(waits == moments.map { .waiting(until: at($0)) })
    presence.called(at: at(10_000))
    let step = presence.delivered(at: at(10_100))
    #expect(step == .welcome && presence.state == .running)
  }

  @Test func `one that is late is doubted, then lost; the call that fails afterwards says nothing`()
  {
    var presence = running(for: 1)
    let tooEarly = presence.passed(to: at(1499))
    #expect(tooEarly == nil && presence.state == .running)
    let late = presence.passed(to: at(1500))
    #expect(late == nil && presence.state == .doubtful(since: at(1500)))
    let lost = presence.passed(to: at(1700))
    #expect(lost == .loseSilent(milliseconds: 700) && presence.state == .lost)
    let failed = presence.failed(at: at(1800))
    #expect(failed == nil && presence.state == .waiting(until: at(1800)))
  }

  @Test func `one that is doubted and delivers is as it was`() {
    var presence = running(for: 1)
    _ = presence.passed(to: at(1500))
    let step = presence.delivered(at: at(1600))
    #expect(step == nil && presence.state == .running)
  }

  @Test func `a process that was held up doubts for 200 ms by its own clock`() {
    var presence = running(for: 1)
    let step = presence.passed(to: at(9000))
    #expect(step == nil && presence.deadline == at(9200))
  }

  /// As the keeper's watch does: it looks whenever it is time to.
  @Test func `one that gives a picture every other second is called lost once, not each time`() {
    var presence = Presence(at: at(0))
    var steps: [Presence.Step] = []
    for second in stride(from: 0 as Int64, through: 20, by: 2) {
      while presence.deadline < at(second * 1000) {
        let time = presence.deadline
        if let step = presence.passed(to: time) { steps.append(step) }
      }
      if let step = presence.delivered(at: at(second * 1000)) { steps.append(step) }
    }
    #expect(steps == [.loseSilent(milliseconds: 700), .welcome])
  }

  @Test func `a slow one has three times its own pace`() {
    var presence = Presence(at: at(0))
    for second in 0...3 as ClosedRange<Int64> { _ = presence.delivered(at: at(second * 1000)) }
    #expect(presence.deadline == at(6000))
  }

  @Test func `one that delivers nothing at first is lost after three seconds`() {
    var presence = Presence(at: at(0))
    let step = presence.passed(to: at(3000))
    #expect(step == .loseSilent(milliseconds: 3000) && presence.state == .lost)
  }

  @Test func `one that is not there at the start is lost at once`() {
    var presence = Presence(at: at(0))
    let step = presence.failed(at: at(5))
    #expect(step == .lose && presence.state == .waiting(until: at(5)))
  }

  @Test func `one that comes and goes is not opened again and again without a pause`() {
    var presence = running(for: 6)
    var pauses: [Int64] = []
    var now: Int64 = 6000
    for _ in 0..<5 {
      _ = presence.failed(at: at(now))
      guard case .waiting(let until) = presence.state else { break }
      pauses.append((until - at(now)) / .milliseconds(1))
      now = until.nanoseconds / .milliseconds(1)
      presence.called(at: until)
      _ = presence.delivered(at: at(now + 100))
      now += 200
    }
    #expect(pauses == [0, 250, 500, 1000, 1000])
  }

  @Test func `a sign of it ends the wait, but not within 250 ms of the last try`() {
    var presence = running(for: 6)
    for time in [6010, 6020, 6300, 7000] as [Int64] {
      _ = presence.failed(at: at(time))
      presence.called(at: at(time))
    }
    _ = presence.failed(at: at(7010))
    #expect(presence.state == .waiting(until: at(8010)))
    presence.noticedChange(at: at(7020))
    #expect(presence.state == .waiting(until: at(7250)))
    presence.called(at: at(7250))
    _ = presence.failed(at: at(7260))
    #expect(presence.state == .waiting(until: at(7510)))
    presence.noticedChange(at: at(7505))
    #expect(presence.state == .waiting(until: at(7510)))
  }

  @Test func `calls that do not return are abandoned, three at most; then a person is asked`() {
    var presence = running(for: 1)
    _ = presence.passed(to: at(1500))
    _ = presence.passed(to: at(1700))
    var steps: [Presence.Step?] = []
    for time in [11_000, 21_000, 31_000, 41_000, 51_000] as [Int64] {
      steps.append(presence.passed(to: at(time)))
    }
    #expect(steps == [.abandon, .abandon, .abandon, .callForHelp, nil])
    #expect(presence.deadline == .distantFuture)
    let step = presence.delivered(at: at(60_000))
    #expect(step == .welcome)
    // The three that hang are still there, until one returns.
    _ = presence.passed(to: at(60_500))
    _ = presence.passed(to: at(60_700))
    presence.returned()
    let again = presence.passed(to: at(70_000))
    #expect(again == .abandon)
  }

  // MARK: The ladder

  /// Fails once a second, from when it was lost until `end`; what was said, and when.
  private func failing(
    _ presence: inout Presence, until end: Int64, onBus: (Int64) -> Bool = { _ in false }
  ) -> [(step: Presence.Step, second: Int64)] {
    var steps: [(Presence.Step, Int64)] = []
    for second in 10...end {
      presence.called(at: at(second * 1000))
      presence.sawOnBus(onBus(second), at: at(second * 1000))
      if let step = presence.failed(at: at(second * 1000)) { steps.append((step, second)) }
    }
    return steps
  }

  @Test func `what fails for a minute needs a hand, which is said once until it is back`() {
    var presence = running(for: 10)
    let steps = failing(&presence, until: 300)
    #expect(steps.map(\.step) == [.lose, .callForHelp] && steps.map(\.second) == [10, 70])
    let back = presence.delivered(at: at(301_000))
    let lost = presence.failed(at: at(302_000))
    #expect(back == .welcome && lost == .lose)
    presence.called(at: at(361_900))
    let early = presence.failed(at: at(361_900))
    presence.called(at: at(362_000))
    let again = presence.failed(at: at(362_000))
    #expect(early == nil && again == .callForHelp)
  }

  @Test func `a USB device is reset after five seconds, once a minute, three times at most`() {
    var presence = running(for: 10)
    let steps = failing(&presence, until: 400) { _ in true }
    #expect(steps.map(\.step) == [.lose, .reset, .callForHelp, .reset, .reset])
    #expect(steps.map(\.second) == [10, 15, 70, 75, 135])
  }

  @Test func `what is not plugged in is not reset, nor what just was`() {
    var presence = running(for: 10)
    let steps = failing(&presence, until: 150) { $0 >= 100 }
    #expect(steps.map(\.step) == [.lose, .callForHelp, .reset])
    #expect(steps.map(\.second) == [10, 70, 105])
  }

  @Test func `one that comes and goes is not reset again and again`() {
    var presence = running(for: 10)
    var resets: [Int64] = []
    // Back for two seconds after each reset, which is no proof.
    for second in 10...400 as ClosedRange<Int64> {
      presence.called(at: at(second * 1000))
      presence.sawOnBus(true, at: at(second * 1000))
      if let last = resets.last, (1...2).contains(second - last) {
        _ = presence.delivered(at: at(second * 1000))
      } else if presence.failed(at: at(second * 1000)) == .reset {
        resets.append(second)
      }
    }
    #expect(resets == [15, 75, 135])
    // Six seconds are one.
    for second in 401...407 as ClosedRange<Int64> {
      _ = presence.delivered(at: at(second * 1000))
    }
    var again: [Int64] = []
    for second in 408...420 as ClosedRange<Int64> {
      presence.called(at: at(second * 1000))
      presence.sawOnBus(true, at: at(second * 1000))
      if presence.failed(at: at(second * 1000)) == .reset { again.append(second) }
    }
    #expect(again == [413])
  }

  @Test func `a call that hangs is reset before it is abandoned`() {
    var presence = running(for: 1)
    for time in [1500, 1700] as [Int64] {
      presence.sawOnBus(true, at: at(time))
      _ = presence.passed(to: at(time))
    }
    #expect(presence.deadline == at(6700))
    let reset = presence.passed(to: at(6700))
    #expect(reset == .reset && presence.deadline == at(11_000))
    let abandoned = presence.passed(to: at(11_000))
    #expect(abandoned == .abandon)
  }

  @Test func `a call for help does not keep a call that hangs later from being abandoned`() {
    var presence = running(for: 10)
    _ = failing(&presence, until: 80)
    presence.called(at: at(81_000))
    #expect(presence.deadline == at(91_000))
    let step = presence.passed(to: at(91_000))
    #expect(step == .abandon)
  }
}
