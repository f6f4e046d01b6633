public import BunnySystem
import CBunnyFFmpeg

/// A run of sound that is not encoded: what sources deliver and ``SampleConverter`` takes.
public final class Samples: @unchecked Sendable {  // written only while nobody else holds it
  let raw: UnsafeMutablePointer<AVFrame>

  /// When its first sample was captured.
  public internal(set) var time: MonotonicTime
  /// Samples a channel.
  public var count: Int { Int(raw.pointee.nb_samples) }
  /// Samples a second.
  public var sampleRate: Int { Int(raw.pointee.sample_rate) }
  public var channels: Int { Int(raw.pointee.ch_layout.nb_channels) }

  /// Takes over what `frame` holds, which is empty afterwards.
  init(moving frame: borrowing Frame, time: MonotonicTime) {
    raw = av_frame_alloc()
    av_frame_move_ref(raw, frame.raw)
    self.time = time
  }

  /// Sound in the broadcast's own form: 48 kHz, stereo, 32-bit floating point from -1 to 1.
  ///
  /// - Parameters:
  ///   - count: samples a channel, positive.
  ///   - fill: writes both channels, which hold anything at first.
  public convenience init(
    time: MonotonicTime, count: Int,
    _ fill: (
      _ left: UnsafeMutableBufferPointer<Float>, _ right: UnsafeMutableBufferPointer<Float>
    ) -> Void
  ) {
    let frame = Frame()
    frame.raw.allocateStereo(count: count)
    fill(frame.raw.channel(0), frame.raw.channel(1))
    self.init(moving: frame, time: time)
  }

  /// One channel of sound in the broadcast's own form, from -1 to 1. Valid while the closure runs.
  ///
  /// - Precondition: planar floating point, as whatever a broadcast hands to a program is; `index` is 0 or 1.
  public func withChannel<Result>(
    _ index: Int, _ body: (UnsafeBufferPointer<Float>) -> Result
  ) -> Result {
    precondition(raw.pointee.format == AV_SAMPLE_FMT_FLTP.rawValue && index < channels)
    return body(UnsafeBufferPointer(raw.channel(index)))
  }

  /// It has the broadcast's own form.
  package var hasBroadcastForm: Bool {
    raw.pointee.format == AV_SAMPLE_FMT_FLTP.rawValue && channels == 2
      && sampleRate == broadcastSampleRate
  }

  /// How its samples lie in memory: `fltp` …
  package var format: String {
    av_get_sample_fmt_name(AVSampleFormat(raw.pointee.format)).map { String(cString: $0) }
      ?? "unknown"
  }

  /// Says when it was captured, for whoever has just made it and has given it to nobody.
  package func stamp(_ time: MonotonicTime) { self.time = time }

  /// Takes over what `frame` holds instead of what it held, when nobody else holds it.
  func take(_ frame: borrowing Frame, time: MonotonicTime) {
    av_frame_unref(raw)
    av_frame_move_ref(raw, frame.raw)
    self.time = time
  }

  deinit {
    var raw: UnsafeMutablePointer<AVFrame>? = raw
    av_frame_free(&raw)
  }
}

/// Samples a second, of every broadcast.
public let broadcastSampleRate = 48_000

extension UnsafeMutablePointer<AVFrame> {
  /// Makes an empty frame hold `count` samples in the broadcast's own form.
  func allocateStereo(count: Int) {
    pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    pointee.sample_rate = Int32(broadcastSampleRate)
    pointee.nb_samples = Int32(count)
    av_channel_layout_default(&pointee.ch_layout, 2)
    let code = av_frame_get_buffer(self, 0)
    precondition(code >= 0, "av_frame_get_buffer for \(count) samples: error \(code)")
  }

  /// One channel of a planar floating point frame.
  func channel(_ index: Int) -> UnsafeMutableBufferPointer<Float> {
    let plane = UnsafeMutableRawPointer(pointee.extended_data[index]!)
    return UnsafeMutableBufferPointer(
      start: plane.assumingMemoryBound(to: Float.self), count: Int(pointee.nb_samples))
  }
}
