package import BunnySystem

/// What becomes of the one live stream: decides, and does nothing.
///
/// Created → Preview when an encoder publishes → Running by ``start(at:)`` → Ended by ``stop(at:)``.
package struct LiveState: Sendable {
  /// Media older than this does not make an ingest live.
  package static let flowLimit: Int64 = .seconds(2)

  /// What ``start(at:)`` or ``stop(at:)`` came to.
  package enum Verdict: Equatable, Sendable {
    case done
    /// Refused in a 200 whose body says `success: false`.
    case failed(String)
    /// Refused with a 400.
    case refused(String)
  }

  private struct Activity: Sendable {
    var publishers: Set<String> = []
    var flowingSince: MonotonicTime?
    var lastMedia: MonotonicTime?
    /// Whether it ever had an encoder or media, also before its process died.
    var hasBeenSeen = false
  }

  package private(set) var status = StreamStatus.created
  package private(set) var startedAt: MonotonicTime?
  package private(set) var endedAt: MonotonicTime?
  private let readyAfter: Int64
  private var primary = Activity()
  private var backup = Activity()

  /// - Parameter readyAfter: nanoseconds that media flows before the stream may be started.
  package init(readyAfter: Int64) { self.readyAfter = readyAfter }

  // MARK: What the ingests tell

  /// An encoder with the right key wants to publish.
  ///
  /// - Parameter client: nginx's number of the connection.
  /// - Returns: whether it may.
  package mutating func publishes(_ client: String, on ingest: IngestName) -> Bool {
    guard !status.isFinal else { return false }
    self[ingest].publishers.insert(client)
    self[ingest].hasBeenSeen = true
    if status == .created || status == .scheduled { status = .preview }
    return true
  }

  /// - Returns: whether the ingest has no encoder now.
  package mutating func leaves(_ client: String, _ ingest: IngestName) -> Bool {
    self[ingest].publishers.remove(client)
    return self[ingest].publishers.isEmpty
  }

  /// The ingest's process is gone.
  package mutating func died(_ ingest: IngestName) {
    self[ingest] = Activity(hasBeenSeen: self[ingest].hasBeenSeen)
  }

  /// - Returns: whether it had not been flowing.
  @discardableResult
  package mutating func mediaCame(on ingest: IngestName, at now: MonotonicTime) -> Bool {
    let begins = !flows(self[ingest], now)
    if begins { self[ingest].flowingSince = now }
    self[ingest].lastMedia = now
    self[ingest].hasBeenSeen = true
    return begins
  }

  // MARK: What clients ask

  package mutating func start(at now: MonotonicTime) -> Verdict {
    switch status {
    case .preview:
      status = .running
      startedAt = now
      return .done
    case .running: return .failed("The live stream is running already.")
    case .created, .scheduled, .unknown:
      return .refused("The live stream cannot be started: no encoder is publishing to it.")
    case .ended, .vodProcessing, .error:
      return .refused("The live stream cannot be started: it has ended.")
    }
  }

  package mutating func stop(at now: MonotonicTime) -> Verdict {
    switch status {
    case .preview, .running:
      status = .ended
      endedAt = now
      return .done
    case .created, .scheduled, .unknown:
      return .refused("The live stream cannot be stopped: it has not begun.")
    case .ended, .vodProcessing, .error: return .failed("The live stream has ended already.")
    }
  }

  /// It has got a time at which it shall start.
  ///
  /// - Returns: false when it is too late for that.
  package mutating func plan() -> Bool {
    guard status == .created || status == .scheduled else { return false }
    status = .scheduled
    return true
  }

  /// Puts the stream where a test wants it.
  package mutating func force(_ status: StreamStatus, at now: MonotonicTime) {
    self.status = status
    if status == .running && startedAt == nil { startedAt = now }
    if status.isFinal && endedAt == nil { endedAt = now }
  }

  /// An encoder publishes there and its media flows.
  package func isLive(_ ingest: IngestName, at now: MonotonicTime) -> Bool {
    let activity = self[ingest]
    return !activity.publishers.isEmpty && flows(activity, now)
  }

  /// ``isLive(_:at:)`` as Bunny tells it; nil, which is not false, while nothing was ever seen there.
  package func toldLive(_ ingest: IngestName, at now: MonotonicTime) -> Bool? {
    self[ingest].hasBeenSeen ? isLive(ingest, at: now) : nil
  }

  package func isReady(at now: MonotonicTime) -> Bool {
    !status.isFinal
      && IngestName.allCases.contains { ingest in
        guard isLive(ingest, at: now), let since = self[ingest].flowingSince else { return false }
        return now - since >= readyAfter
      }
  }

  /// Milliseconds since media came last; nil when none ever did.
  package func lastPingAgo(at now: MonotonicTime) -> Int64? {
    [primary.lastMedia, backup.lastMedia].compactMap { $0 }.max().map { (now - $0) / 1_000_000 }
  }

  /// Whole seconds since the start, or from the start to the end; nil when it never was.
  package func duration(at now: MonotonicTime) -> Int64? {
    startedAt.map { ((endedAt ?? now) - $0) / 1_000_000_000 }
  }

  private func flows(_ activity: Activity, _ now: MonotonicTime) -> Bool {
    activity.lastMedia.map { now - $0 <= Self.flowLimit } ?? false
  }

  private subscript(ingest: IngestName) -> Activity {
    get { ingest == .primary ? primary : backup }
    set { if ingest == .primary { primary = newValue } else { backup = newValue } }
  }
}
