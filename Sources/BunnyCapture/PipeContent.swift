import BunnyMedia
import BunnySystem

/// Makes pictures of the bytes that another program delivers.
protocol PipeContent {
  /// - Returns: the pictures that are whole by now.
  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Captured]
  /// When to call ``paused()``, if nothing comes until then.
  var pause: MonotonicTime? { get }
  mutating func paused() -> [Captured]
  /// Nothing follows.
  mutating func end() -> [Captured]
}

/// H.264 in Annex B.
struct H264Content: PipeContent {
  private var cutter = AnnexBCutter()
  private var input: CodedInput
  private let onError: @Sendable () -> Void
  private(set) var pause: MonotonicTime?

  /// A picture that is held back until the next one begins is not stamped earlier than this: its place
  /// in the broadcast would be taken.
  private static let longestHold: Int64 = .milliseconds(100)

  init(passthrough: Bool, onError: @escaping @Sendable () -> Void) throws(AVFailure) {
    self.onError = onError
    input = try CodedInput(passthrough: passthrough, onError: onError)
  }

  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Captured] {
    let faults = cutter.faults
    let units = cutter.take(bytes, at: now)
    for _ in faults..<cutter.faults { onError() }
    pause = now + AnnexBCutter.pause
    return units.flatMap { pictures($0) }
  }

  mutating func paused() -> [Captured] {
    pause = nil
    return cutter.paused().map { pictures($0) } ?? []
  }

  mutating func end() -> [Captured] {
    (cutter.end().map { pictures($0) } ?? []) + input.end()
  }

  private mutating func pictures(_ unit: AnnexBCutter.Unit) -> [Captured] {
    let time = max(unit.time, .now + -Self.longestHold)
    return input.take(unit.bytes, at: time)
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

  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Captured] {
    var bytes = bytes
    var pictures: [Captured] = []
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
      if let picture { pictures.append(.picture(picture)) } else { onError() }
      pending.removeAll(keepingCapacity: true)
    }
    return pictures
  }

  func paused() -> [Captured] { [] }

  mutating func end() -> [Captured] {
    if !pending.isEmpty { onError() }
    pending = []
    return []
  }
}
