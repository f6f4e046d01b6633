import Foundation
import FoundationNetworking
import Synchronization

/// The outcome of one exchange for the one who waits for it: the first that comes counts, and ends the
/// task.
final class HTTPPromise: Sendable {
  private struct State {
    var outcome: HTTPOutcome?
    var continuation: CheckedContinuation<HTTPOutcome, Never>?
    var task: URLSessionTask?
  }

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

  /// Has `task` cancelled when an outcome comes.
  ///
  /// - Returns: false when it has come already; the task need not begin.
  func attach(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      if state.outcome == nil { state.task = task }
      return state.outcome == nil
    }
  }

  func keep(_ outcome: HTTPOutcome) {
    let (continuation, task) = state.withLock { state in
      guard state.outcome == nil else {
        return (nil, nil) as (CheckedContinuation<HTTPOutcome, Never>?, URLSessionTask?)
      }
      state.outcome = outcome
      defer { (state.continuation, state.task) = (nil, nil) }
      return (state.continuation, state.task)
    }
    continuation?.resume(returning: outcome)
    // From elsewhere, since it waits: the delegate, whose queue would fill with pieces of the body
    // meanwhile, and Swift's pool must not.
    if let task, task.state != .completed { HTTPSession.waiting.async { task.cancel() } }
  }
}
