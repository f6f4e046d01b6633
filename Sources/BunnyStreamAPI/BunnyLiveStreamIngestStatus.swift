public import FoundationEssentials

/// What Bunny's ingests see of a stream: the call that is meant to be asked often.
public struct BunnyLiveStreamIngestStatus: Equatable, Sendable {
  /// Whether the stream may be started. False when not told.
  public let readyToStart: Bool
  /// Whether the primary ingest receives the stream; nil, which is not false, when not told.
  public let primaryLive: Bool?
  /// Whether the backup ingest receives the stream; nil, which is not false, when not told.
  public let backupLive: Bool?
  /// Milliseconds since the ingest last heard of the encoder.
  public let lastPingAgo: Int64?
  /// Seconds for which the stream has run.
  public let duration: Int?
  /// When Bunny looked.
  public let statusTime: Date?

  /// Whether either ingest is known to receive the stream.
  public var isLive: Bool { primaryLive == true || backupLive == true }

  public init(
    readyToStart: Bool, primaryLive: Bool?, backupLive: Bool?, lastPingAgo: Int64? = nil,
    duration: Int? = nil, statusTime: Date? = nil
  ) {
    self.readyToStart = readyToStart
    self.primaryLive = primaryLive
    self.backupLive = backupLive
    self.lastPingAgo = lastPingAgo
    self.duration = duration
    self.statusTime = statusTime
  }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    self.init(
      readyToStart: json["readyToStart"]?.flag ?? false,
      primaryLive: json["primaryLive"]?.flag,
      backupLive: json["backupLive"]?.flag,
      lastPingAgo: json["lastPingAgo"]?.whole,
      duration: json["duration"]?.int,
      statusTime: json["statusTimeUtc"]?.date)
  }
}
