/// What Bunny's API answers, as its OpenAPI file has it: every field, at the length of real ones.
enum APIAnswers {
  /// The path of a library's live streams.
  static let streams = "/library/12/live"

  static let status = """
    {"primaryLive":true,"backupLive":false,"lastPingAgo":3,"readyToStart":true,\
    "statusTimeUtc":"2026-07-01T08:20:12.2500000Z"}
    """

  static let stream = """
    {"guid":"7b9f4c1e-0000-4000-8000-0123456789ab","videoLibraryId":12,"title":"Evening news",\
    "description":"What happened today, and what it means for tomorrow.","status":4,\
    "streamKey":"sk_0123456789abcdef0123456789abcdef",\
    "playbackUrlHls":"https://vz-01234567-89a.b-cdn.net/7b9f4c1e-0000-4000-8000-0123456789ab/playlist.m3u8",\
    "ingestEndpoints":{"rtmp":{"primaryIngestUrl":"rtmp://de.rtmp.mediadelivery.net/live",\
    "backupIngestUrl":"rtmp://uk.rtmp.mediadelivery.net/live"}},"recordVod":true,"dvrEnabled":true,\
    "dvrWindowSeconds":7200,"public":true,"collectionId":null,\
    "scheduledStartTime":"2026-07-01T08:20:00","scheduledEndTime":"2026-07-01T10:20:00",\
    "enableCountdown":true,"preStreamTrailerVideoId":null,"startedAt":"2026-07-01T08:20:12.25Z",\
    "thumbnailUrl":"https://vz-01234567-89a.b-cdn.net/7b9f4c1e/thumbnail.jpg",\
    "thumbnailFileName":"thumbnail.jpg","thumbnailUpdatedAt":"2026-07-01T08:21:00Z",\
    "primaryLive":true,"backupLive":false,"ingestRegion":"DE","rtmpOutputs":[],"category":"News",\
    "dateCreated":"2026-06-30T20:00:00","endedAt":null,"durationSeconds":null,\
    "availableResolutions":"240p,360p,480p,720p","width":1280,"height":720,"framerate":29.97,\
    "peakConcurrentViewers":120,"totalViewerSeconds":43200}
    """

  static let page = """
    {"totalItems":100,"currentPage":1,"itemsPerPage":100,\
    "items":[\(Array(repeating: stream, count: 100).joined(separator: ","))]}
    """
}
