public import BunnyMedia
package import BunnySystem
import Glibc
import Synchronization

/// A beep once a second, in step with ``TestPicture``'s flash: 100 ms of 1 kHz that start exactly at
/// each whole second of ``MonotonicTime``, and silence between them.
///
/// The beep's peak is -12 dBFS; it swells and fades within a millisecond, without a click. Runs are
/// 20 ms of 48 kHz stereo, delivered in real time: each when its last sample's moment has come.
public final class Tone: SampleSource, @unchecked Sendable {  // `last` is the capture thread's own
  public let timeTolerance = Int64.milliseconds(1)

  private let grid: SourceGrid
  private let pool = SamplesPool()
  private var last: Int64?
  private let wake = WakeEvent()
  private let isCancelled = Atomic(false)

  public init() { grid = SourceGrid(before: .now, rate: Timebase(50, 1)) }

  public func next() -> Samples? {
    guard let index = waitForNext() else { return nil }
    last = index
    return Self.samples(at: grid.time(of: index), in: pool)
  }

  public func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    wake.signal()
  }

  private func waitForNext() -> Int64? {
    while !isCancelled.load(ordering: .relaxed) {
      let now = MonotonicTime.now
      // A run is taken at its end: what counts is where the one after it starts.
      let index = grid.next(after: last.map { $0 + 1 }, now: now) - 1
      let end = grid.time(of: index + 1)
      guard end > now else { return index }
      wake.wait(until: end)
    }
    return nil
  }
}

extension Tone {
  /// Samples in a run: 20 ms.
  package static let runLength = broadcastSampleRate / 50

  /// The run that starts at `time`, at any moment.
  package static func samples(at time: MonotonicTime, in pool: SamplesPool = SamplesPool())
    -> Samples
  {
    let offset = Int(time.nanoseconds % oneSecond) * broadcastSampleRate / Int(oneSecond)
    return pool.samples(time: time, count: runLength) { left, right in
      for index in 0..<runLength {
        let position = (offset + index) % broadcastSampleRate
        left[index] = position < beep.count ? beep[position] : 0
      }
      _ = right.update(fromContentsOf: left)
    }
  }

  private static let beep: [Float] = {
    let count = broadcastSampleRate / 10
    let edge = 48.0
    return (0..<count).map { index in
      let fromEdge = min(Double(index), Double(count - 1 - index)) / edge
      let envelope = fromEdge < 1 ? (1 - cos(.pi * fromEdge)) / 2 : 1
      let wave = sin(2 * .pi * 1000 * Double(index) / Double(broadcastSampleRate))
      return Float(0.2512 * envelope * wave)  // 0.2512: -12 dB
    }
  }()
}
