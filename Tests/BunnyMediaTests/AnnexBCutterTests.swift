import BunnyMedia
import BunnySystem
import Testing

@Suite struct AnnexBCutterTests {
  private static let sps: [UInt8] = [0, 0, 0, 1, 0x67, 0x42, 0xC0, 0x1E, 0xD9]
  private static let pps: [UInt8] = [0, 0, 0, 1, 0x68, 0xCB, 0x83, 0xCB, 0x20]
  private static let key: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 0x84, 0x00, 0x33, 0xFF]
  private static let next: [UInt8] = [0, 0, 1, 0x41, 0x9A, 0x24, 0x6C, 0x41, 0x4F]
  /// The second slice of a picture: its first macroblock is not number 0.
  private static let more: [UInt8] = [0, 0, 1, 0x41, 0x22, 0x24, 0x6C, 0x41, 0x4F]

  private static let pictures = [sps + pps + key, next + more, next, next + more + more]
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func time(_ milliseconds: Int) -> MonotonicTime {
    Self.start + .milliseconds(Int64(milliseconds))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 11, 1000])
  func `pictures come out whole, however their bytes come in`(_ length: Int) {
    var cutter = AnnexBCutter()
    let stream = Self.pictures.flatMap { $0 }
    var units: [[UInt8]] = []
    for place in stride(from: 0, to: stream.count, by: length) {
      units += cutter.take(stream[place...].prefix(length), at: Self.start).map(\.bytes)
    }
    #expect(units == Array(Self.pictures.dropLast()))
    let last = cutter.end()
    #expect(last?.bytes == Self.pictures.last)
    let nothing = cutter.end()
    #expect(nothing == nil && cutter.faults == 0)
  }

  @Test func `one has the time of its first byte`() {
    var cutter = AnnexBCutter()
    var units = cutter.take(Self.pictures[0].prefix(20), at: time(0))
    units += cutter.take(Self.pictures[0].dropFirst(20), at: time(5))
    units += cutter.take(Self.pictures[1], at: time(33))
    units += cutter.take(Self.pictures[2], at: time(67))
    #expect(units.map(\.time) == [time(0), time(33)])
  }

  @Test func `what is no H.264 is counted, and what follows it is not lost`() {
    var cutter = AnnexBCutter()
    let nonsense = [UInt8](repeating: 0x55, count: 5000)
    let nothing = cutter.take(nonsense, at: time(0))
    #expect(nothing.isEmpty && cutter.faults == 1)
    var units = cutter.take(Self.pictures[0], at: time(1))
    units += cutter.take(Self.pictures[1], at: time(2))
    #expect(units.map(\.bytes) == [Self.pictures[0]] && units.map(\.time) == [time(1)])
    #expect(cutter.faults == 2)
  }

  @Test func `a picture without an end is given up`() {
    var cutter = AnnexBCutter()
    var units = cutter.take(Self.pictures[0], at: time(0))
    units += cutter.take([UInt8](repeating: 0x55, count: AnnexBCutter.longest), at: time(1))
    #expect(units.isEmpty && cutter.faults == 1)
    units = cutter.take(Self.pictures[0] + Self.next, at: time(2))
    #expect(units.map(\.bytes) == [Self.pictures[0]])
  }

  /// One to which `pictures` whole ones were handed.
  private func fed(_ pictures: Int) -> AnnexBCutter {
    var cutter = AnnexBCutter()
    for number in 0..<pictures { _ = cutter.take(Self.next, at: time(number)) }
    return cutter
  }

  @Test func `a writer that hands over whole pictures is believed after eight`() {
    var cutter = fed(AnnexBCutter.proof - 1)
    let early = cutter.paused()
    #expect(early == nil)
    cutter = fed(AnnexBCutter.proof)
    for number in 8..<20 {
      let unit = cutter.paused()
      #expect(unit?.bytes == Self.next)
      let none = cutter.paused()
      let units = cutter.take(Self.next, at: time(number))
      #expect(none == nil && units.isEmpty)
    }
    #expect(cutter.faults == 0)
  }

  @Test func `one whose pause was in the middle of a picture is not believed again`() {
    var cutter = fed(AnnexBCutter.proof)
    let half = cutter.paused()
    #expect(half != nil)
    _ = cutter.take(Self.more, at: time(20))
    #expect(cutter.faults == 1)
    for number in 21..<50 { _ = cutter.take(Self.next, at: time(number)) }
    let unit = cutter.paused()
    #expect(unit == nil && cutter.faults == 1)
  }

  @Test func `one whose pieces end anywhere is never believed`() {
    var cutter = AnnexBCutter()
    let stream = (0..<100).flatMap { _ in Self.next }
    for place in stride(from: 0, to: stream.count, by: 13) {
      _ = cutter.take(stream[place...].prefix(13), at: Self.start)
      let unit = cutter.paused()
      #expect(unit == nil)
    }
  }
}

private struct Unit {
  let bytes: [UInt8]
  let time: MonotonicTime
}

extension AnnexBCutter {
  fileprivate mutating func take(_ piece: some Collection<UInt8>, at time: MonotonicTime) -> [Unit]
  {
    var units: [Unit] = []
    take(piece, at: time) { units.append(Unit(bytes: Array($0), time: $1)) }
    return units
  }

  fileprivate mutating func paused() -> Unit? {
    var unit: Unit?
    paused { unit = Unit(bytes: Array($0), time: $1) }
    return unit
  }

  fileprivate mutating func end() -> Unit? {
    var unit: Unit?
    end { unit = Unit(bytes: Array($0), time: $1) }
    return unit
  }
}
