import BunnyMedia
import BunnySystem
import Synchronization

/// Interrupts an input that delivers nothing for some time, so that reading a live stream ends.
final class StallGuard: Sendable {
  private let state: State

  private final class State: Sendable {
    let lastProgress = Atomic(MonotonicTime.now.nanoseconds)
    let ended = WakeEvent()
  }

  /// - Parameter limit: nanoseconds.
  init(_ interrupter: Interrupter, after limit: Int64) {
    let state = State()
    self.state = state
    startThread("inspect-guard") {
      while true {
        let last = MonotonicTime(nanoseconds: state.lastProgress.load(ordering: .relaxed))
        let deadline = last + limit
        if MonotonicTime.now >= deadline { return interrupter.interrupt() }
        if state.ended.wait(until: deadline) { return }
      }
    }
  }

  func progress() { state.lastProgress.store(MonotonicTime.now.nanoseconds, ordering: .relaxed) }

  func end() { state.ended.signal() }
}
