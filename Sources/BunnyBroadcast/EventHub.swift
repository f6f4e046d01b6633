import Synchronization

/// Hands every event to each listener's own stream. Any thread.
final class EventHub: Sendable {
  private struct State {
    var listeners: [AsyncStream<BunnyBroadcastEvent>.Continuation] = []
    var isFinished = false
  }

  private let state = Mutex(State())

  /// What happens from now on: the newest 256 kept for a listener that is slow.
  func stream() -> AsyncStream<BunnyBroadcastEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: BunnyBroadcastEvent.self, bufferingPolicy: .bufferingNewest(256))
    let isFinished = state.withLock { state in
      if !state.isFinished { state.listeners.append(continuation) }
      return state.isFinished
    }
    if isFinished { continuation.finish() }
    return stream
  }

  func send(_ event: BunnyBroadcastEvent) {
    for listener in state.withLock({ $0.listeners }) { listener.yield(event) }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.finish() }
  }
}
