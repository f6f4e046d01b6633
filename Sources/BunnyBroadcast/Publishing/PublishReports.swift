import BunnyRTMP
import BunnySystem

// What is said of a lane.
extension PublishLane {
  func sayWhatFollows(_ reason: String) {
    guard let (ingest, wait) = failover.nextTry(after: .now) else { return }
    events.send(
      .reconnecting(
        attempt: max(1, failover.failures), usingBackup: ingests[ingest] == configuration.backup,
        after: .nanoseconds(wait), reason: reason))
  }

  /// One that was ready, and ended, is opened again before anything is said: servers close what is idle.
  mutating func sayMissing(_ leg: Leg, _ error: RTMPError) {
    guard failover.isMissing(without: leg.id), configuration.retry == .always,
      missing.insert(leg.ingest).inserted
    else { return }
    events.send(.standbyLost(leg.connection.ingest, reason: error.description))
  }

  /// For one that has not failed when there is no more time.
  func stillWaiting(since began: MonotonicTime) -> RTMPError {
    let seconds = Double(MonotonicTime.now - began) / 1e9
    let step: RTMPStep =
      switch primaryState {
      case .connecting, .closed: .connecting
      case .handshaking: ingests[0].isSecure ? .tls : .handshake
      case .connected: .createStream
      case .ready, .publishing: .publish
      }
    return RTMPError(.timedOut(step, seconds: seconds), at: ingests[0])
  }
}
