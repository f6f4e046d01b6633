package import BunnySystem
import CBunnyFFmpeg

/// How a sound card writes one sample, in this machine's byte order.
package enum SampleFormat: CaseIterable, Sendable {
  case int16
  case int32
  case float
  /// 24 bits in the lower three of four bytes.
  case int24
  /// 24 bits in three bytes.
  case int24Packed

  /// Of one sample.
  package var bytes: Int {
    switch self {
    case .int16: 2
    case .int24Packed: 3
    case .int32, .float, .int24: 4
    }
  }

  /// FFmpeg knows no 24 bits: they become the upper ones of 32.
  fileprivate var ffmpeg: AVSampleFormat {
    switch self {
    case .int16: AV_SAMPLE_FMT_S16
    case .int32, .int24, .int24Packed: AV_SAMPLE_FMT_S32
    case .float: AV_SAMPLE_FMT_FLT
    }
  }
}

extension Samples {
  /// Sound as a sound card writes it: the channels' samples of one moment side by side.
  ///
  /// - Parameters:
  ///   - bytes: whole moments, at least one.
  ///   - channels: 1 to 8.
  package convenience init(
    _ bytes: UnsafeRawBufferPointer, _ format: SampleFormat, sampleRate: Int, channels: Int,
    time: MonotonicTime
  ) {
    let frame = Frame()
    let raw = frame.raw
    raw.pointee.format = format.ffmpeg.rawValue
    raw.pointee.sample_rate = Int32(sampleRate)
    raw.pointee.nb_samples = Int32(bytes.count / format.bytes / channels)
    if channels > 2 {  // inputs, not loudspeakers
      raw.pointee.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC
      raw.pointee.ch_layout.nb_channels = Int32(channels)
    } else {
      av_channel_layout_default(&raw.pointee.ch_layout, Int32(channels))
    }
    let code = av_frame_get_buffer(raw, 0)
    precondition(
      code >= 0, "av_frame_get_buffer for \(raw.pointee.nb_samples) samples: error \(code)")
    self.init(moving: frame, time: time)
    write(bytes, format)
  }

  /// Has it hold other samples of the same form.
  fileprivate func write(_ bytes: UnsafeRawBufferPointer, _ format: SampleFormat) {
    let count = bytes.count / format.bytes
    let plane = UnsafeMutableRawPointer(raw.pointee.extended_data[0]!)
    switch format {
    case .int24:
      for index in 0..<count {
        let sample = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self) << 8
        plane.storeBytes(of: sample, toByteOffset: index * 4, as: UInt32.self)
      }
    case .int24Packed:
      for index in 0..<count {
        let low = bytes.loadUnaligned(fromByteOffset: index * 3, as: UInt16.self)
        let sample = UInt32(bytes[index * 3 + 2]) << 24 | UInt32(low) << 8
        plane.storeBytes(of: sample, toByteOffset: index * 4, as: UInt32.self)
      }
    case .int16, .int32, .float:
      plane.copyMemory(from: bytes.baseAddress!, byteCount: count * format.bytes)
    }
  }
}

extension SamplesPool {
  /// As ``Samples/init(_:_:sampleRate:channels:time:)``; all runs of one pool are of one form.
  package func samples(
    _ bytes: UnsafeRawBufferPointer, _ format: SampleFormat, sampleRate: Int, channels: Int,
    time: MonotonicTime
  ) -> Samples {
    let count = bytes.count / format.bytes
    guard let run = free({ $0.room >= count }) else {
      return keep(
        Samples(bytes, format, sampleRate: sampleRate, channels: channels, time: time))
    }
    run.raw.pointee.nb_samples = Int32(count / channels)
    run.stamp(time)
    run.write(bytes, format)
    return run
  }
}
