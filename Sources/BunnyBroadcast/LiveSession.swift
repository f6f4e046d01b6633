import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Synchronization

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

  let broadcast: any LiveMedia
  private let opening: Opening
  private let record: LiveRecord?
  private let ingests: Mutex<Ingests>
  /// Those that have the stream.
  private let carriers = Mutex<[Ingest]>([])
  private let claimed: Mutex<Bool>
  private let showing: Mutex<Showing>
  private let rivals = Mutex(Rivals())
  private let hub: EventHub

  private struct Rivals {
    var watch = RivalWatch()
    /// When an ingest took the stream last, or was lost.
    var arrival: MonotonicTime?
    /// How often that was.
    var changes = 0
  }

  /// Nanoseconds for which Bunny may still tell of an ingest that we have left.
  private static let afterglow = Int64.seconds(15)

  init(
    _ broadcast: any LiveMedia, _ opening: Opening, _ ingests: Ingests, _ record: LiveRecord?,
    _ hub: EventHub
  ) {
    (self.broadcast, self.opening, self.record, self.hub) = (broadcast, opening, record, hub)
    self.ingests = Mutex(ingests)
    claimed = Mutex(opening.isClaimed)
    showing = Mutex(
      Showing(
        isShown: opening.needsStart == false,
        isDual: broadcast.configuration.redundancy == .dual))
  }

  /// Nobody else was found to publish to the stream.
  var isClaimed: Bool {
    get { claimed.withLock { $0 } }
    set { claimed.withLock { $0 = newValue } }
  }

  /// An ingest has the stream.
  var isCarried: Bool { carriers.withLock { !$0.isEmpty } }

  /// As far as is known.
  var shows: Showing { showing.withLock { $0 } }

  /// Media tells; listeners are told what that comes to.
  func take(_ event: BunnyBroadcastEvent) {
    if event.isOfMedia {
      showing.withLock { showing in
        for event in showing.told(event) { hub.send(event) }
      }
    }
    let isDual = broadcast.configuration.redundancy == .dual
    let isCarried: Bool? = carriers.withLock { carriers in
      switch event {
      case .started(let ingest), .reconnected(let ingest):
        carriers = isDual ? carriers + [ingest] : [ingest]
      case .lost(let ingest, _): carriers.removeAll { $0 == ingest }
      default: return nil
      }
      return !carriers.isEmpty
    }
    guard let isCarried else { return }
    rivals.withLock { rivals in
      rivals.arrival = .now
      rivals.changes += 1
    }
    record?.isPublishing(isCarried)
  }

  /// Viewers see the stream: somebody has started it.
  ///
  /// - Returns: Whether that is news.
  func isShown() -> Bool {
    let isNews = showing.withLock { showing in
      guard !showing.isShown else { return false }
      for event in showing.shown() { hub.send(event) }
      return true
    }
    if isNews { record?.isShown() }
    return isNews
  }

  /// Whether what Bunny tells of the stream's ingests can be told from what we have left behind ourselves: our
  /// own ping is fresh for a while after an ingest was lost or changed.
  var isSettled: Bool {
    let (isCarried, rivals) = (isCarried, rivals.withLock { ($0.changes, $0.arrival) })
    guard rivals.0 > 0, let arrival = rivals.1 else { return true }
    return isCarried && (rivals.0 == 1 || .now - arrival > Self.afterglow)
  }

  /// Whether what `status` tells is more than what we do ourselves: another ingest has the stream, and we do
  /// not send it there.
  func isBesides(_ status: BunnyLiveStreamIngestStatus) -> Bool {
    !isCarried || rival(in: status) != nil
  }

  /// The ingest, in a word, that has the stream although we do not send it there.
  private func rival(in status: BunnyLiveStreamIngestStatus) -> String? {
    let ingests = ingests.withLock { $0 }
    let carriers = carriers.withLock { $0 }
    guard carriers.count == 1, let carrier = carriers.first else { return nil }
    // Its words hide the key, which may be another one by now.
    let isAtBackup = ingests.backup.map { "\($0)" == "\(carrier)" } ?? false
    guard (isAtBackup ? status.primaryLive : status.backupLive) == true else { return nil }
    return isAtBackup ? "primary" : "backup"
  }

  /// Two who publish to one stream are both told so.
  private func watchRivals(_ status: BunnyLiveStreamIngestStatus) {
    let ingest = rival(in: status)
    let isDue = rivals.withLock { rivals in
      rivals.watch.saw(
        ingest != nil, arrival: opening.takesOver ? nil : rivals.arrival, at: .now)
    }
    guard isDue, let ingest else { return }
    hub.send(
      .notice(
        message: "somebody else publishes to the stream too: Bunny's \(ingest) ingest has it, and "
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
    let isOther = ingests.withLock { ingests in
      defer { ingests = now }
      return ingests != now
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
    return ingests.withLock { $0 == now }
  }

  /// What is remembered is on the disk when this returns.
  func end() async { await record?.end() }
}
