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
    let content: any PipeContent
  }

  private let path: String?
  private let name: String
  private let form: PipeForm
  private let passthrough: Bool
  private let context: SourceContext
  private var opened: Opened?
  private var patience: PipePatience
  /// Bytes have come since the last picture.
  private var isNews = false
  /// Of the writer before, what is still to be handed out.
  private var ended: (any PipeContent)?
  /// What is to be said then.
  private var ending: PipeProblem?
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
    var picture = nextWhole()
    while picture == nil && !isCancelled.isSet {
      if let ending { throw SourceError.pipe(name, left(ending)) }
      guard let opened else { break }
      let look: MonotonicTime = path == nil ? .distantFuture : .now + Self.lookPause
      let deadline = min(patience.deadline, opened.content.pause ?? .distantFuture, look)
      switch opened.pipe.wait(for: wake, until: deadline) {
      case .woken: return nil
      case .bytes: try read(opened)
      case .timeout: if MonotonicTime.now >= look { try lookAtPath() }
      }
      let now = MonotonicTime.now
      if let content = self.opened?.content, let pause = content.pause, now >= pause {
        content.paused()
      }
      picture = nextWhole()
      // Bytes that hold nothing may come without a pause.
      if picture == nil, ending == nil, let problem = patience.problem(at: now) {
        throw SourceError.pipe(name, left(problem))
      }
    }
    return picture
  }

  private func nextWhole() -> Captured? {
    if let picture = ended?.next() { return picture }
    ended = nil
    guard let picture = opened?.content.next() else { return nil }
    if isNews { patience.pictureCame(at: .now) }
    isNews = false
    return picture
  }

  package func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }

  private func read(_ opened: Opened) throws(SourceError) {
    let now = MonotonicTime.now
    guard opened.content.take(at: now, opened.pipe.read) > 0 else { return try end() }
    patience.bytesCame(at: now)
    isNews = true
  }

  /// A FIFO that was taken away, or replaced, is made or opened anew.
  private func lookAtPath() throws(SourceError) {
    guard let path, let pipe = opened?.pipe, !pipe.isStill(at: path) else { return }
    opened = nil
    try open()
  }

  /// Its writer has gone.
  private func end() throws(SourceError) {
    opened?.content.end()
    guard path != nil else {
      ending = .ended
      return
    }
    ending = .writerGone
    // Opened before the old one is closed, so that a new writer always finds a reader.
    let before = opened
    (ended, opened) = (before?.content, nil)
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
