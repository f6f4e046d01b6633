package import BunnyMedia
import BunnySystem

/// Pictures that another program delivers, on standard input or through a FIFO. They are stamped when
/// their first byte comes: neither H.264 nor raw frames say when they were taken.
///
/// `next()` belongs to one thread. A FIFO whose writer has gone waits for another one; standard input
/// that is over stays so.
package final class PipeCamera: CodedPictureSource, @unchecked Sendable {
  // Only `wake` and `isCancelled` are touched by other threads than the capture thread.

  /// What comes from one writer.
  private struct Opened {
    let pipe: Pipe
    var content: any PipeContent
  }

  private let path: String?
  private let name: String
  private let form: PipeForm
  private let passthrough: Bool
  private let context: SourceContext
  private var opened: Opened?
  private var patience: PipePatience
  private var pictures: ArraySlice<Captured> = []
  /// What is to be said once `pictures` are handed out.
  private var ending: PipeProblem?
  private var space = [UInt8](repeating: 0, count: 1 << 18)
  private static let lookPause: Int64 = .seconds(1)
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  /// Opens nothing yet.
  ///
  /// - Parameter path: of a FIFO; nil: standard input.
  /// - Throws: ``SourceError/pipe(_:_:)`` for settings that cannot be.
  package init(
    _ path: String?, _ settings: CameraSettings, _ context: SourceContext
  ) throws(SourceError) {
    (self.path, passthrough, self.context) = (path, settings.passthrough, context)
    name = path.map { "pipe:\($0)" } ?? "standard input"
    patience = PipePatience(at: .now, isFIFO: path != nil)
    do throws(PipeProblem) { form = try PipeForm(settings) } catch { throw .pipe(name, error) }
  }

  /// Opens it, unless it is open; waits for nobody. Belongs to the capture thread, or to whoever has not
  /// handed it over yet.
  package func open() throws(SourceError) {
    guard opened == nil else { return }
    do throws(PipeProblem) {
      opened = Opened(pipe: try openPipe(), content: try content())
    } catch { throw .pipe(name, error) }
    patience.begin(at: .now)
  }

  private func openPipe() throws(PipeProblem) -> Pipe {
    guard let path else { return try Pipe() }
    return try Pipe(path) { context.notice("\(path) was not there: the FIFO was made") }
  }

  private func content() throws(PipeProblem) -> any PipeContent {
    switch form {
    case .raw(let form): return RawContent(form, onError: context.decodeError)
    case .jpeg(let form): return JPEGContent(form, onError: context.decodeError)
    case .h264:
      do {
        return try H264Content(passthrough: passthrough, onError: context.decodeError)
      } catch {
        throw .closed(reason: "\(error)")
      }
    }
  }

  package func next() throws -> Picture? { try nextDecoded() }

  package func nextCaptured() throws -> Captured? {
    try open()
    while !isCancelled.isSet {
      if let picture = pictures.popFirst() { return picture }
      if let ending { throw SourceError.pipe(name, left(ending)) }
      guard let opened else { break }
      let look: MonotonicTime = path == nil ? .distantFuture : .now + Self.lookPause
      let deadline = min(patience.deadline, opened.content.pause ?? .distantFuture, look)
      switch opened.pipe.wait(for: wake, until: deadline) {
      case .woken: return nil
      case .bytes: try read(opened.pipe)
      case .timeout:
        try lookAtPath()
        try lookAtClock()
      }
    }
    return nil
  }

  package func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }

  private func read(_ pipe: Pipe) throws(SourceError) {
    let count = pipe.read(into: &space)
    guard count > 0 else { return try end() }
    let now = MonotonicTime.now
    patience.bytesCame(at: now)
    take(opened?.content.take(space[..<count], at: now), at: now)
    try lookAtClock()  // bytes that hold nothing may come without a pause
  }

  /// A FIFO that was taken away, or replaced, is made or opened anew.
  private func lookAtPath() throws(SourceError) {
    guard let path, let pipe = opened?.pipe, !pipe.isStill(at: path) else { return }
    opened = nil
    try open()
  }

  private func lookAtClock() throws(SourceError) {
    let now = MonotonicTime.now
    if let pause = opened?.content.pause, now >= pause { take(opened?.content.paused(), at: now) }
    guard pictures.isEmpty, let problem = patience.problem(at: now) else {
      return
    }
    throw .pipe(name, left(problem))
  }

  private func take(_ new: [Captured]?, at now: MonotonicTime) {
    guard let new, !new.isEmpty else { return }
    patience.pictureCame(at: now)
    pictures += new
  }

  /// Its writer has gone.
  private func end() throws(SourceError) {
    take(opened?.content.end(), at: .now)
    guard path != nil else {
      ending = .ended
      return
    }
    ending = .writerGone
    // Opened before the old one is closed, so that a new writer always finds a reader.
    let before = opened
    opened = nil
    defer { withExtendedLifetime(before) {} }
    try open()
  }

  /// It is waited for from now on.
  private func left(_ problem: PipeProblem) -> PipeProblem {
    patience.lost()
    if problem != .ended { ending = nil }
    return problem
  }
}
