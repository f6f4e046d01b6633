import BunnyMedia
import BunnySystem
import Synchronization

/// Interrupts an input that delivers nothing for some time, so that reading a live stream ends.
final class StallGuard: Sendable {
  private let state: State
  private let limit: Int64

  private final class State: Sendable {
    let lastProgress = Atomic(MonotonicTime.now.nanoseconds)
    let fired = Flag()
    let ended = WakeEvent()
  }

  /// - Parameter limit: nanoseconds.
  init(_ interrupter: Interrupter, after limit: Int64) {
    let state = State()
    self.state = state
    self.limit = limit
    startThread("inspect-guard") {
      while true {
        let last = MonotonicTime(nanoseconds: state.lastProgress.load(ordering: .relaxed))
        let deadline = last + limit
        if MonotonicTime.now >= deadline {
          state.fired.isSet = true
          return interrupter.interrupt()
        }
        if state.ended.wait(until: deadline) { return }
      }
    }
  }

  /// It was this guard that interrupted the input.
  var hasFired: Bool { state.fired.isSet }

  /// Why it did.
  var words: String {
    let decimals = limit % .seconds(1) == 0 ? 0 : 1
    return "nothing came for \(decimal(Double(limit) / 1e9, decimals)) s"
  }

  func progress() { state.lastProgress.store(MonotonicTime.now.nanoseconds, ordering: .relaxed) }

  func end() { state.ended.signal() }
}
