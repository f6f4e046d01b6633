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

  /// What the ingest says of a stream that the API does not find.
  package enum IngestWord: Equatable, Sendable {
    /// It accepts and acknowledges media.
    case takes
    /// It was lost, or has not accepted the stream.
    case isLost
    case refuses
  }

  /// Nanoseconds between two answers "not found" that count as two.
  package static let leastPause = Int64.seconds(3)
  /// For how long nothing but "not found" must have been answered while an ingest takes media: a gateway
  /// says so of everything while it is set up anew.
  package static let longPause = Int64.seconds(60)

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

  /// The API answered with an error. Only "not found" says something of the stream, and only as far as an
  /// ingest bears it out: at once when that refuses, with the second one when it was lost, and after a
  /// minute of nothing else when it takes media.
  package mutating func failed(
    _ error: BunnyLiveStreamError, ingest: IngestWord, at now: MonotonicTime
  ) -> End? {
    guard error.kind == .notFound else {
      missingSince = nil
      return nil
    }
    if ingest == .refuses { return .deleted }
    guard let missingSince else {
      self.missingSince = now
      return nil
    }
    let least = ingest == .takes ? Self.longPause : Self.leastPause
    return now - missingSince >= least ? .deleted : nil
  }
}
