import BunnyStreamAPI
import Synchronization

/// What a ``ControllerCore`` runs: one broadcast.
package protocol ControllerEngine: Broadcasting {
  /// Ends the broadcast, and its live stream for good if it has one.
  func end(reason: String)

  /// The live stream that it goes to now; nil: to none.
  var stream: (id: String, title: String?)? { get }
}

extension ControllerEngine {
  package var stream: (id: String, title: String?)? { nil }
}

extension LiveBroadcast: ControllerEngine {
  package var stream: (id: String, title: String?)? {
    state.withLock { state in
      state.streamId.isEmpty ? nil : (state.streamId, state.stream?.title)
    }
  }
}

extension Broadcast: ControllerEngine {
  package func end(reason: String) { stop(reason: reason) }
}
