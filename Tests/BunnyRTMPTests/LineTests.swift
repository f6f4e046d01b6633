import BunnySystem
import Foundation
import Support
import Testing

private func bytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// Times a byte there and back again, `count` times.
/// - Returns: Milliseconds, shortest first.
private func roundTrips(_ count: Int, over pair: LinePair) async throws -> [Double] {
  async let echo: Void = onThread("echo", turns: .shortest) {
    for _ in 0..<count {
      try LinePair.send(LinePair.receive(exactly: 1, from: pair.far), over: pair.far)
    }
  }
  let times = try await onThread("ask", turns: .shortest) {
    try (0..<count).map { number in
      let start = MonotonicTime.now
      try LinePair.send([UInt8(number)], over: pair.near)
      #expect(try LinePair.receive(exactly: 1, from: pair.near) == [UInt8(number)])
      return Double(.now - start) / 1e6
    }
  }
  try await echo
  return times.sorted()
}

/// Sends `count` bytes from the near end to the far one, and expects them there.
/// - Returns: When the first of them came.
@discardableResult
private func expectDelivery(of count: Int, over pair: LinePair) async throws -> MonotonicTime {
  let sent = bytes(count)
  async let sending: Void = onThread("send") { try LinePair.send(sent, over: pair.near) }
  let (first, received) = try await onThread("receive") {
    let first = try LinePair.receive(from: pair.far)
    let time = MonotonicTime.now
    return (time, first + (try LinePair.receive(exactly: count - first.count, from: pair.far)))
  }
  try await sending
  #expect(received == sent)
  return first
}

/// The line as TCP sees it.
@Suite(.serialized, .enabled(if: Line.isAvailable, "\(Line.need)"))
struct LineTests {
  @Test func `80 ms there and back are 80 ms to TCP, over IPv4 and IPv6`() async throws {
    let line = try await Line(.roundTrip(80))
    for host in [Line.Far.first.address, Line.Far.second.address6] {
      let times = try await roundTrips(15, over: LinePair(line, host: host))
      #expect(times[0] >= 80 && times[7] <= 150, "\(times)")
    }
  }

  @Test func `a line without a condition costs next to nothing`() async throws {
    let line = try await Line()
    let times = try await roundTrips(50, over: LinePair(line))
    #expect(times[25] < 2, "\(times)")
    try await expectDelivery(of: 20_000_000, over: LinePair(line, to: .second))
  }

  @Test(arguments: [true, false])
  func `a rate of 3 Mbit/s holds, there and back`(there: Bool) async throws {
    let line = try await Line(Line.Condition(rateThere: 3_000_000, rateBack: 3_000_000))
    let pair = try await LinePair(line)
    let (from, to) = there ? (pair.near, pair.far) : (pair.far, pair.near)
    async let sending: Void = onThread("send") {
      try LinePair.send(bytes(1_600_000), over: from)  // four seconds and more
    }
    let rate = try await onThread("receive") {
      var count = 0
      _ = try LinePair.receive(from: to)
      let start = MonotonicTime.now
      while .now - start < .seconds(3) { count += try LinePair.receive(from: to).count }
      return Double(count) * 8e9 / Double(.now - start)
    }
    #expect(abs(rate / 3e6 - 1) <= 0.15, "\(rate) bit/s")
    line.set(Line.Condition())
    try await onThread("rest") {
      shutdown(from, Int32(SHUT_RDWR))
      while try !LinePair.receive(from: to).isEmpty {}
    }
    _ = try? await sending
  }

  @Test func `a full queue drops its tail`() async throws {
    let line = try await Line()
    let pair = try LinePair(datagramsOver: line)
    line.set(Line.Condition(rateThere: 2_000_000, queueMilliseconds: 100, isFrozen: true))
    for _ in 0..<100 { try LinePair.send(bytes(1222), over: pair.near) }  // 1250 with their headers
    try await line.reach { $0.there.dropped == 80 }  // 20 fit 100 ms of 2 Mbit/s
    line.set(Line.Condition())
    let counters = try await line.reach { $0.there.packets == 20 }
    #expect(counters.there.bytes == 20 * 1250)
  }

  @Test func `a freeze of 2 s holds bytes, then delivers all of them`() async throws {
    let line = try await Line(.roundTrip(20))
    let pair = try await LinePair(line)
    let start = MonotonicTime.now
    line.freeze(seconds: 2)
    let first = try await expectDelivery(of: 100_000, over: pair)
    #expect((2.0...2.5).contains(Double(first - start) / 1e9))
    #expect(line.counters().there.dropped == 0)
  }

  @Test func `a freeze may end in a drop, which TCP makes good`() async throws {
    let line = try await Line()
    let pair = try await LinePair(line)
    line.freeze(seconds: 1, thenDropping: true)
    try await expectDelivery(of: 100_000, over: pair)
    #expect(line.counters().there.dropped > 0)
  }

  @Test func `a frozen line thaws when it is told to`() async throws {
    let line = try await Line()
    let pair = try await LinePair(line)
    line.set(Line.Condition(isFrozen: true))
    try LinePair.send(bytes(1000), over: pair.near)
    #expect(LinePair.isSilent(pair.far) && pair.unacknowledged == 1000)
    line.set(Line.Condition())
    let received = try await onThread("receive") {
      try LinePair.receive(exactly: 1000, from: pair.far)
    }
    #expect(received == bytes(1000))
  }

  @Test func `a pulled cable is noticed by the kernel, and TCP goes on when it is back`()
    async throws
  {
    let line = try await Line()
    let pair = try await LinePair(line)
    try line.setCable(isPlugged: false)
    let pulled = try await line.inNear { try ChildProcess("/sbin/ip", ["link", "show", "line"]) }
    #expect(try await pulled.outcome().standardOutput.contains("NO-CARRIER"))
    try LinePair.send(bytes(1000), over: pair.near)
    #expect(pair.unacknowledged == 1000)
    try line.setCable(isPlugged: true)
    let received = try await onThread("receive") {
      try LinePair.receive(exactly: 1000, from: pair.far)
    }
    #expect(received == bytes(1000))
  }

  @Test func `from a far end that vanished comes no end, and no acknowledgement`() async throws {
    let line = try await Line()
    let pair = try await LinePair(line)
    line.set(.vanished)
    try LinePair.send(bytes(10_000), over: pair.near)
    shutdown(pair.far, Int32(SHUT_RDWR))
    try await line.reach { $0.there.dropped >= 10 && $0.back.dropped >= 2 }  // tried again in vain
    #expect(LinePair.isSilent(pair.near) && pair.unacknowledged == 10_000)
  }

  @Test func `one far end may vanish while the other lives`() async throws {
    let line = try await Line(.roundTrip(10))
    let (first, second) = (try await LinePair(line), try await LinePair(line, to: .second))
    line.set(.vanished, for: .second)
    try LinePair.send(bytes(5000), over: second.near)
    try await line.reach(for: .second) { $0.there.dropped >= 6 }
    #expect(try await roundTrips(3, over: first)[1] >= 10)
    #expect(line.counters(for: .first).there.dropped == 0)
    #expect(LinePair.isSilent(second.far) && second.unacknowledged == 5000)
    line.set(Line.Condition(), for: .second)
    let received = try await onThread("receive") {
      try LinePair.receive(exactly: 5000, from: second.far)
    }
    #expect(received == bytes(5000))
  }

  @Test func `with 1 % lost each way everything still arrives intact`() async throws {
    var condition = Line.Condition.roundTrip(10)
    (condition.lossThere, condition.lossBack) = (0.01, 0.01)
    let line = try await Line(condition)
    try await expectDelivery(of: 2_000_000, over: LinePair(line))
    let there = line.counters().there
    let share = Double(there.dropped) / Double(there.dropped + there.packets)
    #expect((0.004...0.02).contains(share), "\(there)")
  }

  @Test func `the same seed drops the same packets`() async throws {
    let runs = [7, 7, 8].map { seed in Task { try await Self.arrivals(seed: seed) } }
    let arrivals = [try await runs[0].value, try await runs[1].value, try await runs[2].value]
    #expect(arrivals[0] == arrivals[1] && arrivals[0] != arrivals[2])
    #expect((120...180).contains(arrivals[0].count))
  }

  /// Sends 200 numbered datagrams over a line that loses a quarter.
  private static func arrivals(seed: UInt64) async throws -> [UInt8] {
    let line = try await Line(Line.Condition(lossThere: 0.25), seed: seed)
    let pair = try LinePair(datagramsOver: line)
    for number in 0..<200 { try LinePair.send([UInt8(number)], over: pair.near) }
    let counters = try await line.reach { $0.there.packets + $0.there.dropped == 200 }
    return try await onThread("receive") {
      try (0..<counters.there.packets).map { _ in try LinePair.receive(from: pair.far)[0] }
    }
  }
}
