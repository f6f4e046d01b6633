package import BunnySystem
import CBunnyFFmpeg
import Synchronization

/// One of a device's buffers, or memory of our own that a pipe is read into, which is lent as a picture again
/// and again: an object that is made once, so that a frame costs no allocation. One that is a JPEG stays one until ``PictureConverter`` decodes it.
///
/// Belongs to one thread at a time; its pictures do not.
package struct LentBuffer: @unchecked Sendable {  // nobody writes to the memory while it is lent
  package let bytes: UnsafeMutablePointer<UInt8>
  private var picture: Picture
  /// How the picture lies at the moment, and how many bytes that takes.
  private var laid: (form: FrameForm, offset: Int, needed: Int)?

  /// - Parameter owner: of the memory; is kept as long as somebody holds the picture.
  package init(_ bytes: UnsafeMutablePointer<UInt8>, count: Int, owner: any AnyObject & Sendable) {
    let buffer = av_buffer_create(
      bytes, count, { opaque, _ in Unmanaged<AnyObject>.fromOpaque(opaque!).release() },
      Unmanaged<AnyObject>.passRetained(owner).toOpaque(), AV_BUFFER_FLAG_READONLY)
    guard let buffer else { preconditionFailure("av_buffer_create: out of memory") }
    self.init(buffer)
  }

  /// Memory of our own.
  ///
  /// - Parameter capacity: bytes.
  package init(capacity: Int) {
    // SIMD code reads past the last row.
    guard let buffer = av_buffer_alloc(capacity + 128) else {
      preconditionFailure("av_buffer_alloc: out of memory")
    }
    self.init(buffer)
  }

  private init(_ buffer: UnsafeMutablePointer<AVBufferRef>) {
    let frame = Frame()
    frame.raw.pointee.buf.0 = buffer
    bytes = buffer.pointee.data
    picture = Picture(moving: frame, time: MonotonicTime(nanoseconds: 0))
  }

  /// Nobody holds the picture any more, nor its memory.
  package var isFree: Bool {
    mutating get {
      guard isKnownUniquelyReferenced(&picture),
        av_buffer_get_ref_count(picture.raw.pointee.buf.0) == 1
      else { return false }
      atomicMemoryFence(ordering: .acquiring)  // whoever let go of it last has read all of it
      return true
    }
  }

  /// The picture, while it ``isFree``.
  ///
  /// - Parameters:
  ///   - offset: of its first byte.
  ///   - count: bytes that the device has delivered.
  /// - Returns: nil when they are too few for the form.
  package mutating func lend(
    from offset: Int = 0, count: Int, _ form: FrameForm, time: MonotonicTime
  ) -> Picture? {
    precondition(isFree, "a buffer was lent twice")
    let start = bytes + offset
    if form.isJPEG {
      laid = nil
      picture.raw.pointee.holdJPEG(form, start, count: count)
    } else {
      if laid?.form != form || laid?.offset != offset {
        guard let needed = form.byteCount, picture.raw.pointee.lay(form, at: start) else {
          laid = nil
          return nil
        }
        laid = (form, offset, needed)
      }
      guard let laid, laid.needed <= count else { return nil }
    }
    picture.time = time
    return picture
  }
}

extension Picture {
  /// A picture over a copy of a device's memory.
  ///
  /// - Returns: nil when `bytes` are too few for the form.
  package static func copied(
    _ bytes: UnsafeMutablePointer<UInt8>, count: Int, _ form: FrameForm, time: MonotonicTime
  ) -> Picture? {
    // SIMD code reads past the last row.
    guard let buffer = av_buffer_alloc(count + 128) else {
      preconditionFailure("av_buffer_alloc: out of memory")
    }
    buffer.pointee.data.update(from: bytes, count: count)
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
