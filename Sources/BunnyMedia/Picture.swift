public import BunnySystem
import CBunnyFFmpeg

/// One picture that is not encoded: what sources deliver and encoders take.
///
/// Its planes are shared, not copied, when it is handed on. Nobody writes to them once it is made.
public final class Picture: @unchecked Sendable {  // written only while nobody else holds it
  let raw: UnsafeMutablePointer<AVFrame>

  /// When it was captured, as the driver or the file says.
  public internal(set) var time: MonotonicTime
  /// Pixels.
  public var width: Int { Int(raw.pointee.width) }
  /// Pixels.
  public var height: Int { Int(raw.pointee.height) }
  /// FFmpeg's name of the pixel format: `yuv420p`, `yuyv422`, `bgra` …; `jpeg` where it is not decoded
  /// yet.
  public var format: String {
    if isJPEG { return FrameForm.jpeg }
    return av_get_pix_fmt_name(AVPixelFormat(raw.pointee.format)).map { String(cString: $0) }
      ?? "unknown"
  }
  var isJPEG: Bool { raw.pointee.format == AV_PIX_FMT_NONE.rawValue }
  /// Two fields of different moments woven together.
  public var isInterlaced: Bool { raw.pointee.interlaced_frame != 0 }

  /// Takes over what `frame` holds, which is empty afterwards.
  init(moving frame: borrowing Frame, time: MonotonicTime) {
    raw = av_frame_alloc()
    av_frame_move_ref(raw, frame.raw)
    self.time = time
  }

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

  /// The same picture at another time; its planes are shared.
  package func stamped(_ time: MonotonicTime) -> Picture {
    let frame = Frame()
    precondition(av_frame_ref(frame.raw, raw) >= 0, "av_frame_ref: out of memory")
    return Picture(moving: frame, time: time)
  }

  /// One plane, row by row.
  public struct Plane {
    /// Rows lie ``stride`` bytes apart; each holds ``width`` of them.
    public let bytes: UnsafeMutablePointer<UInt8>
    public let stride: Int
    public let width: Int
    public let height: Int
  }

  /// The planes of an 8-bit planar 4:2:0 picture: Y, U, V. Valid while the closure runs.
  ///
  /// - Precondition: ``format`` is `yuv420p` or `yuvj420p`.
  public func withPlanes<Result>(
    _ body: (_ y: Plane, _ u: Plane, _ v: Plane) -> Result
  ) -> Result {
    precondition(format == "yuv420p" || format == "yuvj420p", "planes of \(format)")
    return body(raw.plane(0), raw.plane(1), raw.plane(2))
  }
}

extension UnsafeMutablePointer<AVFrame> {
  /// Plane `index` of a 4:2:0 frame.
  func plane(_ index: Int) -> Picture.Plane {
    let frame = pointee
    let (bytes, stride) =
      switch index {
      case 0: (frame.data.0, frame.linesize.0)
      case 1: (frame.data.1, frame.linesize.1)
      default: (frame.data.2, frame.linesize.2)
      }
    let shift: Int32 = index == 0 ? 0 : 1
    return Picture.Plane(
      bytes: bytes!, stride: Int(stride), width: Int((frame.width + shift) >> shift),
      height: Int((frame.height + shift) >> shift))
  }
}
