package import BunnyBroadcast
package import BunnyRTMP

/// What a person watching wants to know of a broadcast, kept up by its events.
package struct BroadcastView: Sendable {
  /// The one that carries the stream, or is tried.
  package private(set) var ingest: Ingest
  private let primary: Ingest
  private let backup: Ingest?
  private var isTryingAgain = false
  package var isMuted = false
  package var isEnding = false
  /// Keys are listened to, and hinted at.
  package var hasKeys = false

  package init(_ configuration: BroadcastConfiguration) {
    ingest = configuration.ingest
    backup = configuration.backup
    isMuted = configuration.isMuted
    primary = configuration.ingest
  }

  package mutating func apply(_ event: BunnyBroadcastEvent) {
    switch event {
    case .started(let ingest), .reconnected(let ingest):
      self.ingest = ingest
      isTryingAgain = false
    case .lost: isTryingAgain = true
    case .reconnecting(_, let usingBackup, _, _):
      ingest = usingBackup ? backup ?? primary : primary
      isTryingAgain = true
    default: break
    }
  }

  /// One word for the status line.
  package func state(_ statistics: BroadcastStatistics) -> String {
    if isEnding { return "ending" }
    return isTryingAgain ? "retrying" : statistics.state
  }
}
