public import FoundationEssentials

/// A live stream: one broadcast, from its making to its end.
///
/// Printing one, in any way, does not show its stream key.
public struct BunnyLiveStream: Equatable, Sendable {
  /// The stream's GUID.
  public let id: String?
  public let libraryId: Int64?
  public let title: String?
  public let description: String?
  private let key: HiddenText?
  /// Where viewers' players find it (HLS).
  public let playbackUrl: String?
  /// Where to publish to, without the stream key.
  public let primaryIngestUrl: String?
  /// Where to publish to when the primary fails; nil when there is no backup.
  public let backupIngestUrl: String?
  public let status: BunnyLiveStreamStatus
  /// Whether the stream is kept as a video once it has ended.
  public let recordVod: Bool
  public let dvrEnabled: Bool
  /// How far viewers can go back, in seconds; 0 without DVR.
  public let dvrWindowSeconds: Int
  public let isPublic: Bool
  public let collectionId: String?
  public let scheduledStartTime: Date?
  public let scheduledEndTime: Date?
  public let enableCountdown: Bool
  /// The GUID of the video that is shown before the stream starts.
  public let preStreamTrailerVideoId: String?
  public let startedAt: Date?
  public let thumbnailUrl: String?
  /// A path inside the CDN zone; ``offlineThumbnailUrl`` makes a URL of it.
  public let thumbnailFileName: String?
  /// Rarely told here: ask for the ingest status.
  public let primaryLive: Bool?
  /// Rarely told here: ask for the ingest status.
  public let backupLive: Bool?
  public let ingestRegion: String?
  public let rtmpOutputs: [BunnyRtmpOutput]

  /// What an encoder publishes under. Secret; may be missing just after the stream was made.
  public var streamKey: String? { key?.reveal() }

  /// Where to find the picture that is shown while the stream is off; nil when there is none.
  public var offlineThumbnailUrl: URL? {
    guard let id, let thumbnailFileName, !id.isEmpty, !thumbnailFileName.isEmpty,
      let host = playbackUrl.flatMap(URL.init(string:))?.host
    else { return nil }
    return URL(string: "https://\(host)/\(id)/\(thumbnailFileName)")
  }

  public init(
    id: String?, libraryId: Int64? = nil, title: String? = nil, description: String? = nil,
    streamKey: String? = nil, playbackUrl: String? = nil, primaryIngestUrl: String? = nil,
    backupIngestUrl: String? = nil, status: BunnyLiveStreamStatus = .unknown,
    recordVod: Bool = false, dvrEnabled: Bool = false, dvrWindowSeconds: Int = 0,
    isPublic: Bool = false, collectionId: String? = nil, scheduledStartTime: Date? = nil,
    scheduledEndTime: Date? = nil, enableCountdown: Bool = false,
    preStreamTrailerVideoId: String? = nil, startedAt: Date? = nil, thumbnailUrl: String? = nil,
    thumbnailFileName: String? = nil, primaryLive: Bool? = nil, backupLive: Bool? = nil,
    ingestRegion: String? = nil, rtmpOutputs: [BunnyRtmpOutput] = []
  ) {
    self.id = id
    self.libraryId = libraryId
    self.title = title
    self.description = description
    key = streamKey.map(HiddenText.init)
    self.playbackUrl = playbackUrl
    self.primaryIngestUrl = primaryIngestUrl
    self.backupIngestUrl = backupIngestUrl
    self.status = status
    self.recordVod = recordVod
    self.dvrEnabled = dvrEnabled
    self.dvrWindowSeconds = dvrWindowSeconds
    self.isPublic = isPublic
    self.collectionId = collectionId
    self.scheduledStartTime = scheduledStartTime
    self.scheduledEndTime = scheduledEndTime
    self.enableCountdown = enableCountdown
    self.preStreamTrailerVideoId = preStreamTrailerVideoId
    self.startedAt = startedAt
    self.thumbnailUrl = thumbnailUrl
    self.thumbnailFileName = thumbnailFileName
    self.primaryLive = primaryLive
    self.backupLive = backupLive
    self.ingestRegion = ingestRegion
    self.rtmpOutputs = rtmpOutputs
  }
}
