import BunnySystem
import Synchronization

/// What whoever holds a connection asks of it, from any thread.
final class ConnectionOrders: Sendable {
  private struct State {
    var feed: (any RTMPFeed)?
    var pings = false
  }

  /// Readable: take leave.
  let stop = WakeEvent()
  /// Readable: there may be orders.
  let wake = WakeEvent()
  private let state = Mutex(State())

  func publish(_ feed: any RTMPFeed) {
    state.withLock { $0.feed = feed }
    wake.signal()
  }

  func ping() {
    state.withLock { $0.pings = true }
    wake.signal()
  }

  /// What has been asked for since the last time.
  func take() -> (feed: (any RTMPFeed)?, pings: Bool) {
    state.withLock { state in
      defer { state = State() }
      return (state.feed, state.pings)
    }
  }
}
