public import BunnySystem
import CBunnyFFmpeg
import Synchronization

/// Makes sound in the broadcast's own form: 48 kHz, stereo, floating point.
///
/// A run that nobody holds any more is used again, so that none costs an allocation once there are as many
/// as are held at a time. Belongs to one thread; the runs do not.
public final class SamplesPool {
  private var runs: [Samples] = []

  public init() {}

  /// A new run, written by `fill`: both channels hold anything at first.
  ///
  /// - Parameter count: samples a channel, positive.
  public func samples(
    time: MonotonicTime, count: Int,
    _ fill: (
      _ left: UnsafeMutableBufferPointer<Float>, _ right: UnsafeMutableBufferPointer<Float>
    ) -> Void
  ) -> Samples {
    let run = next(at: time, count: count)
    fill(run.raw.channel(0), run.raw.channel(1))
    return run
  }

  /// A run that is still to be written, by whoever asks for it and at once.
  func next(at time: MonotonicTime, count: Int) -> Samples {
    for index in runs.indices where isKnownUniquelyReferenced(&runs[index]) {
      let run = runs[index]
      // An encoder may hold the memory without the run.
      guard av_frame_is_writable(run.raw) != 0, run.room >= count else { continue }
      atomicMemoryFence(ordering: .acquiring)  // whoever let go of it last has read all of it
      run.raw.pointee.nb_samples = Int32(count)
      run.time = time
      return run
    }
    let run = Samples(time: time, count: count) { _, _ in }
    if runs.count == Self.most { runs.removeFirst() }
    runs.append(run)
    return run
  }

  /// More are not kept: some seconds of sound may wait for the first picture.
  private static let most = 32
}

extension Samples {
  /// Samples a channel that there is memory for.
  fileprivate var room: Int { Int(raw.pointee.linesize.0) / MemoryLayout<Float>.size }
}
