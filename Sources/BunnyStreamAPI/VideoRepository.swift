public import FoundationEssentials

/// Bunny's videos. As for a ``LiveStreamRepository``: one error, any thread, prompt cancellation, and
/// nothing is sent that no server takes.
public protocol VideoRepository: Sendable {
  /// One page of the library's videos.
  ///
  /// - Parameters:
  ///   - page: from 1 on.
  ///   - itemsPerPage: the server takes nil for 100.
  ///   - search: what the title holds.
  ///   - collectionId: only those that lie in it.
  ///   - orderBy: the server takes nil for `date`.
  func listVideos(
    libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, collectionId: String?,
    orderBy: String?
  ) async throws(BunnyLiveStreamError) -> BunnyVideoList

  /// The video as it is now.
  func getVideo(libraryId: Int, videoId: String) async throws(BunnyLiveStreamError) -> BunnyVideo

  /// Makes a video without a picture yet: for an upload.
  func createVideo(
    libraryId: Int, request: BunnyVideoCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyVideo

  /// Changes what `request` sets.
  func updateVideo(
    libraryId: Int, videoId: String, request: BunnyVideoUpdateRequest
  ) async throws(BunnyLiveStreamError)

  /// Deletes the video with its files, for good.
  func deleteVideo(libraryId: Int, videoId: String) async throws(BunnyLiveStreamError)

  /// Has Bunny fetch the video's picture.
  ///
  /// - Parameter thumbnailUrl: of http or https.
  func setThumbnail(
    libraryId: Int, videoId: String, thumbnailUrl: String
  ) async throws(BunnyLiveStreamError)

  /// Sends the video's picture.
  ///
  /// - Parameter imageData: a file of that format, at most ``BunnyImageFormat/mostBytes``.
  func uploadThumbnail(
    libraryId: Int, videoId: String, imageData: Data, format: BunnyImageFormat
  ) async throws(BunnyLiveStreamError)
}

/// Bunny's videos over its REST API.
public struct DefaultVideoRepository: VideoRepository {
  private let client: RESTClient

  init(_ client: RESTClient) { self.client = client }

  public func listVideos(
    libraryId: Int, page: Int? = nil, itemsPerPage: Int? = nil, search: String? = nil,
    collectionId: String? = nil, orderBy: String? = nil
  ) async throws(BunnyLiveStreamError) -> BunnyVideoList {
    try await client.send(
      .listVideos(
        in: libraryId, page: page, itemsPerPage: itemsPerPage, search: search,
        collectionId: collectionId, orderBy: orderBy))
  }

  public func getVideo(
    libraryId: Int, videoId: String
  ) async throws(BunnyLiveStreamError) -> BunnyVideo {
    try await client.send(.getVideo(videoId, in: libraryId))
  }

  public func createVideo(
    libraryId: Int, request: BunnyVideoCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyVideo {
    try await client.send(.createVideo(request, in: libraryId))
  }

  public func updateVideo(
    libraryId: Int, videoId: String, request: BunnyVideoUpdateRequest
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.updateVideo(videoId, request, in: libraryId))
  }

  public func deleteVideo(
    libraryId: Int, videoId: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.deleteVideo(videoId, in: libraryId))
  }

  public func setThumbnail(
    libraryId: Int, videoId: String, thumbnailUrl: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.setThumbnail(thumbnailUrl, ofVideo: videoId, in: libraryId))
  }

  public func uploadThumbnail(
    libraryId: Int, videoId: String, imageData: Data, format: BunnyImageFormat
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.uploadThumbnail(imageData, format, ofVideo: videoId, in: libraryId))
  }
}
