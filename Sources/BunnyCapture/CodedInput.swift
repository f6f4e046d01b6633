import BunnyMedia
import BunnySystem

/// H.264 picture by picture, as a camera or another program delivers it: decoded, or handed on as it is.
struct CodedInput {
  private enum Way {
    case decode(Decoder)
    case pass(AccessUnitReader)
  }

  private let way: Way
  private let onError: @Sendable () -> Void
  /// There was a keyframe.
  private var hasBegun = false

  init(passthrough: Bool, onError: @escaping @Sendable () -> Void) throws(AVFailure) {
    self.onError = onError
    way = passthrough ? .pass(try AccessUnitReader()) : .decode(try Decoder(annexB: onError))
  }

  /// - Parameters:
  ///   - bytes: all of one picture.
  ///   - captured: gets what comes of it; nothing comes of what is before the first keyframe, which is counted.
  mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, at time: MonotonicTime, into captured: inout [Captured]
  ) {
    switch way {
    case .decode(let decoder):
      for picture in decoder.pictures(Packet(copying: bytes), stampedAt: time) {
        captured.append(.picture(picture))
      }
    case .pass(let reader):
      let unit = reader.read(bytes, at: time)
      hasBegun = hasBegun || unit.facts.isKeyframe
      if hasBegun { captured.append(.coded(unit)) } else { onError() }
    }
  }

  /// One is missing, as its number tells whoever is handed what follows.
  func miss() {
    if case .pass(let reader) = way { reader.skip() }
  }

  /// Nothing follows.
  func end() -> [Captured] {
    guard case .decode(let decoder) = way else { return [] }
    return decoder.pictures(nil, stampedAt: .now).map { .picture($0) }
  }
}
