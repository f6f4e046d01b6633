package import BunnySystem
import CBunnyFFmpeg

/// Makes any picture one in the broadcast's own form: its size, 4:2:0, bt709 limited; turned, if asked.
/// A JPEG is decoded here, so that one which is left out costs nothing.
///
/// Belongs to one thread. A picture already in that form is handed on as it is.
public final class PictureConverter {
  /// Pixels of the broadcast, even.
  private let size: (width: Int, height: Int)
  private let fill: PictureFit.Fill
  private var turn = PictureTurn.none
  private var turner: PictureTurner?
  /// Pixels of what is fitted: the broadcast's, turned back.
  private var width: Int
  private var height: Int
  private var pool: PicturePool
  private var scaler: OpaquePointer?
  private var source: Form?
  private var fit: PictureFit?
  private lazy var jpeg = JPEGDecoder()
  /// What is left to do once ``scaler`` has made 4:2:0 of it.
  private var colours: ColourMatrix?

  /// - Parameters:
  ///   - width: pixels, even.
  ///   - height: pixels, even.
  public init(width: Int, height: Int, fill: PictureFit.Fill) {
    size = (width, height)
    (self.width, self.height) = size
    self.fill = fill
    pool = PicturePool(width: width, height: height)
  }

  deinit { sws_freeContext(scaler) }

  /// - Parameter turn: the picture is fitted into a frame that is turned back, and the whole turned then:
  ///   scaling costs what it always does, and bars lie where they would without.
  /// - Returns: `picture` itself where nothing is to be done.
  /// - Throws: ``AVFailure`` for a format that libswscale cannot read, and what says why a JPEG cannot be
  ///   decoded.
  public func convert(_ picture: Picture, turned turn: PictureTurn = .none) throws -> Picture {
    if turn != self.turn { prepare(for: turn) }
    let fitted = try fit(picture.isJPEG ? try jpeg.decode(picture) : picture)
    return turner?.turned(fitted) ?? fitted
  }

  private func prepare(for turn: PictureTurn) {
    (width, height) = turn.turnedBack(width: size.width, height: size.height)
    pool = PicturePool(width: width, height: height)
    turner = turn == .none ? nil : PictureTurner(turn, width: size.width, height: size.height)
    (source, self.turn) = (nil, turn)
  }

  private func fit(_ picture: Picture) throws(AVFailure) -> Picture {
    let form = Form(picture.raw.pointee)
    if isBroadcastForm(form) {
      (source, fit) = (nil, nil)
      return picture
    }
    if form != source { try open(form) }
    guard let fit, let scaler else {
      throw AVFailure(call: "sws_getContext", code: bunny_error_invalid_data)
    }
    let part = Frame()
    try check("av_frame_ref", av_frame_ref(part.raw, picture.raw))
    try part.raw.cut(to: fit.source)
    let frame = pool.frame()
    if fit.target.width < width || fit.target.height < height { frame.raw.blacken() }
    try check(
      "sws_scale",
      bunny_sws_scale(scaler, part.raw, frame.raw, Int32(fit.target.x), Int32(fit.target.y)))
    colours?.apply(to: frame.raw, in: fit.target)
    return Picture(moving: frame, time: picture.time)
  }

  /// Where in the frame the last picture went; bars are outside.
  package var area: PictureFit.Rectangle {
    guard let target = fit?.target else {
      return PictureFit.Rectangle(x: 0, y: 0, width: size.width, height: size.height)
    }
    return turn.turned(target, of: (width, height))
  }

  /// What there is to show before the first picture that can be converted.
  package func black(at time: MonotonicTime) -> Picture {
    let frame = PicturePool(width: size.width, height: size.height).frame()
    frame.raw.blacken()
    return Picture(moving: frame, time: time)
  }

  private func isBroadcastForm(_ form: Form) -> Bool {
    form.width == width && form.height == height && form.format == AV_PIX_FMT_YUV420P.rawValue
      && !form.isFullRange && form.matrix == SWS_CS_ITU709 && form.pixelAspect == 1
  }

  private func open(_ form: Form) throws(AVFailure) {
    let fit = PictureFit(
      picture: (Int(form.width), Int(form.height), form.pixelAspect),
      frame: (width, height), fill: fill)
    sws_freeContext(scaler)
    (scaler, source) = (nil, nil)  // a form that is refused leaves nothing behind
    // A negative filter tap at full chroma resolution: the picture stays sharp and its colours true.
    let flags =
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_FULL_CHR_H_INT
    scaler = sws_getContext(
      Int32(fit.source.width), Int32(fit.source.height), AVPixelFormat(form.format),
      Int32(fit.target.width), Int32(fit.target.height), AV_PIX_FMT_YUV420P, flags, nil, nil, nil)
    guard scaler != nil else {
      throw AVFailure(call: "sws_getContext", code: bunny_error_invalid_data)
    }
    colours = form.matrixToBroadcast
    // Formats without a matrix of their own (RGB) do not care; a refusal changes nothing.
    let isDone = colours == nil
    _ = sws_setColorspaceDetails(
      scaler, sws_getCoefficients(isDone ? form.matrix : SWS_CS_ITU709),
      isDone && form.isFullRange ? 1 : 0, sws_getCoefficients(SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16
    )
    self.fit = fit
    source = form
  }
}

/// What decides how to convert: as long as it stays, so does the scaler.
private struct Form: Equatable {
  let width: Int32
  let height: Int32
  let format: Int32
  let isFullRange: Bool
  let matrix: Int32
  let pixelAspect: Double
}

extension Form {
  /// Untagged colours are 601 below 720 lines and for JPEG, 709 otherwise; and limited, but for JPEG.
  fileprivate init(_ frame: AVFrame) {
    let format = AVPixelFormat(frame.format)
    let isJPEG = Self.jpegFormats[format.rawValue] != nil
    let isFullRange = isJPEG || frame.color_range == AVCOL_RANGE_JPEG
    let matrix: Int32 =
      switch frame.colorspace {
      case AVCOL_SPC_BT709: SWS_CS_ITU709
      case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: SWS_CS_ITU601
      case AVCOL_SPC_SMPTE240M: SWS_CS_SMPTE240M
      case AVCOL_SPC_FCC: SWS_CS_FCC
      case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: SWS_CS_BT2020
      default: isJPEG || frame.height < 720 ? SWS_CS_ITU601 : SWS_CS_ITU709
      }
    let aspect = frame.sample_aspect_ratio
    self.init(
      width: frame.width, height: frame.height,
      format: Self.jpegFormats[format.rawValue] ?? format.rawValue, isFullRange: isFullRange,
      matrix: matrix,
      pixelAspect: aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1)
  }

  /// nil where libswscale does it as well: RGB, grey, and what has the broadcast's colours.
  fileprivate var matrixToBroadcast: ColourMatrix? {
    guard let layout = av_pix_fmt_desc_get(AVPixelFormat(format)),
      layout.pointee.nb_components == 3,
      layout.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) == 0
    else { return nil }
    let weights: ColourMatrix.Weights =
      switch matrix {
      case SWS_CS_ITU709: .bt709
      case SWS_CS_SMPTE240M: .smpte240m
      case SWS_CS_FCC: .fcc
      case SWS_CS_BT2020: .bt2020
      default: .bt601
      }
    return ColourMatrix(from: weights, isFullRange: isFullRange)
  }

  /// FFmpeg's old names for full range, which libswscale grumbles about, and today's.
  private static let jpegFormats = [
    AV_PIX_FMT_YUVJ420P.rawValue: AV_PIX_FMT_YUV420P.rawValue,
    AV_PIX_FMT_YUVJ422P.rawValue: AV_PIX_FMT_YUV422P.rawValue,
    AV_PIX_FMT_YUVJ444P.rawValue: AV_PIX_FMT_YUV444P.rawValue,
    AV_PIX_FMT_YUVJ440P.rawValue: AV_PIX_FMT_YUV440P.rawValue,
    AV_PIX_FMT_YUVJ411P.rawValue: AV_PIX_FMT_YUV411P.rawValue,
  ]
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

  /// Makes the whole frame black.
  fileprivate func blacken() {
    for (index, value) in [(0, UInt8(16)), (1, 128), (2, 128)] {
      let plane = plane(index)
      plane.bytes.update(repeating: value, count: plane.stride * plane.height)
    }
  }
}
