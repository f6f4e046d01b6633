import BunnyBroadcast
import BunnySystem
import Testing

@Suite struct SampleGridTests {
  private func time(_ sample: Int64) -> Int64 { SampleGrid.time(of: sample) }

  @Test func `runs that follow each other are left alone`() {
    var grid = SampleGrid()
    for run in 0..<100 {
      let placement = grid.place(time(Int64(run) * 960), count: 960, tolerance: .milliseconds(2))
      #expect(placement == SampleGrid.Placement())
    }
    #expect(grid.next == 96_000)
  }

  @Test func `a gap is filled to the sample`() {
    var grid = SampleGrid()
    _ = grid.place(0, count: 1024, tolerance: .milliseconds(2))
    let placement = grid.place(time(1024 + 700), count: 1024, tolerance: .milliseconds(2))
    #expect(placement == SampleGrid.Placement(silence: 700))
    #expect(grid.next == 1024 + 700 + 1024)
  }

  @Test func `an overlap is cut to the sample, and a run that is all overlap is left out`() {
    var grid = SampleGrid()
    _ = grid.place(0, count: 4800, tolerance: 0)
    #expect(grid.place(time(4000), count: 1000, tolerance: 0) == .init(skipped: 800))
    #expect(grid.next == 5000)
    #expect(grid.place(time(100), count: 480, tolerance: 0) == .init(skipped: 480))
    #expect(grid.next == 5000)
  }

  @Test func `sound before the first picture is left out`() {
    var grid = SampleGrid()
    #expect(grid.place(time(-500), count: 960, tolerance: 0) == .init(skipped: 500))
    #expect(grid.next == 460)
  }

  @Test func `times that are off by less than the tolerance change nothing`() {
    var grid = SampleGrid()
    _ = grid.place(0, count: 480, tolerance: .milliseconds(80))
    let late = time(480) + .milliseconds(79)
    #expect(grid.place(late, count: 480, tolerance: .milliseconds(80)) == .init())
  }

  @Test func `silence takes the place of sound that does not come`() {
    var grid = SampleGrid()
    _ = grid.place(0, count: 480, tolerance: 0)
    #expect(grid.missed(at: .milliseconds(100), grace: .milliseconds(150)) == .init())
    #expect(
      grid.missed(at: .milliseconds(200), grace: .milliseconds(150)) == .init(silence: 2400 - 480))
    #expect(grid.next == 2400)
  }

  @Test func `a hole longer than two seconds is jumped over`() {
    var grid = SampleGrid()
    _ = grid.place(0, count: 480, tolerance: 0)
    #expect(grid.place(.seconds(60), count: 480, tolerance: 0) == .init(jump: 2_880_000))
    #expect(grid.next == 2_880_480)
  }

  @Test func `a hole that nothing comes after is jumped over too, and silence goes on`() {
    var grid = SampleGrid()
    #expect(grid.missed(at: .seconds(60), grace: 0) == .init(jump: 2_880_000))
    #expect(grid.missed(at: .seconds(60.1), grace: 0) == .init(silence: 4800))
  }

  @Test func `sound that follows none goes exactly where its time says`() {
    var grid = SampleGrid()
    let tolerance = Int64.milliseconds(80)
    #expect(grid.place(time(3000), count: 480, tolerance: tolerance) == .init(silence: 3000))
    #expect(grid.place(time(4000), count: 480, tolerance: tolerance) == .init())
    _ = grid.missed(at: .seconds(1), grace: 0)
    #expect(
      grid.place(.seconds(1) + .milliseconds(50), count: 480, tolerance: tolerance)
        == .init(silence: 2400))
  }
}
