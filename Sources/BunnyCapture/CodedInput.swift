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

  /// - Parameter bytes: all of one picture.
  /// - Returns: nothing for what comes before the first keyframe, which is counted.
  mutating func take(_ bytes: [UInt8], at time: MonotonicTime) -> [Captured] {
    switch way {
    case .decode(let decoder):
      return decoder.pictures(Packet(copying: bytes), stampedAt: time).map { .picture($0) }
    case .pass(let reader):
      let unit = reader.read(bytes, at: time)
      hasBegun = hasBegun || unit.facts.isKeyframe
      if !hasBegun { onError() }
      return hasBegun ? [.coded(unit)] : []
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
