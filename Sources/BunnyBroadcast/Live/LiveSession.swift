import BunnyRTMP
import BunnyStreamAPI
import BunnySystem

/// A stream that may be published to, as far as is known.
struct Opening: Sendable {
  let stream: BunnyLiveStream
  let key: String
  /// Viewers do not see it yet; nil: the API has not told, and the rest is only remembered.
  let needsStart: Bool?
  /// Why the API has not told.
  var trouble: BunnyLiveStreamError?
  /// Viewers saw it when this machine published to it last, as far as is remembered.
  var wasShown = false
  /// Nobody else publishes to it, as far as the API could say.
  var isClaimed = false
  /// Somebody else did, and was to be taken over from.
  var takesOver = false
}

/// What is broadcast to one stream, from the first connection to its end, and where to.
final class LiveSession: Sendable {
  struct Ingests: Equatable, Sendable {
    let primary: Ingest
    let backup: Ingest?

    /// - Parameters:
    ///   - known: named where `stream` names none.
    ///   - notice: told of a backup that is no use.
    init(
      _ stream: BunnyLiveStream, _ key: String, known: BunnyLiveStream? = nil,
      notice: (String) -> Void = { _ in }
    ) throws(BunnyLiveStreamError) {
      primary = try Ingest(
        named: stream.primaryIngestUrl ?? known?.primaryIngestUrl ?? Ingest.bunnyPrimary, key)
      let backupURL = stream.backupIngestUrl ?? known?.backupIngestUrl
      do throws(BunnyLiveStreamError) {
        if let backupURL { backup = try Ingest(named: backupURL, key) } else { backup = nil }
      } catch {
        notice("there is no backup ingest: \(error)")
        backup = nil
      }
    }
  }

  fileprivate struct State: Sendable {
    var ingests: Ingests
    /// Nobody else was found to publish to the stream.
    var isClaimed: Bool
    var showing: Showing
    var rivals = RivalWatch()
    /// When an ingest took the stream last, or was lost.
    var arrival: MonotonicTime?
  }

  let broadcast: any LiveMedia
  private let opening: Opening
  private let record: LiveRecord?
  private let hub: EventHub
  private let world: LiveWorld
  private let state: Decider<State>

  init(
    _ broadcast: any LiveMedia, _ opening: Opening, _ ingests: Ingests, _ record: LiveRecord?,
    _ hub: EventHub, _ world: LiveWorld
  ) {
    (self.broadcast, self.opening, self.record) = (broadcast, opening, record)
    (self.hub, self.world) = (hub, world)
    state = Decider(
      State(
        ingests: ingests, isClaimed: opening.isClaimed,
        showing: Showing(
          isShown: opening.needsStart == false,
          isDual: broadcast.configuration.redundancy == .dual)))
  }

  /// Nobody else was found to publish to the stream.
  var isClaimed: Bool {
    get { state.withLock { $0.isClaimed } }
    set { state.withLock { $0.isClaimed = newValue } }
  }

  /// An ingest has the stream.
  var isCarried: Bool { !shows.carriers.isEmpty }

  /// As far as is known.
  var shows: Showing { state.withLock { $0.showing } }

  /// Media tells; listeners are told what that comes to.
  func take(_ event: BunnyBroadcastEvent) {
    guard event.isOfMedia else { return }
    let now = world.now()
    let isCarried: Bool? = state.decide { state, deeds in
      let changes = state.showing.carriers.changes
      deeds += tell(state.showing.told(event))
      guard state.showing.carriers.changes > changes else { return nil }
      state.arrival = now
      return !state.showing.carriers.isEmpty
    }
    if let isCarried { record?.isPublishing(isCarried) }
  }

  /// Viewers see the stream: somebody has started it.
  ///
  /// - Returns: Whether that is news.
  func isShown() -> Bool {
    let isNews = state.decide { state, deeds in
      guard !state.showing.isShown else { return false }
      deeds += tell(state.showing.shown())
      return true
    }
    if isNews { record?.isShown() }
    return isNews
  }

  private func tell(_ events: [BunnyBroadcastEvent]) -> [@Sendable () -> Void] {
    events.map { event in { [hub] in hub.send(event) } }
  }

  /// Whether what Bunny tells of the stream's ingests can be told from what we have left behind ourselves: our
  /// own ping is fresh for a while after an ingest was lost or changed.
  var isSettled: Bool {
    let (carriers, arrival) = state.withLock { ($0.showing.carriers, $0.arrival) }
    guard let arrival else { return true }
    let isLongAgo = world.now() - arrival >= RivalWatch.settling
    return !carriers.isEmpty && (carriers.changes == 1 || isLongAgo)
  }

  /// Whether what `status` tells is more than what we do ourselves: another ingest has the stream, and we do
  /// not send it there.
  func isBesides(_ status: BunnyLiveStreamIngestStatus) -> Bool {
    state.withLock { $0.showing.carriers.isEmpty || $0.rival(in: status) != nil }
  }

  /// Two who publish to one stream are both told so.
  private func watchRivals(_ status: BunnyLiveStreamIngestStatus) {
    let now = world.now()
    let rival: String? = state.withLock { state in
      let rival = state.rival(in: status)
      let arrival = opening.takesOver ? nil : state.arrival
      return state.rivals.saw(rival != nil, arrival: arrival, at: now) ? rival : nil
    }
    guard let rival else { return }
    hub.send(
      .notice(
        message: "somebody else publishes to the stream too: Bunny's \(rival) ingest has it, and "
          + "not from this broadcast; viewers may see either, so end one of the two"))
  }

  func told(_ status: BunnyLiveStreamIngestStatus) {
    record?.told(status)
    watchRivals(status)
    broadcast.told(primaryIsLive: status.primaryLive, backupIsLive: status.backupLive)
  }

  /// The API tells of the stream: somebody may have given it another key.
  func told(_ stream: BunnyLiveStream) {
    guard let key = stream.streamKey, !key.isEmpty,
      let now = try? Ingests(stream, key, known: opening.stream)
    else { return }
    let isOther = state.withLock { state in
      defer { state.ingests = now }
      return state.ingests != now
    }
    guard isOther else { return }
    record?.changed(StreamRecord(stream, key: key))
    hub.send(
      .notice(
        message: broadcast.publish(to: now.primary, backup: now.backup)
          ? "the stream has another key, or other ingests: connections from now on take these"
          : "the stream has another key, or other ingests: connections from now on take these, the next "
            + "broadcast the new backup too"))
  }

  /// Whether an ingest that refuses would refuse all the same if the API were asked: it has been, and told
  /// nothing else.
  func isAsTold(_ stream: BunnyLiveStream) -> Bool {
    guard let key = stream.streamKey, let now = try? Ingests(stream, key, known: opening.stream)
    else { return true }
    return state.withLock { $0.ingests == now }
  }

  /// What is remembered is on the disk when this returns.
  func end() async { await record?.end() }
}

extension LiveSession.State {
  /// The ingest, in a word, that has the stream although we do not send it there.
  func rival(in status: BunnyLiveStreamIngestStatus) -> String? {
    guard let carrier = showing.carriers.only else { return nil }
    // Its words hide the key, which may be another one by now.
    let isAtBackup = ingests.backup.map { "\($0)" == "\(carrier)" } ?? false
    guard (isAtBackup ? status.primaryLive : status.backupLive) == true else { return nil }
    return isAtBackup ? "primary" : "backup"
  }
}
