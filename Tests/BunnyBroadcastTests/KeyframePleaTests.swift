import BunnyBroadcast
import BunnySystem
import Testing

@Suite struct KeyframePleaTests {
  /// Of pictures at these times, those at which a keyframe is asked for; milliseconds.
  private func asked(
    _ times: [Int64], keyframes: Set<Int64>, wanted: Set<Int64> = []
  ) -> [Int64] {
    var plea = KeyframePlea(after: .seconds(2))
    return times.filter { time in
      plea.passed(
        isKeyframe: keyframes.contains(time), isWanted: wanted.contains(time),
        at: MonotonicTime(nanoseconds: .milliseconds(time)))
    }
  }

  private let pictures = Array(stride(from: 0 as Int64, to: 6000, by: 100))

  @Test func `a camera whose keyframes are near enough is left alone`() {
    #expect(asked(pictures, keyframes: [0, 1900, 3800, 5700]) == [])
    #expect(asked(pictures, keyframes: [0, 2000, 4000]) == [])
  }

  @Test func `one that has none is asked when one is due, and each second until it obeys`() {
    #expect(asked(pictures, keyframes: [0]) == [2000, 3000, 4000, 5000])
    #expect(asked(pictures, keyframes: [0, 2100, 4300]) == [2000, 4100])
  }

  @Test func `what an ingest needs is asked for at once`() {
    let times = asked(pictures, keyframes: [0, 800], wanted: [500, 600, 700])
    #expect(times == [500, 2800, 3800, 4800, 5800])
  }
}
