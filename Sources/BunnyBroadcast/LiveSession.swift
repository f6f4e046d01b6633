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
  private let hub: EventHub

  init(
    _ broadcast: any LiveMedia, _ opening: Opening, _ ingests: Ingests, _ record: LiveRecord?,
    _ hub: EventHub
  ) {
    (self.broadcast, self.opening, self.record, self.hub) = (broadcast, opening, record, hub)
    self.ingests = Mutex(ingests)
  }

  func take(_ event: BunnyBroadcastEvent) {
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
    if let isCarried { record?.isPublishing(isCarried) }
  }

  /// Whether what `status` tells is more than what we do ourselves: another ingest has the stream, and we do
  /// not send it there.
  func isBesides(_ status: BunnyLiveStreamIngestStatus) -> Bool {
    let ingests = ingests.withLock { $0 }
    let carriers = carriers.withLock { $0 }
    guard let carrier = carriers.first else { return true }
    guard carriers.count == 1 else { return false }
    return (carrier == ingests.backup ? status.primaryLive : status.backupLive) == true
  }

  func told(_ status: BunnyLiveStreamIngestStatus) {
    record?.told(status)
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
