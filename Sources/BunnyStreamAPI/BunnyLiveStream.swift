public import FoundationEssentials

/// A live stream: one broadcast, from its making to its end.
///
/// Printing one, in any way, does not show its stream key.
public struct BunnyLiveStream: Equatable, Sendable {
  /// The stream's GUID.
  public let id: String?
  /// The number of the video library that it belongs to.
  public let libraryId: Int64?
  /// Its name, for people.
  public let title: String?
  /// What its owner wrote about it.
  public let description: String?
  private let key: HiddenText?
  /// Where viewers' players find it (HLS).
  public let playbackUrl: String?
  /// Where to publish to, without the stream key.
  public let primaryIngestUrl: String?
  /// Where to publish to when the primary fails; nil when there is no backup.
  public let backupIngestUrl: String?
  /// Where it is in its life.
  public let status: BunnyLiveStreamStatus
  /// Whether the stream is kept as a video once it has ended. False when not told.
  public let recordVod: Bool
  /// Whether viewers can go back while it is live. False when not told.
  public let dvrEnabled: Bool
  /// How far viewers can go back, in seconds; 0 without DVR.
  public let dvrWindowSeconds: Int
  /// Whether anybody may watch it. False when not told.
  public let isPublic: Bool
  /// The GUID of the collection that it lies in; nil when it lies in none.
  public let collectionId: String?
  /// When it is planned to start; nil without a plan.
  public let scheduledStartTime: Date?
  /// When it is planned to end; nil without a plan.
  public let scheduledEndTime: Date?
  /// Whether viewers see how long it is to ``scheduledStartTime``. False when not told.
  public let enableCountdown: Bool
  /// The GUID of the video that is shown before the stream starts.
  public let preStreamTrailerVideoId: String?
  /// When publishing began; nil while it has not.
  public let startedAt: Date?
  /// The URL of its picture. Rarely told: ``offlineThumbnailUrl`` makes one.
  public let thumbnailUrl: String?
  /// A path inside the CDN zone; ``offlineThumbnailUrl`` makes a URL of it.
  public let thumbnailFileName: String?
  /// Rarely told here: ask for the ingest status.
  public let primaryLive: Bool?
  /// Rarely told here: ask for the ingest status.
  public let backupLive: Bool?
  /// Where Bunny takes the stream in, in its own abbreviations, as in `DE`.
  public let ingestRegion: String?
  /// The servers, at most four, to which Bunny forwards the stream.
  public let rtmpOutputs: [BunnyRtmpOutput]
  /// What sort of thing it is, as Bunny sees it.
  public let category: String?
  /// When it was made.
  public let createdAt: Date?
  /// When it ended; nil while it has not.
  public let endedAt: Date?
  /// For how long it ran, in seconds.
  public let durationSeconds: Int?
  /// The sizes that viewers may choose from, as in `720p`.
  public let availableResolutions: [String]
  /// Of the incoming picture, in pixels.
  public let width: Int?
  /// Of the incoming picture, in pixels.
  public let height: Int?
  /// Of the incoming picture, in frames a second.
  public let framerate: Double?
  /// The most viewers that it had at once.
  public let peakConcurrentViewers: Int?
  /// For how many seconds it was watched, all viewers together.
  public let totalViewerSeconds: Int64?
  /// When ``thumbnailFileName`` was last changed.
  public let thumbnailUpdatedAt: Date?

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
    ingestRegion: String? = nil, rtmpOutputs: [BunnyRtmpOutput] = [],
    category: String? = nil, createdAt: Date? = nil, endedAt: Date? = nil,
    durationSeconds: Int? = nil, availableResolutions: [String] = [], width: Int? = nil,
    height: Int? = nil, framerate: Double? = nil, peakConcurrentViewers: Int? = nil,
    totalViewerSeconds: Int64? = nil, thumbnailUpdatedAt: Date? = nil
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
    self.category = category
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.durationSeconds = durationSeconds
    self.availableResolutions = availableResolutions
    self.width = width
    self.height = height
    self.framerate = framerate
    self.peakConcurrentViewers = peakConcurrentViewers
    self.totalViewerSeconds = totalViewerSeconds
    self.thumbnailUpdatedAt = thumbnailUpdatedAt
  }
}
