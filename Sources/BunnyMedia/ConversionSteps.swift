import BunnySystem
import CBunnyFFmpeg
import CBunnyShims
import CBunnyYUV

/// What is done to a picture, in this order, so that as few samples as can be are touched.
package enum ConversionOrder: Equatable {
  /// The size is right: colours in one pass.
  case colours
  /// The size and the colours are right; only the samples lie otherwise.
  case moved
  /// It is enlarged: colours before that.
  case coloursScaled
  case scaledColours
  case scaled

  /// - Parameters:
  ///   - isRead: its samples lie as one of ours do (`bunny_layout`), and not only as libswscale knows.
  ///   - isColourRight: libswscale makes the broadcast's colours of it on the way, if at all.
  package init(_ fit: PictureFit, isRead: Bool, isColourRight: Bool) {
    let (source, target) = (fit.source, fit.target)
    self =
      switch isColourRight {
      case true where isRead && source.hasSize(of: target): .moved
      case true: .scaled
      case false where isRead && source.hasSize(of: target): .colours
      case false where isRead && source.pixels < target.pixels: .coloursScaled
      case false: .scaledColours
      }
  }
}

extension PictureFit.Rectangle {
  fileprivate var pixels: Int { width * height }
  fileprivate func hasSize(of other: Self) -> Bool {
    width == other.width && height == other.height
  }
}

/// Does to pictures of one form what makes them the broadcast's. Belongs to one thread.
final class ConversionSteps {
  private let fit: PictureFit
  private let order: ConversionOrder
  private let layout: bunny_layout
  private let colours: ColourMatrix?
  private var scaler: PictureScaler?
  /// Where colours are converted first.
  private var between: PicturePool?

  /// - Throws: ``AVFailure`` for a format that libswscale cannot read.
  init(_ form: PictureForm, _ fit: PictureFit) throws(AVFailure) {
    colours = form.matrixToBroadcast
    order = ConversionOrder(fit, isRead: form.layout != nil, isColourRight: colours == nil)
    self.fit = fit
    layout = form.layout ?? bunny_layout_420
    switch order {
    case .colours, .moved: break
    case .scaled: scaler = try PictureScaler(form, fit, convertingColours: true)
    case .scaledColours: scaler = try PictureScaler(form, fit, convertingColours: false)
    case .coloursScaled:
      let pool = PicturePool(width: fit.source.width, height: fit.source.height)
      let whole = PictureFit.Rectangle(
        x: 0, y: 0, width: fit.source.width, height: fit.source.height)
      scaler = try PictureScaler(
        PictureForm(pool.next(at: .distantFuture).raw),
        PictureFit(source: whole, target: fit.target), convertingColours: false)
      between = pool
    }
  }

  /// - Parameter target: 8-bit 4:2:0; only what is to be seen of the picture is written.
  func convert(_ picture: Picture, into target: UnsafeMutablePointer<AVFrame>) throws(AVFailure) {
    let source = picture.raw
    let place = target.planes(bunny_layout_420, in: fit.target)
    let seen = (width: fit.target.width, height: fit.target.height)
    switch order {
    case .colours:
      colours?.convert(source.planes(layout, in: fit.source), layout, to: place, size: seen)
    case .moved:
      layout.move(source.planes(layout, in: fit.source), to: place, size: seen)
    case .scaled:
      try scaler?.scale(source, into: target)
    case .scaledColours:
      try scaler?.scale(source, into: target)
      colours?.convert(place, bunny_layout_420, to: place, size: seen)
    case .coloursScaled:
      guard let frame = between?.next(at: picture.time).raw else { return }
      let (width, height) = (fit.source.width, fit.source.height)
      colours?.convert(
        source.planes(layout, in: fit.source), layout,
        to: frame.planes(
          bunny_layout_420, in: PictureFit.Rectangle(x: 0, y: 0, width: width, height: height)),
        size: (width, height))
      try scaler?.scale(frame, into: target)
    }
  }
}

extension bunny_layout {
  /// Lays samples down as planar 4:2:0, in one pass and as they are.
  fileprivate func move(
    _ from: bunny_planes, to: bunny_planes, size: (width: Int, height: Int)
  ) {
    let (width, height) = (Int32(size.width), Int32(size.height))
    let strides = (Int32(from.y_stride), Int32(from.u_stride), Int32(from.v_stride))
    let new = (Int32(to.y_stride), Int32(to.u_stride), Int32(to.v_stride))
    switch self {
    case bunny_layout_422:
      I422ToI420(
        from.y, strides.0, from.u, strides.1, from.v, strides.2, to.y, new.0, to.u, new.1, to.v,
        new.2, width, height)
    case bunny_layout_nv12:
      NV12ToI420(
        from.y, strides.0, from.u, strides.1, to.y, new.0, to.u, new.1, to.v, new.2, width, height)
    case bunny_layout_nv21:
      NV21ToI420(
        from.y, strides.0, from.u, strides.1, to.y, new.0, to.u, new.1, to.v, new.2, width, height)
    case bunny_layout_yuyv:
      YUY2ToI420(from.y, strides.0, to.y, new.0, to.u, new.1, to.v, new.2, width, height)
    case bunny_layout_uyvy:
      UYVYToI420(from.y, strides.0, to.y, new.0, to.u, new.1, to.v, new.2, width, height)
    default:
      I420Copy(
        from.y, strides.0, from.u, strides.1, from.v, strides.2, to.y, new.0, to.u, new.1, to.v,
        new.2, width, height)
    }
  }
}
