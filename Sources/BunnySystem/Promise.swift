import Synchronization

/// A value that comes later, for the one who waits for it. The first that comes counts.
public final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var continuation: CheckedContinuation<Value, Never>?
  }

  private let state = Mutex(State())

  public init() {}

  /// Waits for the value. To be asked once.
  public var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value = state.withLock { state in
          if state.value == nil { state.continuation = continuation }
          return state.value
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }

  /// Keeps `value`, unless there is one already.
  public func keep(_ value: Value) {
    let continuation = state.withLock { state in
      guard state.value == nil else { return nil as CheckedContinuation<Value, Never>? }
      state.value = value
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: value)
  }
}
