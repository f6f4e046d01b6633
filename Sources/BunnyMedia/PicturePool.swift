public import BunnySystem
import CBunnyFFmpeg

/// Makes pictures of one size in the broadcast's own format: 8-bit 4:2:0, bt709, limited range.
///
/// The memory of a picture that nobody holds any more is used again. Belongs to one thread; the
/// pictures do not.
public final class PicturePool {
  private let buffers: OpaquePointer  // AVBufferPool, freed when its last buffer is
  private let width: Int32
  private let height: Int32

  /// - Parameters:
  ///   - width: pixels, even.
  ///   - height: pixels, even.
  public init(width: Int, height: Int) {
    self.width = Int32(width)
    self.height = Int32(height)
    let size = av_image_get_buffer_size(AV_PIX_FMT_YUV420P, self.width, self.height, 64)
    precondition(size > 0, "a picture of \(width)x\(height)")
    // A margin behind the last row: SIMD code reads past it.
    guard let pool = av_buffer_pool_init(Int(size) + 128, nil) else {
      preconditionFailure("av_buffer_pool_init: out of memory")
    }
    buffers = pool
  }

  deinit {
    var buffers: OpaquePointer? = buffers
    av_buffer_pool_uninit(&buffers)
  }

  /// A new picture, drawn by `draw`. Its memory holds anything at first, an older picture usually.
  public func picture(
    time: MonotonicTime,
    _ draw: (_ y: Picture.Plane, _ u: Picture.Plane, _ v: Picture.Plane) -> Void
  ) -> Picture {
    let frame = frame()
    draw(frame.raw.plane(0), frame.raw.plane(1), frame.raw.plane(2))
    return Picture(moving: frame, time: time)
  }

  func frame() -> Frame {
    let frame = Frame()
    guard let buffer = av_buffer_pool_get(buffers) else {
      preconditionFailure("av_buffer_pool_get: out of memory")
    }
    frame.raw.pointee.buf.0 = buffer
    frame.raw.pointee.width = width
    frame.raw.pointee.height = height
    frame.raw.pointee.format = AV_PIX_FMT_YUV420P.rawValue
    frame.raw.pointee.sample_aspect_ratio = av_make_q(1, 1)
    frame.raw.tagBroadcastColour()
    withUnsafeMutablePointer(to: &frame.raw.pointee.data) { data in
      withUnsafeMutablePointer(to: &frame.raw.pointee.linesize) { linesize in
        _ = data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { data in
          linesize.withMemoryRebound(to: Int32.self, capacity: 8) { linesize in
            av_image_fill_arrays(
              data, linesize, buffer.pointee.data, AV_PIX_FMT_YUV420P, width, height, 64)
          }
        }
      }
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
