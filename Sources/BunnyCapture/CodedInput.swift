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
  private var packets = PacketPool()
  private var pictures: [Picture] = []  // kept for its memory

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
      hand(decoder, packets.copy(of: bytes), at: time, into: &captured)
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
  mutating func end(into captured: inout [Captured]) {
    if case .decode(let decoder) = way { hand(decoder, nil, at: .now, into: &captured) }
  }

  private mutating func hand(
    _ decoder: Decoder, _ packet: Packet?, at time: MonotonicTime, into captured: inout [Captured]
  ) {
    decoder.pictures(packet, stampedAt: time, into: &pictures)
    for picture in pictures { captured.append(.picture(picture)) }
    pictures.removeAll(keepingCapacity: true)
  }
}
