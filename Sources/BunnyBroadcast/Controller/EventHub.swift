/// Hands every event to each listener's own stream, in one order for all. Any thread.
final class EventHub: Sendable {
  private struct Listener: Sendable {
    let number: Int
    let stream: AsyncStream<BunnyBroadcastEvent>.Continuation
  }

  private struct State: Sendable {
    /// In the order of their numbers.
    var listeners: [Listener] = []
    var listened = 0
    var isFinished = false
  }

  private let state = Decider(State())

  /// What happens from now on: the newest 256 kept for a listener that is slow.
  func stream() -> AsyncStream<BunnyBroadcastEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: BunnyBroadcastEvent.self, bufferingPolicy: .bufferingNewest(256))
    let number: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.listened += 1
      state.listeners.append(Listener(number: state.listened, stream: continuation))
      return state.listened
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in state.listeners.removeAll { $0.number == number } }
    }
    return stream
  }

  func send(_ event: BunnyBroadcastEvent) {
    state.decide { state, deeds in
      for listener in state.listeners { deeds.append { listener.stream.yield(event) } }
    }
  }

  /// The last events: nothing comes between or after them.
  func finish(with events: [BunnyBroadcastEvent]) {
    state.decide { state, deeds in
      for event in events {
        for listener in state.listeners { deeds.append { listener.stream.yield(event) } }
      }
      for listener in state.listeners { deeds.append { listener.stream.finish() } }
      (state.listeners, state.isFinished) = ([], true)
    }
  }
}
