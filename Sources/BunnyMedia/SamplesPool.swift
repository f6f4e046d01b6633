public import BunnySystem
import CBunnyFFmpeg

/// Makes sound in the broadcast's own form: 48 kHz, stereo, floating point; or in that of one sound card.
///
/// A run that nobody holds any more is used again, so that none costs an allocation once there are as many
/// as are held at a time. Belongs to one thread; the runs do not.
public final class SamplesPool {
  /// Some seconds of sound may wait for the first picture.
  private var runs = Reused<Samples>(atMost: 32)

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
    // An encoder may hold the memory without the run.
    runs.free { av_frame_is_writable($0.raw) != 0 && suits($0) }
  }

  func keep(_ run: Samples) -> Samples { runs.keep(run) }

}

extension Samples {
  /// Samples of a plane that there is memory for.
  var room: Int {
    Int(raw.pointee.linesize.0 / av_get_bytes_per_sample(AVSampleFormat(raw.pointee.format)))
  }
}
