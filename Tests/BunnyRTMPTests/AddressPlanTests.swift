import BunnyRTMP
import BunnySystem
import Testing

@Suite struct AddressPlanTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func addresses(_ figures: String...) throws -> [SocketAddress] {
    try figures.map { try #require(SocketAddress($0, port: 1935)) }
  }

  /// The order in which all that waits is tried, a stagger apart.
  private func order(_ plan: inout AddressPlan) -> [String] {
    var tried: [String] = []
    while let due = plan.due, let address = plan.take(at: max(due, start)) {
      tried.append(address.description)
    }
    return tried
  }

  @Test func `families take turns, the system's first choice first`() throws {
    var plan = AddressPlan()
    plan.add(try addresses("::1", "::2", "::3", "10.0.0.1", "10.0.0.2"))
    #expect(order(&plan) == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
  }

  @Test func `the next address has to wait for a quarter of a second`() throws {
    var plan = AddressPlan()
    plan.add(try addresses("10.0.0.1", "10.0.0.2"))
    #expect(plan.take(at: start)?.description == "10.0.0.1")
    #expect(plan.due == start + .milliseconds(250))
    #expect(plan.take(at: start + .milliseconds(249)) == nil)
    #expect(plan.take(at: start + .milliseconds(250))?.description == "10.0.0.2")
    #expect(plan.due == nil)
  }

  @Test func `a failure makes the next address due, and only that one`() throws {
    var plan = AddressPlan()
    plan.add(try addresses("10.0.0.1", "10.0.0.2", "10.0.0.3"))
    _ = plan.take(at: start)
    plan.failed()
    #expect(plan.take(at: start)?.description == "10.0.0.2")
    #expect(plan.take(at: start) == nil)
  }

  @Test func `what comes later is tried too, what is known is not tried again`() throws {
    var plan = AddressPlan()
    plan.add(try addresses("10.0.0.1"))
    #expect(order(&plan) == ["10.0.0.1"])
    plan.add(try addresses("10.0.0.1", "10.0.0.2", "::1"))
    #expect(order(&plan) == ["::1", "10.0.0.2"])
    #expect(plan.known.map(\.description) == ["10.0.0.1", "10.0.0.2", "::1"])
  }

  @Test func `addresses print without port, names are none`() throws {
    #expect(SocketAddress("127.0.0.1", port: 1)?.description == "127.0.0.1")
    #expect(SocketAddress("2001:db8:0::1", port: 1)?.description == "2001:db8::1")
    #expect(SocketAddress("localhost", port: 1) == nil)
  }
}
