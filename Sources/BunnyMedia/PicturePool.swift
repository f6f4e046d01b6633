public import BunnySystem
import CBunnyFFmpeg

/// Makes pictures of one size in the broadcast's own format: 8-bit 4:2:0, bt709, limited range.
///
/// A picture that nobody holds any more is used again, so that none costs an allocation once there are
/// as many as are held at a time. Belongs to one thread; the pictures do not.
public final class PicturePool {
  /// What its pictures are, with room for rows of whole cache lines.
  let form: FrameForm
  private let width: Int32
  private let height: Int32
  private let isBroadcast: Bool
  private var pictures = Reused<Picture>()

  /// - Parameters:
  ///   - width: pixels, even.
  ///   - height: pixels, even.
  public convenience init(width: Int, height: Int) {
    let colour = FrameColour(.bt709, isFullRange: false)
    self.init(FrameForm("yuv420p", width: width, height: height, colour), isBroadcast: true)
  }

  init(_ form: FrameForm, isBroadcast: Bool = false) {
    (width, height) = (Int32(form.width), Int32(form.height))
    self.form = form
    self.isBroadcast = isBroadcast
  }

  /// A new picture, drawn by `draw`. Its memory holds anything at first, an older picture usually.
  public func picture(
    time: MonotonicTime,
    _ draw: (_ y: Picture.Plane, _ u: Picture.Plane, _ v: Picture.Plane) -> Void
  ) -> Picture {
    let picture = next(at: time)
    draw(picture.raw.plane(0), picture.raw.plane(1), picture.raw.plane(2))
    return picture
  }

  /// A picture that is still to be drawn, by whoever asks for it and at once.
  func next(at time: MonotonicTime) -> Picture {
    // An encoder may hold the memory without the picture.
    guard let picture = pictures.free({ av_frame_is_writable($0.raw) != 0 }) else {
      return pictures.keep(Picture(moving: frame(), time: time))
    }
    picture.time = time
    return picture
  }

  private func frame() -> Frame {
    var padded = form
    padded.width = (form.width + 127) & ~127  // libjpeg-turbo, too, writes past odd edges
    padded.height = (form.height + 1) & ~1
    // A margin behind the last row: SIMD code reads past it.
    guard let size = padded.byteCount else { preconditionFailure("a picture of \(form)") }
    guard let buffer = av_buffer_alloc(size + 128) else {
      preconditionFailure("av_buffer_alloc: out of memory")
    }
    let frame = Frame()
    frame.raw.pointee.buf.0 = buffer
    precondition(frame.raw.pointee.lay(padded, at: buffer.pointee.data))
    (frame.raw.pointee.width, frame.raw.pointee.height) = (width, height)
    if isBroadcast {
      frame.raw.pointee.sample_aspect_ratio = av_make_q(1, 1)
      frame.raw.tagBroadcastColour()
    }
    return frame
  }
}

extension UnsafeMutablePointer<AVFrame> {
  /// One colour for the whole broadcast, whatever its sources were.
  func tagBroadcastColour() {
    pointee.color_range = AVCOL_RANGE_MPEG
    pointee.colorspace = AVCOL_SPC_BT709
    pointee.color_primaries = AVCOL_PRI_BT709
    pointee.color_trc = AVCOL_TRC_BT709
    pointee.chroma_location = AVCHROMA_LOC_LEFT
  }
}
