package import BunnyMedia
import CBunnyTurboJPEG

/// Makes JPEGs of pictures, whose levels it takes for JPEG's own: full range, BT.601. Belongs to one
/// thread.
package final class JPEGMaker {
  private let turbo: tjhandle

  package init() {
    guard let turbo = tjInitCompress() else {
      preconditionFailure("tjInitCompress: out of memory")
    }
    self.turbo = turbo
  }

  deinit { tjDestroy(turbo) }

  /// - Parameter quality: 1 to 100, at which a plain picture keeps its levels.
  package func jpeg(_ picture: Picture, quality: Int32 = 85) -> [UInt8] {
    picture.withPlanes { y, u, v in
      var planes: [UnsafePointer<UInt8>?] = [y, u, v].map { UnsafePointer($0.bytes) }
      var strides = [y, u, v].map { Int32($0.stride) }
      var made: UnsafeMutablePointer<UInt8>?
      var count: UInt = 0
      let code = tjCompressFromYUVPlanes(
        turbo, &planes, Int32(y.width), &strides, Int32(y.height), Int32(TJSAMP_420.rawValue),
        &made, &count, quality, 0)
      precondition(code == 0, "tjCompressFromYUVPlanes: \(String(cString: tjGetErrorStr2(turbo)))")
      defer { tjFree(made) }
      return Array(UnsafeBufferPointer(start: made, count: Int(count)))
    }
  }
}
