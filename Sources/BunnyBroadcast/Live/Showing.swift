package import BunnyStreamAPI

/// Whether viewers see a live stream that is published to, and what listeners are told of that instead of
/// what media tells: an ingest that has accepted the stream is not yet somebody who sees it. A value.
package struct Showing: Equatable, Sendable {
  /// Viewers see the stream, as far as is known.
  package private(set) var isShown: Bool
  /// An ingest has accepted it, once.
  package private(set) var wasAccepted = false
  /// The ingests that have it now.
  package private(set) var carriers: Carriers
  private var hasToldStart = false

  /// - Parameter isDual: both ingests carry the stream at a time.
  package init(isShown: Bool, isDual: Bool = false) {
    (self.isShown, carriers) = (isShown, Carriers(isDual: isDual))
  }

  /// Something happened to media.
  package mutating func told(_ event: BunnyBroadcastEvent) -> [BunnyBroadcastEvent] {
    carriers.take(event)
    switch event {
    case .started(let ingest):
      wasAccepted = true
      return [.published(ingest)] + started()
    case .reconnected: return [event] + started()
    case .statistics(let statistics): return [.statistics(seen(statistics))]
    default: return [event]
    }
  }

  /// It was shown to viewers, or found to be.
  package mutating func shown() -> [BunnyBroadcastEvent] {
    isShown = true
    return started()
  }

  /// What nobody sees is not live.
  package func seen(_ statistics: BroadcastStatistics) -> BroadcastStatistics {
    guard !isShown, statistics.state == MediaState.live.rawValue else { return statistics }
    var statistics = statistics
    statistics.state = MediaState.preview.rawValue
    return statistics
  }

  /// Why viewers do not see what was published, when they were to; nil: they do, or nothing has failed yet.
  ///
  /// - Parameters:
  ///   - trouble: why the API did not start the stream, or does not answer.
  ///   - wasShown: viewers saw it when this machine published to it last.
  package func undone(
    _ trouble: BunnyLiveStreamError?, isWanted: Bool, wasShown: Bool
  ) -> BunnyLiveStreamError? {
    isWanted && wasAccepted && !isShown && !wasShown ? trouble : nil
  }

  private mutating func started() -> [BunnyBroadcastEvent] {
    guard isShown, !hasToldStart, let carrier = carriers.first else { return [] }
    hasToldStart = true
    return [.started(carrier)]
  }
}
