import BunnyBroadcast
import BunnySystem
import Testing

@Suite struct SmallRulesTests {
  @Test func `the first try is at once, later ones after 0.5 to 15 s`() {
    func waits(chance: Double) -> [Duration] {
      var backoff = Backoff()
      return (0..<8).map { _ in backoff.failed(chance: chance) }
    }
    func seconds(_ list: [Double]) -> [Duration] { list.map { .milliseconds(Int64($0 * 1000)) } }
    #expect(waits(chance: 0) == seconds([0, 0.5, 1, 2, 5, 10, 10, 10]))
    #expect(waits(chance: 0.5) == seconds([0, 0.625, 1.25, 2.5, 6.25, 12.5, 12.5, 12.5]))
    #expect(waits(chance: 1) == seconds([0, 0.75, 1.5, 3, 7.5, 15, 15, 15]))
  }

  @Test func `what has worked for five seconds is tried again at once`() {
    var backoff = Backoff()
    _ = backoff.failed(chance: 0)
    _ = backoff.failed(chance: 0)
    backoff.published(for: .seconds(4.999))
    #expect(backoff.failed(chance: 0) == .seconds(1))
    backoff.published(for: .seconds(5))
    #expect(backoff.failed(chance: 1) == .zero)
    #expect(backoff.failed(chance: 0) == .milliseconds(500))
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
