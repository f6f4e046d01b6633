import BunnySystem
import Foundation
import Support
import Testing

/// What leaves a line when: no sockets, and no clock but the test's.
struct LineTrafficTests {
  private var traffic = LineTraffic(seed: 1)

  @Test mutating func `a packet takes the delay`() {
    traffic.set(.roundTrip(80), for: nil, at: at(0))
    traffic.sendThere(packet(1), at: at(5))
    #expect(traffic.nextTime == at(5))  // it is on its way from here on
    #expect(arrivals(until: 44.9) == [] && traffic.nextTime == at(45))
    #expect(arrivals(until: 45) == [1] && traffic.nextTime == .distantFuture)
  }

  @Test mutating func `packets keep their order when the delay falls`() {
    traffic.set(Line.Condition(delayThere: 100), for: nil, at: at(0))
    traffic.sendThere(packet(1), at: at(0))
    traffic.set(Line.Condition(delayThere: 10), for: nil, at: at(1))
    traffic.sendThere(packet(2), at: at(2))
    #expect(arrivals(until: 99.9) == [])
    #expect(arrivals(until: 100) == [1, 2])
  }

  @Test mutating func `a rate sends one after the other, and may change in between`() {
    traffic.set(Line.Condition(rateThere: 1_000_000), for: nil, at: at(0))
    for number in 1...4 { traffic.sendThere(packet(UInt8(number)), at: at(0)) }  // 10 ms each
    #expect(arrivals(until: 9.9) == [] && arrivals(until: 10) == [1])
    #expect(arrivals(until: 20) == [2])
    traffic.set(Line.Condition(rateThere: 2_000_000), for: nil, at: at(20))
    #expect(arrivals(until: 24.9) == [] && arrivals(until: 25) == [3])
    traffic.set(Line.Condition(), for: nil, at: at(26))
    #expect(arrivals(until: 26) == [4])
  }

  @Test mutating func `a freeze holds what was under way and what comes`() {
    traffic.set(Line.Condition(delayThere: 20), for: nil, at: at(0))
    traffic.sendThere(packet(1), at: at(0))
    traffic.freeze(for: nil, until: at(60), thenDropping: false, at: at(10))
    traffic.sendThere(packet(2), at: at(30))
    #expect(arrivals(until: 59.9) == [] && traffic.nextTime == at(60))
    #expect(arrivals(until: 60) == [1])
    #expect(arrivals(until: 79.9) == [] && arrivals(until: 80) == [2])
  }

  @Test mutating func `a freeze may end in a drop`() {
    traffic.sendThere(packet(1), at: at(0))
    traffic.freeze(for: .first, until: at(50), thenDropping: true, at: at(0))
    traffic.sendThere(packet(2), at: at(10))
    traffic.sendThere(packet(3, far: .second), at: at(10))
    #expect(arrivals(until: 49) == [3] && arrivals(until: 50) == [])
    traffic.sendThere(packet(4), at: at(51))
    #expect(arrivals(until: 51) == [4])
    #expect(traffic.counters(for: .first).there.dropped == 2)
  }

  @Test mutating func `a way of its own comes on top of the line`() {
    traffic.set(.roundTrip(80), for: nil, at: at(0))
    traffic.set(.roundTrip(20), for: .second, at: at(0))
    traffic.sendBack(packet(1, far: .second, isBack: true), at: at(0))
    traffic.sendBack(packet(2, far: .first, isBack: true), at: at(1))
    #expect(returns(until: 40.9) == [] && returns(until: 41) == [2])
    #expect(returns(until: 49.9) == [] && returns(until: 50) == [1])
  }

  @Test mutating func `one direction may be shut`() {
    traffic.set(Line.Condition(passes: .back), for: nil, at: at(0))
    traffic.sendThere(packet(1), at: at(0))
    traffic.sendBack(packet(2, isBack: true), at: at(0))
    #expect(arrivals(until: 1) == [] && returns(until: 1) == [2])
    #expect(traffic.counters(for: .first).there.dropped == 1)
  }

  @Test mutating func `what is not between the ends goes nowhere and is not counted`() {
    var multicast = packet(1)
    multicast.replaceSubrange(16..<20, with: [224, 0, 0, 22])
    for stray in [multicast, [], [0x45], [0x60], Array(repeating: 0xFF, count: 60)] {
      traffic.sendThere(stray, at: at(0))
      traffic.sendBack(stray, at: at(0))
    }
    #expect(arrivals(until: 1) == [] && returns(until: 1) == [])
    for flow in [traffic.counters(for: nil).there, traffic.counters(for: nil).back] {
      #expect(flow.packets == 0 && flow.dropped == 0)
    }
  }

  private func at(_ milliseconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000 + Int64(milliseconds * 1e6))
  }

  private mutating func arrivals(until milliseconds: Double) -> [UInt8] {
    traffic.arrivedThere(until: at(milliseconds)).compactMap(\.last)
  }

  private mutating func returns(until milliseconds: Double) -> [UInt8] {
    traffic.arrivedBack(until: at(milliseconds)).compactMap(\.last)
  }

  /// 1250 bytes of IPv4 that end in `number`.
  private func packet(_ number: UInt8, far: Line.Far = .first, isBack: Bool = false) -> [UInt8] {
    let ends: [[UInt8]] = [[10, 77, 0, 1], [10, 77, 0, far == .first ? 2 : 3]]
    let addresses = isBack ? ends[1] + ends[0] : ends[0] + ends[1]
    return [0x45] + Array(repeating: 0, count: 11) + addresses
      + Array(repeating: number, count: 1230)
  }
}
