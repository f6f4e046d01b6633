import BunnyMedia
import CBunnyV4L2
import Glibc

extension V4L2Device {
  /// Sets it up for `mode`.
  ///
  /// - Returns: how its frames lie in memory, and nanoseconds that one lasts. A driver may settle on
  ///   another size or rate than it promised.
  func set(
    _ mode: CameraMode, _ range: CameraSettings.Range
  ) throws(CameraProblem) -> (form: FrameForm, frame: Int64) {
    var format = v4l2_format()
    format.type = captureType
    if isInPlanes {
      format.fmt.pix_mp.width = UInt32(mode.size.width)
      format.fmt.pix_mp.height = UInt32(mode.size.height)
      format.fmt.pix_mp.pixelformat = mode.format.code
      format.fmt.pix_mp.field = V4L2_FIELD_ANY.rawValue
    } else {
      format.fmt.pix.width = UInt32(mode.size.width)
      format.fmt.pix.height = UInt32(mode.size.height)
      format.fmt.pix.pixelformat = mode.format.code
      format.fmt.pix.field = V4L2_FIELD_ANY.rawValue
    }
    let code = ask(bunny_vidioc_s_fmt, &format)
    if code == EINVAL { throw .modeRefused("\(mode)", reason: Self.words(code)) }
    if code != 0 { throw Self.problem("S_FMT", code, path) }
    if isInPlanes && format.fmt.pix_mp.num_planes != 1 {
      throw .modeRefused("\(mode)", reason: "it would lay each frame into several buffers")
    }
    let pixels = pixels(of: format)
    let settled = FourCC(code: pixels.pixelformat)
    guard settled == mode.format else {
      throw .modeRefused("\(mode)", reason: "it is set to \(settled) instead")
    }
    let rate = try set(rate: mode.rate) ?? mode.rate ?? Timebase(30, 1)
    var form = FrameForm(
      mode.format.isJPEG ? FrameForm.jpeg : mode.format.ffmpegName ?? "",
      width: Int(pixels.width), height: Int(pixels.height), stride: Int(pixels.bytesperline),
      FrameColour(pixels, mode.format, range))
    guard !Self.apart.contains(pixels.field) else {
      throw .modeRefused("\(mode)", reason: "it delivers the two fields of a frame one by one")
    }
    form.isInterlaced = Self.interlaced.contains(pixels.field)
    guard form.isJPEG || mode.format.isCodedVideo || form.byteCount != nil else {
      throw .modeRefused("\(mode)", reason: "it is set to \(pixels.width)x\(pixels.height) instead")
    }
    return (form, rate.reciprocal.convert(1, to: .nanoseconds))
  }

  private static let interlaced = [
    V4L2_FIELD_INTERLACED, V4L2_FIELD_INTERLACED_TB, V4L2_FIELD_INTERLACED_BT,
  ].map(\.rawValue)

  private static let apart = [
    V4L2_FIELD_ALTERNATE, V4L2_FIELD_SEQ_TB, V4L2_FIELD_SEQ_BT,
  ].map(\.rawValue)

  /// Of whichever kind it is, as that of one plane.
  func pixels(of format: v4l2_format) -> v4l2_pix_format {
    guard isInPlanes else { return format.fmt.pix }
    let planar = format.fmt.pix_mp
    var pixels = v4l2_pix_format()
    pixels.width = planar.width
    pixels.height = planar.height
    pixels.pixelformat = planar.pixelformat
    pixels.field = planar.field
    pixels.bytesperline = planar.plane_fmt.0.bytesperline
    pixels.colorspace = planar.colorspace
    pixels.ycbcr_enc = UInt32(planar.ycbcr_enc)
    pixels.quantization = UInt32(planar.quantization)
    return pixels
  }

  /// - Returns: the rate it settled on; nil where it has no say in it.
  private func set(rate: Timebase?) throws(CameraProblem) -> Timebase? {
    var parameters = v4l2_streamparm()
    parameters.type = captureType
    guard ask(bunny_vidioc_g_parm, &parameters) == 0 else { return nil }
    let canSet = parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0
    if canSet, let rate {
      parameters.parm.capture.timeperframe.numerator = UInt32(rate.denominator)
      parameters.parm.capture.timeperframe.denominator = UInt32(rate.numerator)
      try call("S_PARM", bunny_vidioc_s_parm, &parameters)
    }
    return Timebase(rateOf: parameters.parm.capture.timeperframe)
  }
}

extension FrameColour {
  /// What the driver says of its samples, by V4L2's rules for what it leaves out, unless `range` knows
  /// better.
  init(_ pixels: v4l2_pix_format, _ format: FourCC, _ range: CameraSettings.Range) {
    self =
      format.isJPEG
      ? .jpeg
      : FrameColour(
        space: pixels.colorspace, encoding: pixels.ycbcr_enc,
        quantization: pixels.quantization, isRGB: format.isRGB)
    if range != .auto { isFullRange = range == .full }
  }

  package init(space: UInt32, encoding: UInt32, quantization: UInt32, isRGB: Bool) {
    let space = v4l2_colorspace(space)
    let matrix: Matrix? =
      switch v4l2_ycbcr_encoding(encoding) {
      case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601: .bt601
      case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: .bt709
      case V4L2_YCBCR_ENC_BT2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM: .bt2020
      case V4L2_YCBCR_ENC_SMPTE240M: .smpte240m
      default: Self.matrix(of: space)
      }
    let isFull =
      switch v4l2_quantization(quantization) {
      case V4L2_QUANTIZATION_FULL_RANGE: true
      case V4L2_QUANTIZATION_LIM_RANGE: false
      default: isRGB || space == V4L2_COLORSPACE_JPEG
      }
    self.init(matrix, isFullRange: isFull)
  }

  private static func matrix(of space: v4l2_colorspace) -> Matrix? {
    switch space {
    case V4L2_COLORSPACE_DEFAULT: nil
    case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_DCI_P3: .bt709
    case V4L2_COLORSPACE_BT2020: .bt2020
    case V4L2_COLORSPACE_SMPTE240M: .smpte240m
    default: .bt601
    }
  }
}
