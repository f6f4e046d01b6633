package import BunnyStreamAPI
package import BunnySystem
import FoundationEssentials

/// Whether a live stream may be published to: by one machine at a time. Two with the same cloned card
/// would fight over it, each at its own ingest, and Bunny's ingests let them.
package enum PublisherClaim: Equatable, Sendable {
  /// Nobody else publishes to it.
  case free
  /// Somebody else does: an ingest heard of their encoder so long ago.
  case taken(lastPing: Duration)

  /// An ingest that has not heard of its encoder for so long has none, whatever its flag says.
  private static let freshness = 10.0
  /// So many seconds after the last record of our own publishing a ping may still be ours: the record is
  /// renewed every ten seconds, and an ingest may take a while to notice that its encoder has died.
  private static let afterCrash = 60.0
  /// The same after we took our leave.
  private static let afterLeave = 5.0

  /// - Parameters:
  ///   - status: what Bunny's ingests see.
  ///   - own: when this machine published to it last.
  ///   - bootId: that of the clock `now` is of.
  package init(
    _ status: BunnyLiveStreamIngestStatus, own: StreamRecord.Publishing?, bootId: String,
    at now: MonotonicTime
  ) {
    // What is not told is not held against anybody: a kiosk that is needed stays off air for it.
    guard status.isLive, let lastPing = status.lastPingAgo, lastPing < Int64(Self.freshness * 1000)
    else {
      self = .free
      return
    }
    let age = Double(lastPing) / 1000
    let isOwn = own.map { own in
      let longest = own.hasLeft ? Self.afterLeave : Self.afterCrash
      return Self.seconds(since: own, status, bootId, now).map { $0 - age <= longest } ?? false
    }
    self = isOwn == true ? .free : .taken(lastPing: .milliseconds(lastPing))
  }

  /// How long ago we published last: by the server's clock and by this machine's, if it has not been
  /// started anew since. The longer one: this machine's stands still while it sleeps.
  private static func seconds(
    since own: StreamRecord.Publishing, _ status: BunnyLiveStreamIngestStatus, _ bootId: String,
    _ now: MonotonicTime
  ) -> Double? {
    let byBoot = own.bootId == bootId ? Double(now - own.at) / 1e9 : nil
    let byServer = own.serverTime.flatMap { status.statusTime?.timeIntervalSince($0) }
    return [byBoot, byServer].compactMap(\.self).max()
  }
}
