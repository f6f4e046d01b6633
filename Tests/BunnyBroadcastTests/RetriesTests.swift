import BunnyBroadcast
import BunnySystem
import Testing

@Suite struct RetriesTests {
  private let start = FailoverStory.moment(0)

  /// Milliseconds until the next try, from `time` on.
  private func wait(_ retries: Retries, at time: Int64 = 0) -> Int64 {
    max(0, retries.next - FailoverStory.moment(time)) / .milliseconds(1)
  }

  private func waits(chance: Double, remembers: Bool = false) -> [Int64] {
    var retries = Retries()
    return (0..<10).map { _ in
      retries.failed(at: start, chance: chance, remembers: remembers)
      return wait(retries)
    }
  }

  @Test func `the first try is at once, later ones after 0.5, 1, 2, 5, 10, 15 s, fully jittered`() {
    #expect(wait(Retries()) == 0)
    #expect(
      waits(chance: 1) == [0, 500, 1000, 2000, 5000, 10_000, 15_000, 15_000, 15_000, 15_000])
    #expect(waits(chance: 0.5) == [0, 250, 500, 1000, 2500, 5000, 7500, 7500, 7500, 7500])
    #expect(waits(chance: 0) == Array(repeating: 0, count: 10))
  }

  @Test func `a server that remembers our dead session is asked after up to 120 s, not in vain`() {
    #expect(
      waits(chance: 1, remembers: true)
        == [1000, 2000, 5000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000, 120_000])
    #expect(
      waits(chance: 0, remembers: true)
        == [500, 1000, 2500, 5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  }

  @Test func `six tries a minute, and not one more: four at once, the others spread over it`() {
    var retries = Retries()
    for second in 0..<4 as Range<Int64> {
      #expect(wait(retries, at: second * 1000) == 0)
      retries.tried(at: FailoverStory.moment(second * 1000))
    }
    #expect(wait(retries, at: 3000) == 19_000)
    retries.tried(at: FailoverStory.moment(22_000))
    #expect(wait(retries, at: 22_000) == 19_000)
    retries.tried(at: FailoverStory.moment(41_000))
    #expect(wait(retries, at: 41_000) == 19_000)
    retries.tried(at: FailoverStory.moment(60_000))
    #expect(wait(retries, at: 60_000) == 1000)
  }

  @Test func `tries that reach nobody are not counted, and so never spread`() {
    var retries = Retries()
    for second in 0..<60 as Range<Int64> {
      retries.tried(at: FailoverStory.moment(second * 1000))
      retries.failed(at: FailoverStory.moment(second * 1000), chance: 1, answered: false)
    }
    #expect(wait(retries, at: 59_000) == 15_000)
    retries.isNeeded()
    #expect(wait(retries, at: 59_000) == 0)
  }

  @Test func `what is needed is tried at once, but for a memory and the count of tries`() {
    var retries = Retries()
    for _ in 0..<4 {
      retries.tried(at: start)
      retries.failed(at: start, chance: 1)
    }
    retries.isNeeded()
    #expect(wait(retries) == 20_000)
    retries.failed(at: start, chance: 1, remembers: true)
    retries.proven()
    retries.failed(at: start, chance: 1, remembers: true)
    retries.isNeeded()
    #expect(wait(retries) == 1000)
  }

  @Test func `media that arrived clears the counts of failures and of tries`() {
    var retries = Retries()
    for _ in 0..<6 {
      retries.tried(at: start)
      retries.failed(at: start, chance: 1)
    }
    #expect(retries.failures == 6)
    retries.proven()
    #expect(retries.failures == 0 && wait(retries) == 0)
    retries.failed(at: start, chance: 1)
    #expect(wait(retries) == 0)
  }

  @Test func `a link that comes up ends a wait, and forgives the tries that were in vain`() {
    var retries = Retries()
    for _ in 0..<6 {
      retries.tried(at: start)
      retries.failed(at: start, chance: 1)
    }
    #expect(wait(retries, at: 1000) == 59_000)
    retries.linkUp(at: FailoverStory.moment(1000))
    #expect(wait(retries, at: 1000) == 0)
    #expect(retries.failures == 6)
  }

  @Test func `a link that flaps forgives once a minute`() {
    var retries = Retries()
    retries.linkUp(at: start)
    for _ in 0..<6 { retries.tried(at: start) }
    retries.linkUp(at: FailoverStory.moment(59_000))
    #expect(wait(retries, at: 59_000) == 1000)
    retries.linkUp(at: FailoverStory.moment(60_000))
    #expect(wait(retries, at: 59_000) == 0)
  }

  @Test func `a link that comes up does not make a server forget, but ends the next wait`() {
    var retries = Retries()
    for _ in 0..<5 { retries.failed(at: start, chance: 1, remembers: true) }
    retries.linkUp(at: start)
    #expect(wait(retries) == 20_000)
    retries.failed(at: start, chance: 1)
    #expect(wait(retries) == 10_000)
    retries.linkUp(at: start)
    #expect(wait(retries) == 0)
  }

  @Test func `a try that only shows whether anybody answers follows ten seconds after the last`() {
    var retries = Retries()
    #expect(retries.nextProbe <= start)
    retries.tried(at: start)
    #expect(retries.next <= start)
    #expect(retries.nextProbe == FailoverStory.moment(10_000))
    retries.failed(at: FailoverStory.moment(9000), chance: 1)
    retries.failed(at: FailoverStory.moment(9000), chance: 1, remembers: true)
    retries.failed(at: FailoverStory.moment(9000), chance: 1, remembers: true)
    #expect(retries.nextProbe == FailoverStory.moment(11_000))
  }
}
