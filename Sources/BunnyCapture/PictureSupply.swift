import BunnyMedia
import BunnySystem
import Synchronization

/// One of those that a broadcast's picture may come from, and how to get it again.
package struct PictureSupply: Sendable {
  /// As `--video` says it, addresses without path and query.
  package let name: String
  /// It is read on when it is not on air: its sound is the broadcast's, or somebody writes it.
  package let staysOpen: Bool
  /// One that is opened by its first `next()`. Beside another one, it is to deliver what it would alone, or
  /// to fail.
  package let make: @Sendable (_ besideAnother: Bool) -> any PictureSource

  package init(
    _ name: String, staysOpen: Bool = false,
    make: @escaping @Sendable (_ besideAnother: Bool) -> any PictureSource
  ) {
    (self.name, self.staysOpen, self.make) = (name, staysOpen, make)
  }
}

/// A source that is opened by its first ``next()``; by the next one again, where that fails.
final class LatePictures: CodedPictureSource {
  private struct State {
    var source: (any PictureSource)?
    var isCancelled = false
  }

  private let interrupter: Interrupter
  private let open: @Sendable (Interrupter) throws -> any PictureSource
  private let state = Mutex(State())

  /// - Parameters:
  ///   - outer: makes opening and reading give up.
  ///   - open: is given what makes it alone give up.
  init(
    within outer: Interrupter,
    _ open: @escaping @Sendable (Interrupter) throws -> any PictureSource
  ) {
    interrupter = Interrupter(within: outer)
    self.open = open
  }

  func next() throws -> Picture? { try nextDecoded() }

  func nextCaptured() throws -> Captured? {
    if let source = state.withLock({ $0.source }) { return try source.captured() }
    if interrupter.isInterrupted { return nil }
    let opened: any PictureSource
    do { opened = try open(interrupter) } catch {
      if interrupter.isInterrupted { return nil }
      throw error
    }
    let isCancelled = state.withLock { state in
      state.source = opened
      return state.isCancelled
    }
    if isCancelled { opened.cancel() }
    return try opened.captured()
  }

  func wantKeyframe() {
    (state.withLock { $0.source } as? any CodedPictureSource)?.wantKeyframe()
  }

  func cancel() {
    interrupter.interrupt()
    let source = state.withLock { state in
      state.isCancelled = true
      return state.source
    }
    source?.cancel()
  }
}
