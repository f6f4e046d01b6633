/// What a ``ControllerCore`` runs: one broadcast.
package protocol ControllerEngine: Broadcasting {
  /// Ends the broadcast, and its live stream for good if it has one.
  func end(reason: String)
}

extension LiveBroadcast: ControllerEngine {}

extension Broadcast: ControllerEngine {
  package func end(reason: String) { stop(reason: reason) }
}
