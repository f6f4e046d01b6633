public import FoundationEssentials

/// Bunny's live streams over its REST API.
public struct DefaultLiveStreamRepository: LiveStreamRepository {
  private let client: RESTClient

  init(_ client: RESTClient) { self.client = client }

  /// The same as ``BunnyStreamAPI/liveStreams``.
  public init(bunnyStreamAPI: BunnyStreamAPI) { self = bunnyStreamAPI.liveStreams }

  public func listLiveStreams(
    libraryId: Int, page: Int? = nil, itemsPerPage: Int? = nil, search: String? = nil,
    orderBy: String? = nil
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamList {
    try await listLiveStreams(
      libraryId: libraryId, page: page, itemsPerPage: itemsPerPage, search: search,
      orderBy: orderBy, collectionId: nil)
  }

  /// As above, of one collection.
  public func listLiveStreams(
    libraryId: Int, page: Int? = nil, itemsPerPage: Int? = nil, search: String? = nil,
    orderBy: String? = nil, collectionId: String?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamList {
    try await client.send(
      .listLiveStreams(
        in: libraryId, page: page, itemsPerPage: itemsPerPage, search: search, orderBy: orderBy,
        collectionId: collectionId))
  }

  public func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await client.send(.getLiveStream(streamId, in: libraryId))
  }

  public func createLiveStream(
    libraryId: Int, request: BunnyLiveStreamCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await client.send(.createLiveStream(request, in: libraryId, now: Date()))
  }

  public func updateLiveStream(
    libraryId: Int, streamId: String, request: BunnyLiveStreamUpdateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await client.send(.updateLiveStream(streamId, request, in: libraryId, now: Date()))
  }

  public func deleteLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.deleteLiveStream(streamId, in: libraryId))
  }

  public func startLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.startLiveStream(streamId, in: libraryId))
  }

  public func stopLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.stopLiveStream(streamId, in: libraryId))
  }

  public func regenerateStreamKey(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await client.send(.regenerateStreamKey(streamId, in: libraryId))
  }

  public func fetchPlayData(
    libraryId: Int, streamId: String, token: String? = nil, expires: Int64? = nil
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamPlayData {
    try await client.send(.playData(streamId, in: libraryId, token: token, expires: expires))
  }

  public func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
    try await client.send(.ingestStatus(streamId, in: libraryId))
  }

  public func setThumbnail(
    libraryId: Int, streamId: String, thumbnailUrl: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.setThumbnail(thumbnailUrl, of: streamId, in: libraryId))
  }

  public func uploadThumbnail(
    libraryId: Int, streamId: String, imageData: Data, format: BunnyImageFormat
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.uploadThumbnail(imageData, format, of: streamId, in: libraryId))
  }

  /// Where the server's URLs are relative, the stream is fetched too: its playback URL completes them.
  public func listThumbnails(
    libraryId: Int, streamId: String, limit: Int? = nil, from: Date? = nil, to: Date? = nil
  ) async throws(BunnyLiveStreamError) -> [BunnyLiveStreamThumbnail] {
    let thumbnails = try await client.send(
      .listThumbnails(streamId, in: libraryId, limit: limit, from: from, to: to))
    guard thumbnails.contains(where: \.isRelative) else { return thumbnails }
    let stream = try await getLiveStream(libraryId: libraryId, streamId: streamId)
    let playback = stream.playbackUrl.flatMap(URL.init(string:))
    return thumbnails.map { $0.absolute(with: playback) }
  }

  public func deleteThumbnail(
    libraryId: Int, streamId: String, restoreLibraryDefault: Bool = false
  ) async throws(BunnyLiveStreamError) {
    try await client.send(
      .deleteThumbnail(
        of: streamId, in: libraryId, restoreLibraryDefault: restoreLibraryDefault))
  }
}

extension DefaultLiveStreamRepository {
  /// The stream's bit rates over time, as the server sends them: their format is documented nowhere.
  public func fetchBitrateHistory(
    libraryId: Int, streamId: String, from: Date? = nil, to: Date? = nil
  ) async throws(BunnyLiveStreamError) -> Data {
    try await client.send(.bitrateHistory(of: streamId, in: libraryId, from: from, to: to))
  }

  /// The stream's bit rate now, as the server sends it: its format is documented nowhere.
  public func fetchCurrentBitrate(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> Data {
    try await client.send(.currentBitrate(of: streamId, in: libraryId))
  }

  /// How many seconds Bunny has encoded, as the server sends it: JSON with `totalEncodingSeconds` and
  /// four charts.
  public func fetchEncodingStatistics(
    libraryId: Int, query: BunnyEncodingStatisticsQuery = BunnyEncodingStatisticsQuery()
  ) async throws(BunnyLiveStreamError) -> Data {
    try await client.send(.encodingStatistics(in: libraryId, query))
  }
}
