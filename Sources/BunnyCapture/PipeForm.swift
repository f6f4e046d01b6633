package import BunnyMedia

/// What another program delivers, as the camera's options say it.
package enum PipeForm: Equatable {
  case h264
  /// Frame after frame, nothing between them.
  case raw(FrameForm)
  /// One JPEG after the other.
  case jpeg(FrameForm)

  package init(_ settings: CameraSettings) throws(PipeProblem) {
    guard settings.controls.isEmpty else {
      throw .options("has no controls; leave out --control, or give it to the program that writes")
    }
    guard let format = settings.format, format != "H264" else {
      let others = [
        settings.size.map { _ in "--camera-size" },
        settings.framesPerSecond.map { _ in "--camera-fps" },
        settings.range == .auto ? nil : "--camera-range",
      ].compactMap { $0 }
      if let other = others.first {
        throw .options(
          "is read as H.264, which says that itself; leave out \(other), or give --camera-format "
            + "for raw frames")
      }
      self = .h264
      return
    }
    guard !settings.passthrough else {
      throw .options("of raw frames has nothing to pass through; leave out --passthrough")
    }
    guard let name = format.isJPEG ? FrameForm.jpeg : format.ffmpegName else {
      throw .options(
        "cannot be \(format); it takes H264, MJPG, YU12, NV12, YUYV, UYVY and the like")
    }
    guard let size = settings.size, settings.framesPerSecond != nil else {
      let frames =
        format.isJPEG
        ? "JPEGs do not say their rate, nor their size before they come"
        : "raw frames say neither their size nor their rate"
      throw .options(
        "of \(format) needs \(settings.size == nil ? "--camera-size" : "--camera-fps") too: "
          + frames)
    }
    let isFull = settings.range == .auto ? format.isRGB || format.isJPEG : settings.range == .full
    let matrix = format.isJPEG ? FrameColour.jpeg.matrix : nil
    let form = FrameForm(
      name, width: size.width, height: size.height, FrameColour(matrix, isFullRange: isFull))
    self = format.isJPEG ? .jpeg(form) : .raw(form)
  }
}
