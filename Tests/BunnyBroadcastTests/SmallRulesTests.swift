import BunnyBroadcast
import BunnySystem
import Testing

@Suite struct SmallRulesTests {
  @Test func `the first try is at once, later ones after 0.5 to 15 s`() {
    var backoff = Backoff()
    let longest = (0..<9).map { _ in backoff.failed(chance: 1) }
    #expect(
      longest
        == [0, 0.5, 1, 2, 5, 10, 15, 15, 15].map { Duration.milliseconds(Int64($0 * 1000)) })
    backoff.succeeded()
    #expect(backoff.failed(chance: 0) == .zero)
    #expect(backoff.failed(chance: 0) == .milliseconds(250))
    #expect(backoff.failures == 2)
  }

  @Test func `a full mailbox throws out its oldest and says so`() {
    let mailbox = Mailbox<Int>(capacity: 2)
    #expect([1, 2, 3].map { mailbox.put($0) } == [0, 0, 1])
    mailbox.close()
    #expect(mailbox.put(4) == 1)
    var taken: [Int] = []
    while case .element(let element) = mailbox.take(until: .distantFuture) { taken.append(element) }
    #expect(taken == [2, 3])
    let open = Mailbox<Int>(capacity: 1)
    guard case .timeout = open.take(until: .now) else {
      Issue.record("an empty mailbox gave something")
      return
    }
  }

  @Test func `percentiles are right to five per cent`() {
    var histogram = Histogram()
    #expect(histogram.percentile(0.5) == 0)
    for value in 1...1000 { histogram.add(milliseconds: Double(value)) }
    #expect(abs(histogram.percentile(0.5) - 500) <= 25)
    #expect(abs(histogram.percentile(0.99) - 990) <= 50)
    histogram.add(milliseconds: 1e12)
    #expect(histogram.percentile(1).isFinite)
  }
}
