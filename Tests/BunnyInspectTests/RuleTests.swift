import BunnyCapture
import BunnyInspect
import Testing

struct FrameCountTests {
  private func count(_ numbers: [UInt32], made: (Int) -> UInt64 = { _ in 0 }) -> FrameCount {
    var count = FrameCount()
    for (index, number) in numbers.enumerated() {
      count.add(FrameMark(number: number, milliseconds: made(index)))
    }
    return count
  }

  @Test func `frames that never come are lost, those that come late are out of order`() {
    let count = count([10, 11, 15, 13, 16, 18])
    #expect(count.lost == 3)  // 12, 14, 17
    #expect(count.outOfOrder == 1)
    #expect(count.shownTwice == 0)
    #expect(count.first?.number == 10 && count.highest?.number == 18)
  }

  @Test func `a frame that comes late a second time was shown twice`() {
    let count = count([1, 3, 2, 2, 3, 4])
    #expect(count.lost == 0 && count.outOfOrder == 1 && count.shownTwice == 2)
  }

  @Test func `lower numbers made later are a new beginning`() {
    let count = count([500, 501, 0, 1, 3]) { UInt64(1000 + $0) }
    #expect(count.restarts == 1 && count.lost == 1)
    #expect(count.shownTwice == 0 && count.outOfOrder == 0)
  }

  @Test func `counting goes on where the numbers start again`() {
    let last: UInt32 = 1 << 30 - 1
    let count = count([last - 1, last, 0, 2])
    #expect(count.lost == 1 && count.restarts == 0 && count.shownTwice == 0)
  }
}

struct MeterTests {
  @Test func `bit rates are those of each second and of any five`() {
    var meter = BitrateMeter()
    for tenth in 0..<80 {  // 1000 bytes a tenth, but 2000 from 2.5 s to 7.5 s
      meter.add(bytes: (25..<75).contains(tenth) ? 2000 : 1000, at: 7 + Double(tenth) / 10)
    }
    #expect(
      meter.perSecond
        == [80_000, 80_000, 120_000, 160_000, 160_000, 160_000, 160_000, 120_000])
    #expect(meter.highest == 160_000)
    #expect(meter.lowest == 8 * (25 * 1000 + 25 * 2000) / 5)
  }

  @Test func `less than five seconds have no window`() {
    var meter = BitrateMeter()
    for tenth in 0..<49 { meter.add(bytes: 10, at: Double(tenth) / 10) }
    #expect(meter.lowest == nil && meter.highest == nil)
  }

  @Test func `a spread has the lowest, middle and highest value`() throws {
    var meter = SpreadMeter()
    #expect(meter.spread == nil)
    for value in [3.0, 1.5, 90.25, 2, 4] { meter.add(value) }
    #expect(meter.spread?.min == 1.5 && meter.spread?.median == 3 && meter.spread?.max == 90.25)
    for value in 0..<100_000 { meter.add(Double(value) * 7.3) }
    let spread = try #require(meter.spread)
    #expect(spread.min == 0 && abs(spread.max - 729_992.7) < 0.001)
    #expect(abs(spread.median / 364_996 - 1) < 0.01)
  }

  @Test func `short stretches do not count, and near ones join`() {
    var finder = StretchFinder(shortest: 0.5, joiningWithin: 0.1)
    let ranges = [(0.0, 0.4), (1.0, 1.6), (1.65, 3.0), (4.0, 4.5), (4.7, 5.3)]
    for (start, end) in ranges {
      finder.add(true, from: start, to: end)
      finder.add(false, from: end, to: end)
    }
    #expect(finder.stretches.map(\.start) == [1, 4, 4.7])
    #expect(abs(finder.stretches[0].length - 2) < 1e-9)
  }
}

struct LocationTests {
  @Test(arguments: [
    ("rtmp://host:1935/live/secret", "rtmp://host:1935/live/•••"),
    ("rtmps://user:secret@host/app/secret?sign=secret", "rtmps://host/app/•••"),
    ("https://host/path/list.m3u8?token=secret", "https://host/path/list.m3u8"),
    ("http://user:secret@host", "http://host"),
    ("/home/me/a clip?.flv", "/home/me/a clip?.flv"),
  ])
  func `what may be secret is not repeated`(location: String, shown: String) {
    #expect(Location(text: location).withoutSecrets == shown)
  }
}
