package import BunnyStreamAPI
package import BunnySystem

/// Whether a live stream that is broadcast to is over, by what Bunny's API says of it time and again.
package struct StreamWatch: Equatable, Sendable {
  /// Why it is over.
  package enum End: Equatable, Sendable {
    /// One of the states from which nothing leads back.
    case status(BunnyLiveStreamStatus)
    case deleted
  }

  /// Nanoseconds between two answers "not found" that count as two.
  static let leastPause = Int64.seconds(3)

  private var missingSince: MonotonicTime?
  private var hasLookedLast = true

  package init() {}

  /// Whether to ask for the stream itself, for the ingest status does not say that it is over: every second
  /// time, and whenever that status is odd.
  package mutating func looks(
    after status: Result<BunnyLiveStreamIngestStatus, BunnyLiveStreamError>
  ) -> Bool {
    switch status {
    case .success(let status): hasLookedLast = !hasLookedLast || !status.isLive
    case .failure(let error): hasLookedLast = error.kind == .notFound
    }
    return hasLookedLast
  }

  /// It was told of.
  package mutating func found(_ stream: BunnyLiveStream) -> End? {
    missingSince = nil
    guard case .refuse(let status) = Admission(stream) else { return nil }
    return .status(status)
  }

  /// The API answered with an error. Only "not found" says something of the stream, and only when it is
  /// said again a while later, or when an ingest has refused us as well.
  package mutating func failed(
    _ error: BunnyLiveStreamError, ingestRefuses: Bool, at now: MonotonicTime
  ) -> End? {
    guard error.kind == .notFound else { return nil }
    if ingestRefuses { return .deleted }
    guard let missingSince else {
      self.missingSince = now
      return nil
    }
    return now - missingSince >= Self.leastPause ? .deleted : nil
  }
}
