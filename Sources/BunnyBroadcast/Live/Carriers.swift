package import BunnyRTMP

/// The ingests that carry a stream, by what is told of media. A value.
package struct Carriers: Equatable, Sendable {
  /// Each of two carries it by itself; else one at a time.
  package let isDual: Bool
  /// In the order in which they came.
  package private(set) var ingests: [Ingest] = []
  /// How often one came, or was lost.
  package private(set) var changes = 0

  package init(isDual: Bool = false) { self.isDual = isDual }

  package var isEmpty: Bool { ingests.isEmpty }
  /// The one that has carried it for longest.
  package var first: Ingest? { ingests.first }
  /// The one that carries it alone.
  package var only: Ingest? { ingests.count == 1 ? ingests[0] : nil }

  /// Something happened, perhaps to them.
  package mutating func take(_ event: BunnyBroadcastEvent) {
    switch event {
    case .published(let ingest), .started(let ingest), .reconnected(let ingest):
      // Where there is one at a time, the other one was left, perhaps without a word.
      ingests = isDual ? ingests + (ingests.contains(ingest) ? [] : [ingest]) : [ingest]
    case .lost(let ingest, _): ingests.removeAll { $0 == ingest }
    default: return
    }
    changes += 1
  }
}
