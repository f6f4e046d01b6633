package import BunnySystem
import Synchronization

/// Writes which effort held, on a thread of its own, as a slow card may take its time: whoever tells it
/// never waits. One is written at a time, and of those that came meanwhile only the newest.
package final class EffortWriter: Sendable {
  private struct State {
    var newest: EncoderEffort?
    /// A thread is at it.
    var isWriting = false
  }

  private let state = Mutex(State())
  private let hasWritten = WakeEvent()
  private let write: @Sendable (EncoderEffort) -> Void

  /// - Parameter write: is called on the thread that writes, one call after the other.
  package init(_ write: @escaping @Sendable (EncoderEffort) -> Void) { self.write = write }

  /// Returns at once.
  package func remember(_ effort: EncoderEffort) {
    let isIdle = state.withLock { state in
      state.newest = effort
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard isIdle else { return }
    startThread("remember") { [self] in
      while let effort = next() { write(effort) }
      hasWritten.signal()
    }
  }

  private func next() -> EncoderEffort? {
    state.withLock { state in
      defer { state.newest = nil }
      state.isWriting = state.newest != nil
      return state.newest
    }
  }

  /// Waits until all is written. Blocks; to be asked by one at a time.
  ///
  /// - Returns: false when it was not by `deadline`.
  package func flush(until deadline: MonotonicTime) -> Bool {
    while state.withLock({ $0.isWriting }) {
      // A signal may be of what was written before.
      guard hasWritten.wait(until: deadline) else { return !state.withLock { $0.isWriting } }
    }
    return true
  }
}
