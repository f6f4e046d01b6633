package import BunnySystem
import CBunnyFFmpeg
import CBunnyShims

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
  /// Of what is converted and turned, some rows at a time.
  private var bands: PicturePool
  /// Of pictures of the last form that was to be converted.
  private var way: (form: PictureForm, fit: PictureFit, steps: ConversionSteps)?
  private lazy var jpeg = JPEGDecoder()

  /// - Parameters:
  ///   - width: pixels, even.
  ///   - height: pixels, even.
  public init(width: Int, height: Int, fill: PictureFit.Fill) {
    size = (width, height)
    (self.width, self.height) = size
    self.fill = fill
    pool = PicturePool(width: width, height: height)
    bands = PicturePool(width: width, height: Self.bandHeight)
  }

  /// - Parameter turn: the picture is fitted into a frame that is turned back, and turned then: scaling costs
  ///   what it always does, and bars lie where they would without.
  /// - Returns: `picture` itself where nothing is to be done.
  /// - Throws: ``AVFailure`` for a format that libswscale cannot read, and what says why a JPEG cannot be
  ///   decoded.
  public func convert(_ picture: Picture, turned turn: PictureTurn = .none) throws -> Picture {
    if turn != self.turn { prepare(for: turn) }
    let picture = picture.isJPEG ? try decode(picture) : picture
    guard try findWay(for: picture) else { return turner?.turned(picture) ?? picture }
    guard let way else { preconditionFailure("no way to convert it") }
    if let turner, way.steps.goesByRows { return turned(picture, way.fit, way.steps, turner) }
    let result = pool.next(at: picture.time)
    try way.steps.convert(picture, into: result.raw)
    // Afterwards, as libswscale writes eight pixels at a time, and some beyond its place.
    result.raw.blacken(outside: way.fit.target)
    return turner?.turned(result) ?? result
  }

  /// Rows are turned as soon as they are converted, while the processor has them at hand.
  private func turned(
    _ picture: Picture, _ fit: PictureFit, _ steps: ConversionSteps, _ turner: PictureTurner
  ) -> Picture {
    let result = turner.next(at: picture.time)
    result.raw.blacken(outside: turn.turned(fit.target, of: (width, height)))
    let band = bands.next(at: picture.time).raw
    for top in stride(from: 0, to: fit.target.height, by: Self.bandHeight) {
      let rows = top..<min(top + Self.bandHeight, fit.target.height)
      steps.convert(picture, rows: rows, into: band)
      var part = fit.target
      (part.y, part.height) = (part.y + top, rows.count)
      turner.turn(band, part, of: (width, height), into: result)
    }
    return result
  }

  /// Rows that are converted and turned at a time: 120 KB at 1280 pixels.
  private static let bandHeight = 64

  private func prepare(for turn: PictureTurn) {
    (width, height) = turn.turnedBack(width: size.width, height: size.height)
    pool = PicturePool(width: width, height: height)
    bands = PicturePool(width: width, height: Self.bandHeight)
    turner = turn == .none ? nil : PictureTurner(turn, width: size.width, height: size.height)
    (way, self.turn) = (nil, turn)
  }

  private func decode(_ picture: Picture) throws -> Picture {
    try jpeg.decode(picture) { [width, height, fill] in
      PictureFit(picture: ($0, $1, 1), frame: (width, height), fill: fill).divisor
    }
  }

  /// - Returns: false where nothing is to be converted.
  private func findWay(for picture: Picture) throws(AVFailure) -> Bool {
    let form = PictureForm(picture.raw)
    if isBroadcastForm(form) {
      way = nil
      return false
    }
    if way?.form != form { try findWay(for: form) }
    return true
  }

  private func findWay(for form: PictureForm) throws(AVFailure) {
    way = nil  // a form that is refused leaves nothing behind
    let fit = PictureFit(
      picture: (Int(form.width), Int(form.height), form.pixelAspect),
      frame: (width, height), fill: fill)
    way = (form, fit, try ConversionSteps(form, fit))
  }

  private func isBroadcastForm(_ form: PictureForm) -> Bool {
    form.width == width && form.height == height && form.format == AV_PIX_FMT_YUV420P.rawValue
      && !form.isFullRange && form.matrix == SWS_CS_ITU709 && form.pixelAspect == 1
  }

  /// Where in the frame the last picture went; bars are outside.
  package var area: PictureFit.Rectangle {
    guard let target = way?.fit.target else {
      return PictureFit.Rectangle(x: 0, y: 0, width: size.width, height: size.height)
    }
    return turn.turned(target, of: (width, height))
  }

  /// What there is to show before the first picture that can be converted.
  package func black(at time: MonotonicTime) -> Picture {
    let picture = PicturePool(width: size.width, height: size.height).next(at: time)
    picture.raw.blacken(outside: PictureFit.Rectangle(x: 0, y: 0, width: 0, height: 0))
    return picture
  }
}

extension UnsafeMutablePointer<AVFrame> {
  /// Makes an 8-bit 4:2:0 frame black where `part` is not, whose place and size are even.
  fileprivate func blacken(outside part: PictureFit.Rectangle) {
    for (index, value) in [UInt8(16), 128, 128].enumerated() {
      let plane = plane(index)
      let scale = index == 0 ? 1 : 2
      let (top, bottom) = (part.y / scale, (part.y + part.height) / scale)
      let (left, right) = (part.x / scale, (part.x + part.width) / scale)
      for row in 0..<plane.height {
        let bytes = plane.bytes + row * plane.stride
        if row < top || row >= bottom {
          bytes.update(repeating: value, count: plane.width)
        } else {
          bytes.update(repeating: value, count: left)
          (bytes + right).update(repeating: value, count: plane.width - right)
        }
      }
    }
  }
}
