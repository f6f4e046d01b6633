import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Testing

@Suite struct FrameGridTests {
  private func slots(_ times: [Int64], at rate: Timebase) -> [FrameGrid.Placement] {
    var grid = FrameGrid(rate: rate)
    return times.map { grid.place($0) }
  }

  @Test func `a source on the grid fills every place once`() {
    let rate = Timebase(30, 1)
    let times = (0..<600).map { Timebase(1, 30).convert(Int64($0), to: .nanoseconds) }
    #expect(slots(times, at: rate) == (0..<600).map { .frame(slot: Int64($0), repeats: 0) })
  }

  @Test func `25 pictures a second repeat every fifth on a grid of 30`() {
    let times = (0..<10).map { Int64($0) * 40_000_000 }
    #expect(
      slots(times, at: Timebase(30, 1)) == [
        .frame(slot: 0, repeats: 0), .frame(slot: 1, repeats: 0), .frame(slot: 2, repeats: 0),
        .frame(slot: 3, repeats: 0), .frame(slot: 5, repeats: 1), .frame(slot: 6, repeats: 0),
        .frame(slot: 7, repeats: 0), .frame(slot: 8, repeats: 0), .frame(slot: 9, repeats: 0),
        .frame(slot: 11, repeats: 1),
      ])
  }

  @Test func `60 pictures a second drop every other on a grid of 30`() {
    let times = (0..<8).map { Int64($0) * 16_666_667 }
    let placed = slots(times, at: Timebase(30, 1))
    #expect(placed.count { $0 == .tooEarly } == 3)
    #expect(placed.count { if case .frame(_, 0) = $0 { true } else { false } } == 5)
  }

  @Test func `jitter of two fifths of a frame neither drops nor repeats`() {
    let frame: Int64 = 33_333_333
    let times = (0..<300).map { Int64($0) * frame + (Int64($0 % 5) - 2) * frame / 5 }
    let placed = slots(times.map { max(0, $0) }, at: Timebase(30, 1))
    #expect(placed.allSatisfy { if case .frame(_, 0) = $0 { true } else { false } })
  }

  @Test func `a source that is slower by a thousandth repeats once in a thousand frames`() {
    let times = (0..<3000).map { Timebase(1001, 30_000).convert(Int64($0), to: .nanoseconds) }
    let repeats = slots(times, at: Timebase(30, 1)).reduce(0) { sum, placement in
      if case .frame(_, let repeats) = placement { sum + repeats } else { sum }
    }
    #expect(repeats == 3)
  }

  @Test func `a place whose picture does not come is repeated after the grace, and not before`() {
    var grid = FrameGrid(rate: Timebase(50, 1))
    _ = grid.place(0)
    #expect(grid.deadline == .milliseconds(20 + 150))
    #expect(grid.missed(at: .milliseconds(169)) == .frames(1..<1))
    #expect(grid.missed(at: .milliseconds(170)) == .frames(1..<2))
    #expect(grid.missed(at: .milliseconds(231)) == .frames(2..<5))
    // Its picture comes after all: its place is gone.
    #expect(grid.place(.milliseconds(20)) == .tooEarly)
    #expect(grid.place(.milliseconds(100)) == .frame(slot: 5, repeats: 0))
  }

  @Test func `a hole longer than two seconds stays a hole`() {
    var grid = FrameGrid(rate: Timebase(30, 1))
    _ = grid.place(0)
    #expect(grid.place(.seconds(3600)) == .afterHole(slot: 108_000))
    #expect(grid.place(.seconds(3600) + 33_333_333) == .frame(slot: 108_001, repeats: 0))
  }

  @Test func `a hole that nothing comes after is left, and the grid goes on`() {
    var grid = FrameGrid(rate: Timebase(30, 1))
    _ = grid.place(0)
    #expect(grid.missed(at: .seconds(10) + FrameGrid.grace) == .hole(slot: 300))
    #expect(grid.missed(at: .seconds(10) + FrameGrid.grace) == .frames(301..<301))
    #expect(grid.missed(at: .seconds(10.1) + FrameGrid.grace) == .frames(301..<304))
  }

  @Test func `the grid does not drift in a year`() {
    let rate = Timebase.frameRate(29.97)
    #expect(rate == Timebase(30_000, 1001))
    // 30 000 frames last 1001 s to the nanosecond; 31 500 times that is a year.
    let time = FrameGrid(rate: rate).time(of: 30_000 * 31_500)
    #expect(time == 1001 * 31_500 * 1_000_000_000)
  }
}
