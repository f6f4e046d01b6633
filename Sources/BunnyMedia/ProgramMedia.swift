public import BunnySystem

/// How a program's own picture lies in memory.
public enum PixelFormat: String, Sendable, CaseIterable {
  /// Planes of Y, U and V, one behind the other, chroma halved both ways; bt709, 16 to 235.
  case yuv420p
  /// A plane of Y, then one of U and V in turn; bt709, 16 to 235.
  case nv12
  /// Four bytes a pixel: blue, green, red, and one that means nothing.
  case bgra
  /// Four bytes a pixel: red, green, blue, and one that means nothing.
  case rgba
  /// Three bytes a pixel.
  case rgb24

  /// Bytes a pixel of the first plane.
  fileprivate var firstRowBytes: Int {
    switch self {
    case .yuv420p, .nv12: 1
    case .rgb24: 3
    case .bgra, .rgba: 4
    }
  }

  fileprivate var colour: FrameColour {
    switch self {
    case .yuv420p, .nv12: FrameColour(.bt709, isFullRange: false)
    case .bgra, .rgba, .rgb24: FrameColour(nil, isFullRange: true)
    }
  }
}

extension Picture {
  /// A picture of a program's own, copied.
  ///
  /// - Parameters:
  ///   - bytes: its rows from the top, planes one behind the other.
  ///   - width: pixels, 1 to 16384.
  ///   - height: pixels, 1 to 16384.
  ///   - stride: bytes from one row to the next, of the first plane; 0: rows touch.
  ///   - time: its moment.
  /// - Returns: nil when `bytes` are too few for that, or a row is longer than `stride`.
  public static func copying(
    _ bytes: UnsafeRawBufferPointer, _ format: PixelFormat, width: Int, height: Int,
    stride: Int = 0, time: MonotonicTime
  ) -> Picture? {
    guard (1...16_384).contains(width),
      stride == 0 || (width * format.firstRowBytes...1 << 20).contains(stride)
    else { return nil }
    let form = FrameForm(
      format.rawValue, width: width, height: height, stride: stride, format.colour)
    guard let needed = form.byteCount, needed <= bytes.count, let start = bytes.baseAddress else {
      return nil
    }
    return start.withMemoryRebound(to: UInt8.self, capacity: bytes.count) {
      copied(UnsafeMutablePointer(mutating: $0), count: bytes.count, form, time: time)
    }
  }
}

extension Samples {
  /// Sound of a program's own, copied.
  ///
  /// - Parameters:
  ///   - interleaved: from -1 to 1, the channels' samples of one moment side by side.
  ///   - sampleRate: a second, 8 000 to 192 000.
  ///   - channels: 1 or 2.
  ///   - time: of the first sample.
  /// - Returns: nil when it is no such thing, or nothing.
  public static func copying(
    _ interleaved: [Float], sampleRate: Int, channels: Int, time: MonotonicTime
  ) -> Samples? {
    guard (1...2).contains(channels), (8_000...192_000).contains(sampleRate),
      !interleaved.isEmpty, interleaved.count.isMultiple(of: channels)
    else { return nil }
    return interleaved.withUnsafeBytes {
      Samples($0, .float, sampleRate: sampleRate, channels: channels, time: time)
    }
  }
}
