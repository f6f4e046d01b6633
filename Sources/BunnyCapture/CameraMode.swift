public import BunnyMedia

/// One way of using a camera.
public struct CameraMode: Equatable, Sendable {
  public let format: FourCC
  public let size: PictureSize
  /// Frames a second; nil where the driver does not say.
  public let rate: Timebase?

  package init(_ format: FourCC, _ width: Int, _ height: Int, _ rate: Timebase?) {
    self.format = format
    size = PictureSize(width: width, height: height)
    self.rate = rate
  }

  /// Roughly, of what the camera's bus carries.
  var bitsPerSecond: Double {
    let bitsPerPixel: Double =
      switch format.cost {
      case .coded, .jpeg: 3
      case .planar: 12
      case .other: 24
      case .packed, .grey, nil: 16
      }
    return bitsPerPixel * Double(size.width * size.height) * (rate?.value ?? 30)
  }
}

extension CameraMode: CustomStringConvertible {
  /// `1280x720 MJPG at 30 fps`.
  public var description: String {
    "\(size) \(format)" + (rate.map { " at \($0.decimal) fps" } ?? "")
  }
}
