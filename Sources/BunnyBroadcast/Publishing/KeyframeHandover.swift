import BunnySystem
import Synchronization

/// Where one session ends and another begins: a keyframe that both look for. The other begins there once
/// all before is known to have arrived; or, should the first break before that, where it broke.
package final class KeyframeHandover: Sendable {
  /// How the other session begins.
  enum Beginning: Sendable {
    case keyframe(Int64)
    case replay(TagFeed.Undelivered)
  }

  private struct State {
    var armed: Int64?
    var beginning: Beginning?
    /// Wakes the other session.
    var wake: WakeEvent?
  }

  /// Of a peer that neither answers pings nor leaves it to its kernel, the last bytes would be waited
  /// for in vain.
  let awaitsArrival: Bool
  private let state = Mutex(State())

  package init(awaitsArrival: Bool = true) { self.awaitsArrival = awaitsArrival }

  /// From now on the next keyframe is it.
  func arm(in log: TagLog, waking wake: WakeEvent) {
    state.withLock { state in
      state.armed = log.end
      state.wake = wake
    }
  }

  /// nil when it has not come yet.
  func keyframe(in log: TagLog) -> Int64? {
    state.withLock { $0.armed }.flatMap { log.keyframe(from: $0) }
  }

  /// nil: it is not the other session's turn yet.
  var beginning: Beginning? { state.withLock { $0.beginning } }

  /// All before the keyframe has arrived.
  func arrived(before keyframe: Int64) { settle(.keyframe(keyframe)) }

  /// The session that ends there broke, and left this.
  package func breaks(leaving undelivered: TagFeed.Undelivered) { settle(.replay(undelivered)) }

  /// What happens first counts.
  private func settle(_ beginning: Beginning) {
    let wake = state.withLock { state in
      state.beginning = state.beginning ?? beginning
      return state.wake
    }
    wake?.signal()
  }
}
