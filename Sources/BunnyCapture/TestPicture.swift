public import BunnyMedia
package import BunnySystem
import Synchronization

/// A moving picture in which every frame says which one it is: to people by a clock, a counter and
/// a ball in smooth motion, to machines by its ``FrameMark``; with colour bars and a grey ramp, and
/// a flash at each whole second of ``MonotonicTime``, in step with ``Tone``'s beep.
///
/// Delivers in real time: frame by frame on a grid that starts at a whole second, each when its
/// moment has come. The first is that of the latest moment, so that nothing waits for it.
public final class TestPicture: PictureSource, @unchecked Sendable {
  // Only `wake` and `isCancelled` are touched by other threads than the capture thread.
  private let pattern: TestPattern
  private let pool: PicturePool
  private var last: Int64?
  private var number: UInt32 = 0
  private let wake = WakeEvent()
  private let isCancelled = Atomic(false)

  /// - Parameters:
  ///   - width: pixels, even, at least 64.
  ///   - height: pixels, even, at least 64.
  ///   - frameRate: frames a second.
  public init(width: Int, height: Int, frameRate: Timebase) {
    pool = PicturePool(width: width, height: height)
    pattern = TestPattern(
      width: width, height: height, grid: SourceGrid(before: .now, rate: frameRate))
  }

  public func next() -> Picture? {
    guard let index = waitForNext() else { return nil }
    let time = pattern.grid.time(of: index)
    let mark = FrameMark(number: number, milliseconds: UnixTime.milliseconds(at: time))
    last = index
    number &+= 1
    return pool.picture(time: time) { y, u, v in pattern.draw(index, mark: mark, y: y, u: u, v: v) }
  }

  public func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    wake.signal()
  }

  private func waitForNext() -> Int64? {
    while !isCancelled.load(ordering: .relaxed) {
      let now = MonotonicTime.now
      let index = pattern.grid.next(after: last, now: now)
      let time = pattern.grid.time(of: index)
      guard time > now else { return index }
      wake.wait(until: time)
    }
    return nil
  }
}

/// The wall clock, as UNIX time counts it.
package enum UnixTime {
  /// What the wall clock shows, or showed, at a moment of the monotonic clock.
  package static func milliseconds(at time: MonotonicTime) -> UInt64 {
    UInt64(max(0, WallClock.now - (MonotonicTime.now - time) + 500_000) / 1_000_000)
  }
}
