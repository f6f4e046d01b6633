package import BunnyBroadcast
package import BunnyRTMP

/// What a person watching wants to know of a broadcast, kept up by its events.
package struct BroadcastView: Sendable {
  /// The one that carries the stream, or is tried.
  package private(set) var ingest: Ingest?
  private var primary: Ingest?
  private let backup: Ingest?
  /// What the broadcast waits for while it has no ingest.
  private var waitsFor: String
  /// There is a live stream that could be ended: one was found that is not over.
  package private(set) var hasStream = false
  private var isTryingAgain = false
  private var isUplinkLost = false
  package var isMuted = false
  package var isEnding = false
  /// Keys are listened to, and hinted at.
  package var hasKeys = false
  /// There are several cameras to go through.
  package var hasCameras = false

  package init(_ configuration: BroadcastConfiguration) {
    ingest = configuration.ingest
    backup = configuration.backup
    isMuted = configuration.isMuted
    hasCameras = !configuration.otherVideos.isEmpty
    primary = configuration.ingest
    waitsFor = ""
  }

  /// - Parameter waitsFor: what tells the ingests.
  package init(waitingFor waitsFor: String, isMuted: Bool, hasCameras: Bool = false) {
    self.waitsFor = waitsFor
    self.isMuted = isMuted
    self.hasCameras = hasCameras
    backup = nil
  }

  /// Where the stream goes, or what must tell that first.
  package var target: String { ingest.map { "\($0)" } ?? waitsFor }

  package mutating func apply(_ event: BunnyBroadcastEvent) {
    switch event {
    case .published(let ingest), .started(let ingest), .reconnected(let ingest):
      hasStream = true
      self.ingest = ingest
      primary = primary ?? ingest
      isTryingAgain = false
      isUplinkLost = false
    case .streamOver:
      (ingest, primary, isTryingAgain, hasStream) = (nil, nil, false, false)
    case .streamFound:
      waitsFor = "opening the sources"
      hasStream = true
    case .connection(let ingest, _) where primary == nil:
      self.ingest = ingest
      primary = ingest
    case .lost: isTryingAgain = true
    case .uplinkLost: isUplinkLost = true
    case .uplinkBack: isUplinkLost = false
    case .reconnecting(_, let usingBackup, _, _):
      ingest = usingBackup ? backup ?? primary : primary
      isTryingAgain = true
    default: break
    }
  }

  /// A word or two for the status line.
  package func state(_ statistics: BroadcastStatistics) -> String {
    if isEnding { return "ending" }
    if statistics.waitingFor != nil { return statistics.state }
    if isUplinkLost { return "uplink down" }
    return isTryingAgain ? "retrying" : statistics.state
  }
}
