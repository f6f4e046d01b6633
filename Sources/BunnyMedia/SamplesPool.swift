public import BunnySystem
import CBunnyFFmpeg
import Synchronization

/// Makes sound in the broadcast's own form: 48 kHz, stereo, floating point; or in that of one sound card.
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
    guard let run = free({ $0.room >= count }) else {
      return keep(Samples(time: time, count: count) { _, _ in })
    }
    run.raw.pointee.nb_samples = Int32(count)
    run.time = time
    return run
  }

  /// One that nobody holds any more.
  func free(_ suits: (Samples) -> Bool) -> Samples? {
    for index in runs.indices where isKnownUniquelyReferenced(&runs[index]) {
      // An encoder may hold the memory without the run.
      guard av_frame_is_writable(runs[index].raw) != 0, suits(runs[index]) else { continue }
      atomicMemoryFence(ordering: .acquiring)  // whoever let go of it last has read all of it
      return runs[index]
    }
    return nil
  }

  func keep(_ run: Samples) -> Samples {
    if runs.count == Self.most { runs.removeFirst() }
    runs.append(run)
    return run
  }

  /// More are not kept: some seconds of sound may wait for the first picture.
  private static let most = 32
}

extension Samples {
  /// Samples of a plane that there is memory for.
  var room: Int {
    Int(raw.pointee.linesize.0 / av_get_bytes_per_sample(AVSampleFormat(raw.pointee.format)))
  }
}
