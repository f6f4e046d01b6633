import CBunnyFFmpeg
import CBunnyShims

/// What decides how to convert a picture: as long as it stays, so does the way.
struct PictureForm: Equatable {
  let width: Int32
  let height: Int32
  /// FFmpeg's pixel format.
  let format: Int32
  let isFullRange: Bool
  let matrix: Int32
  let pixelAspect: Double
}

extension PictureForm {
  /// Untagged colours are 601 below 720 lines and for JPEG, 709 otherwise; and limited, but for JPEG.
  init(_ frame: UnsafeMutablePointer<AVFrame>) {
    let format = frame.pointee.format
    let today = Self.today(format)
    let isJPEG = today != format
    let matrix: Int32 =
      switch frame.pointee.colorspace {
      case AVCOL_SPC_BT709: SWS_CS_ITU709
      case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: SWS_CS_ITU601
      case AVCOL_SPC_SMPTE240M: SWS_CS_SMPTE240M
      case AVCOL_SPC_FCC: SWS_CS_FCC
      case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: SWS_CS_BT2020
      default: isJPEG || frame.pointee.height < 720 ? SWS_CS_ITU601 : SWS_CS_ITU709
      }
    let aspect = frame.pointee.sample_aspect_ratio
    self.init(
      width: frame.pointee.width, height: frame.pointee.height, format: today,
      isFullRange: isJPEG || frame.pointee.color_range == AVCOL_RANGE_JPEG, matrix: matrix,
      pixelAspect: aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1)
  }

  /// FFmpeg's old names for full range, which libswscale grumbles about, and today's.
  private static func today(_ format: Int32) -> Int32 {
    switch AVPixelFormat(format) {
    case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P.rawValue
    case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P.rawValue
    case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P.rawValue
    case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P.rawValue
    case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P.rawValue
    default: format
    }
  }

  /// What goes on being 4:2:0 or 4:2:2 with 8 bits; nil for what only libswscale reads.
  var layout: bunny_layout? {
    switch AVPixelFormat(format) {
    case AV_PIX_FMT_YUV420P: bunny_layout_420
    case AV_PIX_FMT_YUV422P: bunny_layout_422
    case AV_PIX_FMT_NV12: bunny_layout_nv12
    case AV_PIX_FMT_NV21: bunny_layout_nv21
    case AV_PIX_FMT_YUYV422: bunny_layout_yuyv
    case AV_PIX_FMT_UYVY422: bunny_layout_uyvy
    default: nil
    }
  }

  /// nil where libswscale does it as well, RGB and grey, and for what has the broadcast's colours.
  var matrixToBroadcast: ColourMatrix? {
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
}

extension UnsafeMutablePointer<AVFrame> {
  /// Where a part of the picture lies, whose place is even.
  func planes(_ layout: bunny_layout, in part: PictureFit.Rectangle) -> bunny_planes {
    func place(_ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int32, x: Int, y: Int)
      -> UnsafeMutablePointer<UInt8>?
    { plane.map { $0 + y * Int(stride) + x } }
    let isPacked = layout == bunny_layout_yuyv || layout == bunny_layout_uyvy
    let isPlanar = layout == bunny_layout_420 || layout == bunny_layout_422
    let chroma = (
      x: isPlanar ? part.x / 2 : part.x, y: layout == bunny_layout_422 ? part.y : part.y / 2
    )
    let (data, strides) = (pointee.data, pointee.linesize)
    return bunny_planes(
      y: place(data.0, strides.0, x: isPacked ? 2 * part.x : part.x, y: part.y),
      u: place(data.1, strides.1, x: chroma.x, y: chroma.y),
      v: place(data.2, strides.2, x: chroma.x, y: chroma.y),
      y_stride: Int(strides.0), u_stride: Int(strides.1), v_stride: Int(strides.2))
  }
}
