package import BunnySystem

/// All that is on a line: there, packets go through the line and then the way to their far end; back,
/// the other way round. Decides; the mover moves.
package struct LineTraffic: Sendable {
  private struct Way: Sendable {
    var there: LinePipe
    var back: LinePipe

    mutating func set(_ condition: Line.Condition, at now: MonotonicTime) {
      there.set(condition.there, at: now)
      back.set(condition.back, at: now)
    }

    mutating func freeze(until end: MonotonicTime, thenDropping drops: Bool, at now: MonotonicTime)
    {
      there.freeze(until: end, thenDropping: drops, at: now)
      back.freeze(until: end, thenDropping: drops, at: now)
    }

    var nextTime: MonotonicTime { min(there.nextTime, back.nextTime) }
  }

  private var line: Way
  private var ways: [Line.Far: Way] = [:]
  private var passed: [Line.Far: Line.Counters] = [:]

  package init(seed: UInt64) {
    let seeds = (1...6).map { seed &* 0xD134_2543_DE82_EF95 &+ $0 }
    line = Way(there: LinePipe(seed: seeds[0]), back: LinePipe(seed: seeds[1]))
    ways[.first] = Way(there: LinePipe(seed: seeds[2]), back: LinePipe(seed: seeds[3]))
    ways[.second] = Way(there: LinePipe(seed: seeds[4]), back: LinePipe(seed: seeds[5]))
  }

  /// - Parameter far: nil means the line itself.
  package mutating func set(_ condition: Line.Condition, for far: Line.Far?, at now: MonotonicTime)
  {
    guard let far else { return line.set(condition, at: now) }
    ways[far]?.set(condition, at: now)
  }

  package mutating func freeze(
    for far: Line.Far?, until end: MonotonicTime, thenDropping drops: Bool, at now: MonotonicTime
  ) {
    guard let far else { return line.freeze(until: end, thenDropping: drops, at: now) }
    ways[far]?.freeze(until: end, thenDropping: drops, at: now)
  }

  /// Takes a packet that the near end sent.
  package mutating func sendThere(_ bytes: [UInt8], at now: MonotonicTime) {
    guard let packet = Line.Packet(bytes, farAddress: .destination) else { return }
    line.there.accept(packet, at: now)
  }

  /// Takes a packet that a far end sent.
  package mutating func sendBack(_ bytes: [UInt8], at now: MonotonicTime) {
    guard let packet = Line.Packet(bytes, farAddress: .source) else { return }
    ways[packet.far]?.back.accept(packet, at: now)
  }

  /// The packets that arrive at the far end until `now`.
  package mutating func arrivedThere(until now: MonotonicTime) -> [[UInt8]] {
    while let (packet, time) = line.there.next(until: now) {
      ways[packet.far]?.there.accept(packet, at: time)
    }
    var arrived: [[UInt8]] = []
    for far in Line.Far.allCases {
      while let (packet, _) = ways[far]?.there.next(until: now) {
        passed[far, default: Line.Counters()].there.count(packet)
        arrived.append(packet.bytes)
      }
    }
    return arrived
  }

  /// The packets that arrive at the near end until `now`.
  package mutating func arrivedBack(until now: MonotonicTime) -> [[UInt8]] {
    for far in Line.Far.allCases {
      while let (packet, time) = ways[far]?.back.next(until: now) {
        line.back.accept(packet, at: time)
      }
    }
    var arrived: [[UInt8]] = []
    while let (packet, _) = line.back.next(until: now) {
      passed[packet.far, default: Line.Counters()].back.count(packet)
      arrived.append(packet.bytes)
    }
    return arrived
  }

  /// When to look again, if nobody sends.
  package var nextTime: MonotonicTime { ways.values.map(\.nextTime).reduce(line.nextTime, min) }

  /// What has come through so far, in all or to and from one far end.
  package func counters(for far: Line.Far?) -> Line.Counters {
    guard let far else {
      return Line.Far.allCases.map { counters(for: $0) }.reduce(Line.Counters(), +)
    }
    var sum = passed[far] ?? Line.Counters()
    for way in [line, ways[far]].compactMap(\.self) {
      sum.there.dropped += way.there.dropped[far, default: 0]
      sum.back.dropped += way.back.dropped[far, default: 0]
    }
    return sum
  }
}

extension LineTraffic: CustomStringConvertible {
  package var description: String { "\(Line.Far.allCases.map { counters(for: $0) })" }
}

extension Line.Counters.Flow {
  fileprivate mutating func count(_ packet: Line.Packet) {
    packets += 1
    bytes += packet.bytes.count
  }
}
