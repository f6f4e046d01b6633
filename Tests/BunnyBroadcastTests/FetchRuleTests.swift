import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Testing

@Suite struct FetchRuleTests {
  private static let away = BunnyLiveStreamError(kind: .transport, message: "unreachable")
  private static let gone = BunnyLiveStreamError(kind: .notFound, statusCode: 404)
  private static let refused = BunnyLiveStreamError(kind: .unauthorized, statusCode: 401)

  private static func busy(for seconds: Int) -> BunnyLiveStreamError {
    var error = BunnyLiveStreamError(kind: .server, statusCode: 503)
    error.retryAfter = .seconds(seconds)
    return error
  }

  private func at(_ seconds: Double) -> MonotonicTime {
    .init(nanoseconds: .seconds(100 + seconds))
  }

  private func rule(
    retries: Bool = true, remembers: Bool = false, wasPublishedTo: Bool = false
  ) -> FetchRule {
    FetchRule(
      retries: retries, remembers: remembers, wasPublishedTo: wasPublishedTo, at: at(0))
  }

  /// What follows each failure, which come so many seconds after the beginning.
  private func steps(
    _ rule: FetchRule, _ error: BunnyLiveStreamError, at times: [Double], isKnown: Bool = false
  ) -> [FetchRule.Step] {
    var rule = rule
    return times.map { rule.failed(error, isKnown: isKnown, at: at($0), chance: 0) }
  }

  private func asks(_ seconds: [Double]) -> [FetchRule.Step] {
    seconds.map { .ask(after: .milliseconds(Int64($0 * 1000))) }
  }

  @Test func `where an answer is remembered, the network is given five seconds to come up`() {
    let rule = rule(remembers: true, wasPublishedTo: true)
    #expect(
      steps(rule, Self.away, at: [0, 0, 0.5, 1.5, 3.5, 5])
        == asks([0, 0.5, 1, 2, 1.5]) + [.useMemory])
    #expect(
      [0, 3, 4.5, 20].map { rule.patience(at: at($0)) } == [5, 2, 1, 1].map { .seconds($0) })
  }

  @Test func `a refusal is one, whatever is remembered`() {
    #expect(steps(rule(remembers: true), Self.refused, at: [0]) == [.giveUp])
  }

  @Test func `a server that wants to be left alone for longer is, and what is remembered will do`()
  {
    #expect(steps(rule(remembers: true), Self.busy(for: 60), at: [0]) == [.useMemory])
    #expect(steps(rule(remembers: true), Self.busy(for: 2), at: [0, 2]) == asks([2, 2]))
    #expect(steps(rule(), Self.busy(for: 60), at: [0, 60]) == asks([60, 60]))
    #expect(steps(rule(), Self.busy(for: 9999), at: [0]) == asks([600]))
  }

  @Test func `what the API has told is not replaced by what is remembered`() {
    var rule = rule(remembers: true)
    rule.isEarly()
    #expect(rule.patience(at: at(9)) == .seconds(60))
    #expect(steps(rule, Self.away, at: [9, 9]) == asks([0, 0.5]))
  }

  @Test func `without a memory it is asked for ever`() {
    #expect(rule().patience(at: at(9)) == .seconds(60))
    #expect(
      steps(rule(), Self.away, at: [0, 1, 2, 3, 4, 5, 6, 3600])
        == asks([0, 0.5, 1, 2, 5, 10, 10, 10]))
  }

  @Test func `where another one would be made, and in a countdown, "not found" is made sure of`() {
    let sure = FetchRule.Step.makeSure(after: .milliseconds(3500))
    let creating = FetchRule(
      retries: true, remembers: false, wasPublishedTo: true, sureAfter: .seconds(60), at: at(0))
    #expect(steps(creating, Self.gone, at: [0, 3.5, 59.9, 60]) == [sure, sure, sure, .deleted])
    var early = rule()
    early.isEarly()
    #expect(steps(early, Self.gone, at: [1000, 1004]) == [sure, .deleted])
  }

  @Test func `it was deleted when it is not there twice, three seconds apart`() {
    let sure = FetchRule.Step.makeSure(after: .milliseconds(3500))
    let known = rule(wasPublishedTo: true)
    #expect(steps(known, Self.gone, at: [0, 2.9, 3]) == [sure, sure, .deleted])
    var interrupted = known
    var steps = [interrupted.failed(Self.gone, isKnown: true, at: at(0), chance: 0)]
    steps.append(interrupted.failed(Self.away, isKnown: true, at: at(3), chance: 0))
    steps.append(interrupted.failed(Self.gone, isKnown: true, at: at(4), chance: 0))
    #expect(steps == [sure] + asks([0]) + [sure])
  }

  @Test func `one that was just made may not be known everywhere for half a minute`() {
    #expect(
      steps(rule(), Self.gone, at: [0, 29, 30], isKnown: true) == asks([0, 0.5]) + [.giveUp])
    #expect(steps(rule(), Self.gone, at: [0]) == [.giveUp])
  }

  @Test func `a key is waited for, half a minute although nothing is tried again`() {
    var (patient, hasty) = (rule(), rule(retries: false))
    let steps = [
      patient.isIncomplete(at: at(3600), chance: 0), hasty.isIncomplete(at: at(29), chance: 0),
      hasty.isIncomplete(at: at(30), chance: 0),
      hasty.failed(Self.away, isKnown: true, at: at(0), chance: 0),
    ]
    #expect(steps == asks([0, 0]) + [.giveUp, .giveUp])
  }
}
