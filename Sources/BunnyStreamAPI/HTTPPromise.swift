import BunnySystem
import Synchronization

/// The outcome of one exchange for the one who waits for it: the first that comes counts, and stops the
/// exchange.
final class HTTPPromise: Sendable {
  private struct State {
    var outcome: HTTPOutcome?
    var continuation: CheckedContinuation<HTTPOutcome, Never>?
  }

  /// Set once there is an outcome: nobody waits for the exchange any more.
  let isOver = Flag()
  private let state = Mutex(State())

  /// - Returns: false when the outcome is there already; it has been handed over.
  func keep(for continuation: CheckedContinuation<HTTPOutcome, Never>) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.continuation = continuation }
      return state.outcome
    }
    guard let outcome else { return true }
    continuation.resume(returning: outcome)
    return false
  }

  func keep(_ outcome: HTTPOutcome) {
    let continuation = state.withLock { state in
      guard state.outcome == nil else { return nil as CheckedContinuation<HTTPOutcome, Never>? }
      state.outcome = outcome
      defer { state.continuation = nil }
      return state.continuation
    }
    isOver.isSet = true
    continuation?.resume(returning: outcome)
  }
}
