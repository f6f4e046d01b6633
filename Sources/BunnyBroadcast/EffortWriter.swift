import BunnySystem
import Synchronization

/// Has efforts written down, as a slow card may take its time: one after the other, on a thread that lives
/// while there is one to write. Of those that came meanwhile only the newest is. Any thread.
package final class EffortWriter: Sendable {
  private struct State {
    var newest: EncoderEffort?
    var isWriting = false
  }

  private let state = Mutex(State())
  private let rests = WakeEvent()
  private let write: @Sendable (EncoderEffort) -> Void

  package init(_ write: @escaping @Sendable (EncoderEffort) -> Void) { self.write = write }

  /// Returns at once.
  package func remember(_ effort: EncoderEffort) {
    let begins = state.withLock { state in
      defer { state.isWriting = true }
      state.newest = effort
      return !state.isWriting
    }
    guard begins else { return }
    startThread("remember") { [self] in
      while let effort = next() { write(effort) }
      rests.signal()
    }
  }

  private func next() -> EncoderEffort? {
    state.withLock { state in
      defer { state.newest = nil }
      state.isWriting = state.newest != nil
      return state.newest
    }
  }

  /// Waits until all is written, for so many nanoseconds at most.
  ///
  /// - Returns: Whether it is.
  package func finish(within limit: Int64) -> Bool {
    let deadline = MonotonicTime.now + limit
    while state.withLock({ $0.isWriting }) {
      guard rests.wait(until: deadline) else { return !state.withLock { $0.isWriting } }
    }
    return true
  }
}
