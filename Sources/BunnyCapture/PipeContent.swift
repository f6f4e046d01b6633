import BunnyMedia
import BunnySystem

/// Fills what it can of the memory that it is given, and returns how many bytes.
typealias PipeRead = (UnsafeMutableRawBufferPointer) -> Int

/// Makes pictures of the bytes that another program delivers. Belongs to one thread.
protocol PipeContent: AnyObject {
  /// Has bytes read to where they are wanted.
  ///
  /// - Returns: how many.
  func take(at now: MonotonicTime, _ read: PipeRead) -> Int
  /// The next picture that is whole by now.
  func next() -> Captured?
  /// When to call ``paused()``, if nothing comes until then.
  var pause: MonotonicTime? { get }
  func paused()
  /// Nothing follows.
  func end()
}

/// H.264 in Annex B.
final class H264Content: PipeContent {
  private var cutter = AnnexBCutter()
  private var input: CodedInput
  private let onError: @Sendable () -> Void
  private(set) var pause: MonotonicTime?
  private var space = [UInt8](repeating: 0, count: 1 << 18)
  private var pictures: [Captured] = []

  /// A picture that is held back until the next one begins is not stamped earlier than this: its place
  /// in the broadcast would be taken.
  private static let longestHold: Int64 = .milliseconds(100)

  init(passthrough: Bool, onError: @escaping @Sendable () -> Void) throws(AVFailure) {
    self.onError = onError
    input = try CodedInput(passthrough: passthrough, onError: onError)
  }

  func take(at now: MonotonicTime, _ read: PipeRead) -> Int {
    let count = space.withUnsafeMutableBytes(read)
    let faults = cutter.faults
    cutter.take(space[..<count], at: now) { add($0, $1) }
    for _ in faults..<cutter.faults { onError() }
    if count > 0 { pause = now + AnnexBCutter.pause }
    return count
  }

  func next() -> Captured? { pictures.isEmpty ? nil : pictures.removeFirst() }

  func paused() {
    pause = nil
    cutter.paused { add($0, $1) }
  }

  func end() {
    cutter.end { add($0, $1) }
    input.end(into: &pictures)
  }

  private func add(_ unit: UnsafeBufferPointer<UInt8>, _ time: MonotonicTime) {
    input.take(unit, at: max(time, .now + -Self.longestHold), into: &pictures)
  }
}

/// Frame after frame in one form, nothing between them.
final class RawContent: PipeContent {
  private let form: FrameForm
  private let frameBytes: Int
  private let onError: @Sendable () -> Void
  private var memory: PipeMemory
  let pause: MonotonicTime? = nil

  init(_ form: FrameForm, onError: @escaping @Sendable () -> Void) {
    (self.form, self.onError) = (form, onError)
    frameBytes = form.byteCount ?? 1
    memory = PipeMemory(capacity: frameBytes)
  }

  func take(at now: MonotonicTime, _ read: PipeRead) -> Int {
    memory.fill(atMost: frameBytes - memory.count, at: now, read)
  }

  func next() -> Captured? {
    guard memory.count == frameBytes else { return nil }
    if let picture = memory.lend(frameBytes, form) { return .picture(picture) }
    onError()
    return nil
  }

  func paused() {}

  func end() {
    if memory.count > 0 { onError() }
    memory.drop(memory.count)
  }
}
