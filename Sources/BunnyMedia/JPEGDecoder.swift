package import BunnySystem
import CBunnyFFmpeg
import CBunnyTurboJPEG

/// Decodes the JPEG frames of a camera, as they are: nothing is converted. Belongs to one thread.
package final class JPEGDecoder {
  private let turbo: tjhandle
  private var pool: (form: FrameForm, buffers: BufferPool)?

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
  func decode(_ picture: Picture) throws(Failure) -> Picture {
    let frame = picture.raw.pointee
    var colour = FrameColour.jpeg
    colour.isFullRange = frame.color_range == AVCOL_RANGE_JPEG
    return try decode(
      UnsafeRawBufferPointer(start: frame.data.0, count: Int(frame.linesize.0)),
      time: picture.time, colour: colour,
      mostPixels: Self.mostTimes * Int(frame.width) * Int(frame.height))
  }

  /// - Parameters:
  ///   - bytes: one frame, with what padding the camera has put behind it.
  ///   - colour: what it means; JPEG's own unless somebody knows better.
  ///   - mostPixels: a damaged header may claim any size, and would be given that much memory.
  package func decode(
    _ bytes: UnsafeRawBufferPointer, time: MonotonicTime, colour: FrameColour = .jpeg,
    mostPixels: Int = .max
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
    let form = FrameForm(format, width: Int(width), height: Int(height), colour)
    let frame = frame(form)
    try decode(data, count, width, height, into: frame)
    return Picture(moving: frame, time: time)
  }

  private func decode(
    _ data: UnsafePointer<UInt8>, _ count: Int, _ width: Int32, _ height: Int32,
    into frame: borrowing Frame
  ) throws(Failure) {
    let picture = frame.raw.pointee
    var planes = [picture.data.0, picture.data.1, picture.data.2]
    var strides = [picture.linesize.0, picture.linesize.1, picture.linesize.2]
    let code = tjDecompressToYUVPlanes(
      turbo, data, UInt(count), &planes, width, &strides, height, 0)
    // Some cameras put bytes too many before the end marker (0xd9). They harm nothing; before any other
    // marker, a part of the picture is missing.
    let isWhole = words.contains("extraneous bytes before marker 0xd9")
    if code != 0 && !isWhole { throw Failure(description: words) }
  }

  private var words: String {
    let text = String(cString: tjGetErrorStr2(turbo))
    return text.split(separator: ": ").last.map(String.init) ?? text
  }

  private func frame(_ form: FrameForm) -> Frame {
    // libjpeg-turbo writes whole pairs of samples, also at odd edges.
    var padded = form
    padded.width = (form.width + 31) & ~31
    padded.height = (form.height + 1) & ~1
    if pool?.form != padded {
      pool = (padded, BufferPool(size: (padded.byteCount ?? 0) + 128))
    }
    let frame = Frame()
    let buffer = pool!.buffers.get()
    frame.raw.pointee.buf.0 = buffer
    precondition(frame.raw.pointee.lay(padded, at: buffer.pointee.data))
    (frame.raw.pointee.width, frame.raw.pointee.height) = (Int32(form.width), Int32(form.height))
    return frame
  }

  private static let formats: [Int32: String] = [
    Int32(TJSAMP_444.rawValue): "yuv444p", Int32(TJSAMP_422.rawValue): "yuv422p",
    Int32(TJSAMP_420.rawValue): "yuv420p", Int32(TJSAMP_GRAY.rawValue): "gray",
    Int32(TJSAMP_440.rawValue): "yuv440p", Int32(TJSAMP_411.rawValue): "yuv411p",
  ]
}

/// Owns one `AVBufferPool`: memory that nobody holds any more is used again.
final class BufferPool {
  private let raw: OpaquePointer

  init(size: Int) {
    guard let raw = av_buffer_pool_init(size, nil) else {
      preconditionFailure("av_buffer_pool_init: out of memory")
    }
    self.raw = raw
  }

  deinit {
    var raw: OpaquePointer? = raw  // freed when its last buffer is
    av_buffer_pool_uninit(&raw)
  }

  func get() -> UnsafeMutablePointer<AVBufferRef> {
    guard let buffer = av_buffer_pool_get(raw) else {
      preconditionFailure("av_buffer_pool_get: out of memory")
    }
    return buffer
  }
}
