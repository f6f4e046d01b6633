/// What a live stream is in, as Bunny numbers it.
package enum StreamStatus: Int, Sendable {
  case unknown, created, scheduled, preview, running, ended, vodProcessing, error

  /// Nothing may be published to it, ever again.
  package var isFinal: Bool { self == .ended || self == .vodProcessing || self == .error }
  package var name: String { "\(self)" }
}

/// One of the stream's two ingests.
package enum IngestName: String, CaseIterable, Sendable {
  case primary, backup

  var other: IngestName { self == .primary ? .backup : .primary }
}
