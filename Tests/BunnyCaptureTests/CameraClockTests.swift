import BunnyCapture
import BunnySystem
import Testing

@Suite struct CameraClockTests {
  private static let frame: Int64 = .milliseconds(33)
  private static let wall: Int64 = .seconds(1_796_000_000)

  /// The times that a clock gives to frames that arrive every 33 ms from 100 s on.
  private func times(
    of stamps: [Int64], isOfEnd: Bool = false
  ) -> (milliseconds: [Int64], lie: CameraClock.Lie?) {
    var clock = CameraClock(frame: Self.frame)
    let times = stamps.enumerated().map { index, stamp in
      clock.time(
        .init(nanoseconds: stamp, isOfEnd: isOfEnd),
        arrival: MonotonicTime(nanoseconds: .seconds(100) + Int64(index) * Self.frame),
        wallClock: Self.wall + Int64(index) * Self.frame
      ).nanoseconds / 1_000_000
    }
    return (times, clock.lie)
  }

  private func stamps(_ milliseconds: Int64...) -> [Int64] {
    milliseconds.map { .milliseconds($0) }
  }

  @Test func `what the driver says is believed`() {
    let start = times(of: stamps(99_940, 99_973, 100_006))
    #expect(start == ([99_940, 99_973, 100_006], nil))
    let end = times(of: stamps(99_998, 100_031, 100_064), isOfEnd: true)
    #expect(end == ([99_965, 99_998, 100_031], nil))
  }

  @Test func `a camera that slows down in the dark, and a process that was held up, are no lie`() {
    #expect(times(of: stamps(99_990, 99_991, 100_060)) == ([99_990, 99_991, 100_060], nil))
    // Stopped for eleven seconds: what had been captured by then comes first.
    var clock = CameraClock(frame: Self.frame)
    let arrivals: [Int64] = [100_000, 111_000, 111_001, 111_040]
    let times = zip(arrivals, [99_990, 100_023, 100_056, 111_030]).map { arrival, stamp in
      clock.time(
        .init(nanoseconds: .milliseconds(stamp), isOfEnd: false),
        arrival: MonotonicTime(nanoseconds: .milliseconds(arrival)), wallClock: Self.wall
      ).nanoseconds / 1_000_000
    }
    #expect(times == [99_990, 100_023, 100_056, 111_030] && clock.lie == nil)
  }

  /// 5 fps over a slow wire: else each would come after its place had been filled.
  @Test(arguments: [true, false])
  func `a frame that takes long to come is shown as if it had come sooner`(isOfEnd: Bool) {
    var clock = CameraClock(frame: .milliseconds(200))
    for index in Int64(0)..<20 {
      let arrival = MonotonicTime(nanoseconds: .seconds(100) + index * .milliseconds(200))
      let stamp = arrival.nanoseconds - (isOfEnd ? .milliseconds(2) : .milliseconds(195))
      let time = clock.time(
        .init(nanoseconds: stamp, isOfEnd: isOfEnd), arrival: arrival, wallClock: Self.wall)
      #expect(arrival - time == .milliseconds(100))
    }
    #expect(clock.lie == nil)
  }

  @Test(
    arguments: [
      (18_446_744_073, 709_551), (Int.max, 0), (Int.min, 0), (-1, 5), (100, -1), (100, 1_000_000),
    ])
  func `a time that no clock says is a lie`(seconds: Int, microseconds: Int) {
    var clock = CameraClock(frame: Self.frame)
    let arrival = MonotonicTime(nanoseconds: .seconds(100))
    let stamp = CameraClock.Stamp(
      seconds: seconds, microseconds: microseconds, isOfEnd: false)
    #expect(clock.time(stamp, arrival: arrival, wallClock: Self.wall) == arrival + -Self.frame)
    #expect(clock.lie == .foreign)
    let plain = CameraClock.Stamp(seconds: 99, microseconds: 990_000, isOfEnd: false)
    #expect(plain.nanoseconds == .milliseconds(99_990))
  }

  @Test(
    arguments: [
      ([0, 0], CameraClock.Lie.zero, [99_967, 100_000]),
      ([99_990, 99_990, 99_990], .constant, [99_990, 100_000, 100_033]),
      ([99_990, 99_000, 100_060], .backward, [99_990, 100_000, 100_033]),
      ([500, 533], .foreign, [99_967, 100_000]),
      ([200_000, 200_033], .foreign, [99_967, 100_000]),
    ] as [([Int64], CameraClock.Lie, [Int64])])
  func `one that lies is not believed again`(
    stamps: [Int64], lie: CameraClock.Lie, times: [Int64]
  ) {
    #expect(self.times(of: stamps.map { .milliseconds($0) }) == (times, lie))
  }

  @Test func `the wall clock is known by its time`() {
    #expect(times(of: [Self.wall - 5, Self.wall + Self.frame]) == ([99_967, 100_000], .wallClock))
  }

  @Test func `missing numbers are missing frames, also where they wrap`() {
    var sequence = FrameSequence()
    let numbers: [UInt32] = [5, 6, 9, 10, .max, 0, 2, 2, 1, 2]
    #expect(numbers.map { sequence.missing(before: $0) } == [0, 0, 2, 0, 0, 0, 1, 0, 0, 0])
  }
}
