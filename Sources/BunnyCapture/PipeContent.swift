import BunnyMedia
import BunnySystem

/// Makes pictures of the bytes that another program delivers.
protocol PipeContent {
  /// - Returns: the pictures that are whole by now.
  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Picture]
  /// When to call ``paused()``, if nothing comes until then.
  var pause: MonotonicTime? { get }
  mutating func paused() -> [Picture]
  /// Nothing follows.
  mutating func end() -> [Picture]
}

/// H.264 in Annex B.
struct H264Content: PipeContent {
  private var cutter = AnnexBCutter()
  private let decoder: Decoder
  private let onError: @Sendable () -> Void
  private(set) var pause: MonotonicTime?

  /// A picture that is held back until the next one begins is not stamped earlier than this: its place
  /// in the broadcast would be taken.
  private static let longestHold: Int64 = .milliseconds(100)

  init(onError: @escaping @Sendable () -> Void) throws(AVFailure) {
    self.onError = onError
    decoder = try Decoder(annexB: onError)
  }

  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Picture] {
    let faults = cutter.faults
    let units = cutter.take(bytes, at: now)
    for _ in faults..<cutter.faults { onError() }
    pause = now + AnnexBCutter.pause
    return units.flatMap(pictures)
  }

  mutating func paused() -> [Picture] {
    pause = nil
    return cutter.paused().map(pictures) ?? []
  }

  mutating func end() -> [Picture] {
    let last = cutter.end().map(pictures) ?? []
    return last + decoder.pictures(nil, stampedAt: last.last?.time ?? .now)
  }

  private func pictures(_ unit: AnnexBCutter.Unit) -> [Picture] {
    let time = max(unit.time, .now + -Self.longestHold)
    return decoder.pictures(Packet(copying: unit.bytes), stampedAt: time)
  }
}

/// Frame after frame in one form, nothing between them.
struct RawContent: PipeContent {
  private let form: FrameForm
  private let frameBytes: Int
  private let onError: @Sendable () -> Void
  private var pending: [UInt8] = []
  private var began = MonotonicTime(nanoseconds: 0)
  let pause: MonotonicTime? = nil

  init(_ form: FrameForm, onError: @escaping @Sendable () -> Void) {
    (self.form, self.onError) = (form, onError)
    frameBytes = form.byteCount ?? 1
    pending.reserveCapacity(frameBytes)
  }

  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Picture] {
    var bytes = bytes
    var pictures: [Picture] = []
    while !bytes.isEmpty {
      if pending.isEmpty { began = now }
      let part = bytes.prefix(frameBytes - pending.count)
      pending += part
      bytes = bytes.dropFirst(part.count)
      guard pending.count == frameBytes else { break }
      let (form, time) = (form, began)
      let picture = pending.withUnsafeMutableBufferPointer {
        Picture.copied($0.baseAddress!, count: $0.count, form, time: time)
      }
      if let picture { pictures.append(picture) } else { onError() }
      pending.removeAll(keepingCapacity: true)
    }
    return pictures
  }

  func paused() -> [Picture] { [] }

  mutating func end() -> [Picture] {
    if !pending.isEmpty { onError() }
    pending = []
    return []
  }
}
