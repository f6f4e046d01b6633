package import BunnySystem
import CBunnyFFmpeg

extension Picture {
  /// A picture over a device's own memory, which nobody writes to until `release` is called. One that is
  /// a JPEG stays one until ``PictureConverter`` decodes it.
  ///
  /// - Parameters:
  ///   - bytes: where its first plane begins.
  ///   - count: how many there are.
  ///   - release: is called once, when nobody holds the picture any more, by whoever let go last; also
  ///     when nil is returned.
  /// - Returns: nil when `bytes` are too few for the form.
  package static func lent(
    _ bytes: UnsafeMutablePointer<UInt8>, count: Int, _ form: FrameForm, time: MonotonicTime,
    release: @escaping @Sendable () -> Void
  ) -> Picture? {
    let lease = Unmanaged.passRetained(Lease(release: release))
    let buffer = av_buffer_create(
      bytes, count,
      { opaque, _ in Unmanaged<Lease>.fromOpaque(opaque!).takeRetainedValue().release() },
      lease.toOpaque(), AV_BUFFER_FLAG_READONLY)
    return picture(buffer, count, form, time)
  }

  /// A picture over a copy of a device's memory.
  ///
  /// - Returns: nil when `bytes` are too few for the form.
  package static func copied(
    _ bytes: UnsafeMutablePointer<UInt8>, count: Int, _ form: FrameForm, time: MonotonicTime
  ) -> Picture? {
    let buffer = av_buffer_alloc(count + 128)  // SIMD code reads past the last row
    buffer?.pointee.data.update(from: bytes, count: count)
    return picture(buffer, count, form, time)
  }

  private static func picture(
    _ buffer: UnsafeMutablePointer<AVBufferRef>?, _ count: Int, _ form: FrameForm,
    _ time: MonotonicTime
  ) -> Picture? {
    guard let buffer else { preconditionFailure("av_buffer_create: out of memory") }
    let frame = Frame()
    frame.raw.pointee.buf.0 = buffer
    if form.isJPEG {
      frame.raw.pointee.holdJPEG(form, buffer.pointee.data, count: count)
    } else {
      guard let needed = form.byteCount, needed <= count,
        frame.raw.pointee.lay(form, at: buffer.pointee.data)
      else { return nil }
    }
    return Picture(moving: frame, time: time)
  }
}

private final class Lease: Sendable {
  let release: @Sendable () -> Void
  init(release: @escaping @Sendable () -> Void) { self.release = release }
}
