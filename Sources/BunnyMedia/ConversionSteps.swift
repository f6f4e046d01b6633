import BunnySystem
import CBunnyFFmpeg
package import CBunnyShims
import CBunnyYUV

/// When a picture is scaled, so that as few samples as can be are touched.
package enum ConversionOrder: Equatable {
  /// Its size is right: one pass does the rest.
  case notScaled
  case scaledFirst
  /// It is made 4:2:0 of the broadcast's colours before.
  case scaledLast

  /// - Parameters:
  ///   - layout: nil for what only libswscale reads.
  ///   - isColourRight: its colours are the broadcast's, or libswscale makes them so on the way.
  package init(_ fit: PictureFit, _ layout: bunny_layout?, isColourRight: Bool) {
    let (source, target) = (fit.source, fit.target)
    guard let layout else {
      self = .scaledFirst
      return
    }
    if source.width == target.width && source.height == target.height {
      self = .notScaled
    } else if source.width * source.height < target.width * target.height {
      self = isColourRight ? .scaledFirst : .scaledLast
    } else {
      // 4:2:0 has half of their chroma; and only that is halved at almost no cost.
      let isHeavy = [bunny_layout_422, bunny_layout_yuyv, bunny_layout_uyvy].contains(layout)
      self = isHeavy || fit.isHalving && layout != bunny_layout_420 ? .scaledLast : .scaledFirst
    }
  }
}

/// Does to pictures of one form what makes them the broadcast's. Belongs to one thread.
final class ConversionSteps {
  private let fit: PictureFit
  private let order: ConversionOrder
  private let layout: bunny_layout
  private let colours: ColourMatrix?
  private var scaler: PictureScaler?
  /// Of pictures that are scaled last.
  private var between: PicturePool?

  /// - Throws: ``AVFailure`` for a format that libswscale cannot read.
  init(_ form: PictureForm, _ fit: PictureFit) throws(AVFailure) {
    colours = form.matrixToBroadcast
    order = ConversionOrder(fit, form.layout, isColourRight: colours == nil)
    self.fit = fit
    layout = form.layout ?? bunny_layout_420
    switch order {
    case .notScaled: break
    case .scaledFirst:
      scaler = try PictureScaler(form, fit, convertingColours: colours == nil)
    case .scaledLast:
      let pool = PicturePool(width: fit.source.width, height: fit.source.height)
      scaler = try PictureScaler(
        PictureForm(pool.next(at: .distantFuture).raw),
        PictureFit(source: fit.source.atOrigin, target: fit.target), convertingColours: false)
      between = pool
    }
  }

  /// - Parameter target: 8-bit 4:2:0; only what is to be seen of the picture is written.
  func convert(_ picture: Picture, into target: UnsafeMutablePointer<AVFrame>) throws(AVFailure) {
    switch order {
    case .notScaled: make(picture.raw, fit.source, target, in: fit.target)
    case .scaledFirst:
      try scaler?.scale(picture.raw, into: target)
      let place = target.planes(bunny_layout_420, in: fit.target)
      colours?.convert(
        place, bunny_layout_420, to: place, size: (fit.target.width, fit.target.height))
    case .scaledLast:
      guard let frame = between?.next(at: picture.time).raw else { return }
      make(picture.raw, fit.source, frame, in: fit.source.atOrigin)
      try scaler?.scale(frame, into: target)
    }
  }

  /// Whether some rows can be converted without the others.
  var goesByRows: Bool { order == .notScaled }

  /// Converts some of the rows that are taken of a picture, to the top of `target`.
  ///
  /// - Parameter rows: even ones.
  func convert(_ picture: Picture, rows: Range<Int>, into target: UnsafeMutablePointer<AVFrame>) {
    var part = fit.source
    (part.y, part.height) = (part.y + rows.lowerBound, rows.count)
    make(picture.raw, part, target, in: part.atOrigin)
  }

  /// Makes a part of a picture 4:2:0 of the broadcast's colours, in one pass.
  private func make(
    _ source: UnsafeMutablePointer<AVFrame>, _ taken: PictureFit.Rectangle,
    _ target: UnsafeMutablePointer<AVFrame>, in part: PictureFit.Rectangle
  ) {
    let from = source.planes(layout, in: taken)
    let to = target.planes(bunny_layout_420, in: part)
    let size = (part.width, part.height)
    if let colours {
      colours.convert(from, layout, to: to, size: size)
    } else {
      layout.move(from, to: to, size: size)
    }
  }
}

extension PictureFit.Rectangle {
  var atOrigin: Self { Self(x: 0, y: 0, width: width, height: height) }
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
