import CBunnyFFmpeg
import CBunnyShims
import CBunnyYUV

/// Scales pictures of one form to the broadcast's 4:2:0. Belongs to one thread.
final class PictureScaler {
  private let fit: PictureFit
  /// nil: every two by two pixels become one.
  private var swscale: OpaquePointer?
  /// Points at the part of a picture that is wanted; holds nothing.
  private let part = Frame()

  /// - Parameter convertingColours: to the broadcast's; else they stay what they are.
  /// - Throws: ``AVFailure`` for a format that libswscale cannot read.
  init(_ form: PictureForm, _ fit: PictureFit, convertingColours: Bool) throws(AVFailure) {
    self.fit = fit
    if Self.isHalving(form, fit) { return }
    swscale = sws_getContext(
      Int32(fit.source.width), Int32(fit.source.height), AVPixelFormat(form.format),
      Int32(fit.target.width), Int32(fit.target.height), AV_PIX_FMT_YUV420P,
      form.layout == nil ? Self.careful : SWS_BICUBIC, nil, nil, nil)
    guard swscale != nil else {
      throw AVFailure(call: "sws_getContext", code: bunny_error_invalid_data)
    }
    // Formats without a matrix of their own (RGB) do not care; a refusal changes nothing.
    _ = sws_setColorspaceDetails(
      swscale, sws_getCoefficients(convertingColours ? form.matrix : SWS_CS_ITU709),
      convertingColours && form.isFullRange ? 1 : 0, sws_getCoefficients(SWS_CS_ITU709), 0, 0,
      1 << 16, 1 << 16)
  }

  deinit { sws_freeContext(swscale) }

  /// A negative filter tap at full chroma resolution: what was RGB stays sharp and its colours true.
  private static let careful =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_FULL_CHR_H_INT

  /// Where libyuv's box is as good as libswscale's bicubic filter, at a thirtieth of the time. At all
  /// other ratios it is blurred or jagged, and no faster.
  private static func isHalving(_ form: PictureForm, _ fit: PictureFit) -> Bool {
    form.layout == bunny_layout_420 && fit.isHalving
  }

  /// Into its place in `target`, which is 8-bit planar 4:2:0.
  func scale(
    _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>
  ) throws(AVFailure) {
    guard let swscale else { return halve(source, into: target) }
    (part.raw.pointee.data, part.raw.pointee.linesize) =
      (source.pointee.data, source.pointee.linesize)
    (part.raw.pointee.width, part.raw.pointee.height) =
      (source.pointee.width, source.pointee.height)
    part.raw.pointee.format = source.pointee.format
    try part.raw.cut(to: fit.source)
    try check(
      "sws_scale",
      bunny_sws_scale(swscale, part.raw, target, Int32(fit.target.x), Int32(fit.target.y)))
  }

  private func halve(
    _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>
  ) {
    let from = source.planes(bunny_layout_420, in: fit.source)
    let to = target.planes(bunny_layout_420, in: fit.target)
    let (width, height) = (Int32(fit.source.width), Int32(fit.source.height))
    I420Scale(
      from.y, Int32(from.y_stride), from.u, Int32(from.u_stride), from.v, Int32(from.v_stride),
      width, height, to.y, Int32(to.y_stride), to.u, Int32(to.u_stride), to.v, Int32(to.v_stride),
      width / 2, height / 2, kFilterBox)
  }
}

extension UnsafeMutablePointer<AVFrame> {
  /// Leaves only `part` of the picture visible. Copies nothing.
  fileprivate func cut(to part: PictureFit.Rectangle) throws(AVFailure) {
    pointee.crop_left = part.x
    pointee.crop_top = part.y
    pointee.crop_right = Int(pointee.width) - part.x - part.width
    pointee.crop_bottom = Int(pointee.height) - part.y - part.height
    try check(
      "av_frame_apply_cropping", av_frame_apply_cropping(self, Int32(AV_FRAME_CROP_UNALIGNED)))
  }
}
