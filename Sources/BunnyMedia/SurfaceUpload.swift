import CBunnyFFmpeg

/// Takes pictures into the memory of a graphics processor, where `h264_vaapi` finds them. Belongs to one thread.
final class SurfaceUpload {
  private var device: UnsafeMutablePointer<AVBufferRef>?
  private var frames: UnsafeMutablePointer<AVBufferRef>?
  private let staging = Frame()

  /// - Parameter context: of an encoder that is not opened yet.
  /// - Throws: ``AVFailure`` where there is no such device.
  init(_ settings: VideoEncoder.Settings, _ context: borrowing CodecContext) throws(AVFailure) {
    try check(
      "av_hwdevice_ctx_create(vaapi)",
      av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, nil, nil, 0))
    frames = av_hwframe_ctx_alloc(device)
    guard let frames else { preconditionFailure("av_hwframe_ctx_alloc: out of memory") }
    frames.pointee.data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) {
      $0.pointee.format = AV_PIX_FMT_VAAPI
      $0.pointee.sw_format = AV_PIX_FMT_NV12
      $0.pointee.width = Int32(settings.width)
      $0.pointee.height = Int32(settings.height)
      $0.pointee.initial_pool_size = 20
    }
    try check("av_hwframe_ctx_init", av_hwframe_ctx_init(frames))
    context.raw.pointee.pix_fmt = AV_PIX_FMT_VAAPI
    context.raw.pointee.hw_frames_ctx = av_buffer_ref(frames)
    staging.raw.pointee.format = AV_PIX_FMT_NV12.rawValue
    staging.raw.pointee.width = Int32(settings.width)
    staging.raw.pointee.height = Int32(settings.height)
    try check("av_frame_get_buffer", av_frame_get_buffer(staging.raw, 0))
  }

  deinit {
    av_buffer_unref(&frames)
    av_buffer_unref(&device)
  }

  /// - Parameters:
  ///   - picture: 4:2:0 planar.
  ///   - frame: an empty one.
  func upload(_ picture: Picture, into frame: borrowing Frame) throws(AVFailure) {
    interleave(picture)
    try check("av_hwframe_get_buffer", av_hwframe_get_buffer(frames, frame.raw, 0))
    try check("av_hwframe_transfer_data", av_hwframe_transfer_data(frame.raw, staging.raw, 0))
    frame.raw.tagBroadcastColour()
  }

  /// Chroma's two planes become one, as drivers have it.
  private func interleave(_ picture: Picture) {
    guard let luma = staging.raw.pointee.data.0, let chroma = staging.raw.pointee.data.1 else {
      return
    }
    let (lumaStride, chromaStride) = (
      Int(staging.raw.pointee.linesize.0), Int(staging.raw.pointee.linesize.1)
    )
    picture.withPlanes { y, u, v in
      for row in 0..<y.height {
        (luma + row * lumaStride).update(from: y.bytes + row * y.stride, count: y.width)
      }
      for row in 0..<u.height {
        let (from, other) = (u.bytes + row * u.stride, v.bytes + row * v.stride)
        let to = chroma + row * chromaStride
        for column in 0..<u.width {
          to[2 * column] = from[column]
          to[2 * column + 1] = other[column]
        }
      }
    }
  }
}
