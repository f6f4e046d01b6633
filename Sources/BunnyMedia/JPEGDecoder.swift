package import BunnySystem
import CBunnyFFmpeg
import CBunnyTurboJPEG

/// Decodes the JPEG frames of a camera, as they are: nothing is converted. Belongs to one thread.
package final class JPEGDecoder {
  private let turbo: tjhandle
  private var pool: PicturePool?

  package init() {
    guard let turbo = tjInitDecompress() else {
      preconditionFailure("tjInitDecompress: out of memory")
    }
    self.turbo = turbo
  }

  deinit { tjDestroy(turbo) }

  /// How many times the agreed pixels a picture may have: some cameras deliver a little more than agreed.
  private static let mostTimes = 2

  /// A frame that is not a whole JPEG picture, and why.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Decodes a picture that is still what a camera delivered.
  ///
  /// - Parameter divisor: of a picture of that many pixels: by how much it may be shrunk.
  func decode(
    _ picture: Picture, divisor: (_ width: Int, _ height: Int) -> Int
  ) throws(Failure) -> Picture {
    var colour = FrameColour.jpeg
    colour.isFullRange = picture.raw.pointee.color_range == AVCOL_RANGE_JPEG
    return try decode(
      UnsafeRawBufferPointer(
        start: picture.raw.pointee.data.0, count: Int(picture.raw.pointee.linesize.0)),
      time: picture.time, colour: colour,
      mostPixels: Self.mostTimes * picture.width * picture.height, divisor: divisor)
  }

  /// - Parameters:
  ///   - bytes: one frame, with what padding the camera has put behind it.
  ///   - colour: what it means; JPEG's own unless somebody knows better.
  ///   - mostPixels: a damaged header may claim any size, and would be given that much memory.
  ///   - divisor: of a picture of that many pixels: by how much it is shrunk, 1, 2, 4 or 8. That costs less
  ///     than nothing: libjpeg-turbo computes fewer samples. At other factors it takes longer than for all.
  package func decode(
    _ bytes: UnsafeRawBufferPointer, time: MonotonicTime, colour: FrameColour = .jpeg,
    mostPixels: Int = .max, divisor: (_ width: Int, _ height: Int) -> Int = { _, _ in 1 }
  ) throws(Failure) -> Picture {
    let count: Int
    do { count = try JPEGScan.length(bytes) } catch {
      throw Failure(description: error.rawValue)
    }
    let data = bytes.bindMemory(to: UInt8.self).baseAddress!
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    guard tjDecompressHeader3(turbo, data, UInt(count), &width, &height, &sampling, &space) == 0
    else { throw Failure(description: words) }
    guard let format = Self.formats[sampling],
      space == TJCS_YCbCr.rawValue || space == TJCS_GRAY.rawValue,
      PictureSizeLimit.allows(Int(width), Int(height)),
      Int(width) * Int(height) <= mostPixels
    else {
      throw Failure(description: "it is \(width)x\(height), in a form of JPEG that is not decoded")
    }
    let part = Int32(divisor(Int(width), Int(height)))
    (width, height) = ((width + part - 1) / part, (height + part - 1) / part)
    let form = FrameForm(format, width: Int(width), height: Int(height), colour)
    if pool?.form != form { pool = PicturePool(form) }
    let picture = pool!.next(at: time)
    try decode(data, count, width, height, into: picture.raw)
    return picture
  }

  private func decode(
    _ data: UnsafePointer<UInt8>, _ count: Int, _ width: Int32, _ height: Int32,
    into frame: UnsafeMutablePointer<AVFrame>
  ) throws(Failure) {
    let code = frame.withPlanes {
      tjDecompressToYUVPlanes(turbo, data, UInt(count), $0, width, $1, height, 0)
    }
    // Some cameras put bytes too many before the end marker (0xd9). They harm nothing; before any other
    // marker, a part of the picture is missing.
    if code != 0 && !words.contains("extraneous bytes before marker 0xd9") {
      throw Failure(description: words)
    }
  }

  private var words: String {
    let text = String(cString: tjGetErrorStr2(turbo))
    return text.split(separator: ": ").last.map(String.init) ?? text
  }

  private static let formats: [Int32: String] = [
    Int32(TJSAMP_444.rawValue): "yuv444p", Int32(TJSAMP_422.rawValue): "yuv422p",
    Int32(TJSAMP_420.rawValue): "yuv420p", Int32(TJSAMP_GRAY.rawValue): "gray",
    Int32(TJSAMP_440.rawValue): "yuv440p", Int32(TJSAMP_411.rawValue): "yuv411p",
  ]
}

extension UnsafeMutablePointer<AVFrame> {
  /// Its planes and their strides, as C's arrays.
  fileprivate func withPlanes<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int32>) ->
      Result
  ) -> Result {
    withUnsafeMutableBytes(of: &pointee.data) { data in
      withUnsafeMutableBytes(of: &pointee.linesize) { strides in
        body(
          data.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self).baseAddress!,
          strides.assumingMemoryBound(to: Int32.self).baseAddress!)
      }
    }
  }
}
