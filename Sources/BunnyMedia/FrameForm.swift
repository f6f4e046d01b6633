import CBunnyFFmpeg

/// How a frame that is not encoded lies in a device's memory, and what its samples mean.
package struct FrameForm: Equatable, Sendable {
  /// FFmpeg's name of the pixel format, or ``jpeg``.
  package var format: String
  /// Pixels.
  package var width: Int
  package var height: Int
  /// Bytes from one row of the first plane to the next; 0: rows touch.
  package var stride: Int
  package var colour: FrameColour
  package var isInterlaced = false

  package init(_ format: String, width: Int, height: Int, stride: Int = 0, _ colour: FrameColour) {
    self.format = format
    self.width = width
    self.height = height
    self.stride = stride
    self.colour = colour
  }

  /// Each frame is a JPEG picture, of whatever size it says itself.
  package static let jpeg = "jpeg"
  package var isJPEG: Bool { format == Self.jpeg }

  /// Bytes that a whole frame takes; nil for a form that cannot be, and for JPEG.
  package var byteCount: Int? {
    var frame = AVFrame()
    guard frame.lay(self, at: nil) else { return nil }
    var sizes = [Int](repeating: 0, count: 4)
    var lines = [
      Int(frame.linesize.0), Int(frame.linesize.1), Int(frame.linesize.2), Int(frame.linesize.3),
    ]
    guard
      av_image_fill_plane_sizes(&sizes, AVPixelFormat(frame.format), frame.height, &lines) >= 0
    else { return nil }
    return sizes.reduce(0, +)
  }
}

/// What a device's samples mean.
package struct FrameColour: Equatable, Sendable {
  package enum Matrix: Sendable { case bt601, bt709, bt2020, smpte240m }
  /// nil: nobody says.
  package var matrix: Matrix?
  /// 0 to 255, not 16 to 235.
  package var isFullRange: Bool

  package init(_ matrix: Matrix?, isFullRange: Bool) {
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  /// What JPEG means by itself.
  package static let jpeg = FrameColour(.bt601, isFullRange: true)
}

extension AVFrame {
  /// Says what the frame is; its planes lie at `bytes`, one behind the other.
  ///
  /// - Returns: false for a form that cannot be.
  mutating func lay(_ form: FrameForm, at bytes: UnsafeMutablePointer<UInt8>?) -> Bool {
    let pixels = av_get_pix_fmt(form.format)
    let size = PictureSizeLimit.allows(form.width, form.height)
    guard pixels != AV_PIX_FMT_NONE, size else { return false }
    format = pixels.rawValue
    (width, height) = (Int32(form.width), Int32(form.height))
    tag(form.colour)
    interlaced_frame = form.isInterlaced ? 1 : 0
    return layPlanes(pixels, stride: Int32(form.stride), at: bytes)
  }

  /// Makes it hold a JPEG picture as it is: one plane without a pixel format, in one row.
  mutating func holdJPEG(
    _ form: FrameForm, _ bytes: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    format = AV_PIX_FMT_NONE.rawValue
    (width, height) = (Int32(form.width), Int32(form.height))
    tag(form.colour)
    data.0 = bytes
    linesize.0 = Int32(count)
  }

  mutating func tag(_ colour: FrameColour) {
    color_range = colour.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    colorspace =
      switch colour.matrix {
      case .bt601: AVCOL_SPC_SMPTE170M
      case .bt709: AVCOL_SPC_BT709
      case .bt2020: AVCOL_SPC_BT2020_NCL
      case .smpte240m: AVCOL_SPC_SMPTE240M
      case nil: AVCOL_SPC_UNSPECIFIED
      }
  }

  private mutating func layPlanes(
    _ pixels: AVPixelFormat, stride: Int32, at bytes: UnsafeMutablePointer<UInt8>?
  ) -> Bool {
    var lines: [Int32] = [0, 0, 0, 0]
    guard av_image_fill_linesizes(&lines, pixels, width) >= 0, lines[0] > 0 else { return false }
    if stride > lines[0] {
      // The other planes' rows are longer by the same part: V4L2 has one stride for all of them.
      lines = lines.map { Int32(Int64($0) * Int64(stride) / Int64(lines[0])) }
    }
    linesize = (lines[0], lines[1], lines[2], lines[3], 0, 0, 0, 0)
    var planes: [UnsafeMutablePointer<UInt8>?] = [nil, nil, nil, nil]
    guard av_image_fill_pointers(&planes, pixels, height, bytes, &lines) >= 0 else { return false }
    data = (planes[0], planes[1], planes[2], planes[3], nil, nil, nil, nil)
    return true
  }
}

/// Sizes beyond which a driver's or a JPEG's word is not believed.
enum PictureSizeLimit {
  static func allows(_ width: Int, _ height: Int) -> Bool {
    (1...16384).contains(width) && (1...16384).contains(height)
  }
}
