import Synchronization

/// Hands every event to each listener's own stream, in one order for all. Any thread.
final class EventHub: Sendable {
  private typealias Listener = AsyncStream<BunnyBroadcastEvent>.Continuation

  private struct State {
    var listeners: [Int: Listener] = [:]
    var listened = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  /// What happens from now on: the newest 256 kept for a listener that is slow.
  func stream() -> AsyncStream<BunnyBroadcastEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: BunnyBroadcastEvent.self, bufferingPolicy: .bufferingNewest(256))
    let number: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.listened += 1
      state.listeners[state.listened] = continuation
      return state.listened
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    // A task, as the stream may be dropped while an event is being handed to it.
    continuation.onTermination = { [weak self] _ in Task { self?.remove(number) } }
    return stream
  }

  private func remove(_ number: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: number) }
  }

  func send(_ event: BunnyBroadcastEvent) {
    state.withLock { state in
      for listener in state.listeners.values { listener.yield(event) }
    }
  }

  /// The last events: nothing comes between or after them.
  func finish(with events: [BunnyBroadcastEvent]) {
    let listeners = state.withLock { state in
      for event in events {
        for listener in state.listeners.values { listener.yield(event) }
      }
      state.isFinished = true
      defer { state.listeners = [:] }
      return state.listeners
    }
    for listener in listeners.values { listener.finish() }
  }
}
