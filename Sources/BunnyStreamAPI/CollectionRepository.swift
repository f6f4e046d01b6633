/// The collections in which a library's videos and live streams lie. As for a
/// ``LiveStreamRepository``: one error, any thread, prompt cancellation, and nothing is sent that no
/// server takes.
public protocol CollectionRepository: Sendable {
  /// One page of the library's collections.
  ///
  /// - Parameters:
  ///   - page: from 1 on.
  ///   - itemsPerPage: the server takes nil for 100.
  ///   - search: what the name holds.
  ///   - orderBy: the server takes nil for `date`.
  ///   - includeThumbnails: tells ``BunnyCollection/previewImageUrls``.
  func listCollections(
    libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?,
    includeThumbnails: Bool
  ) async throws(BunnyLiveStreamError) -> BunnyCollectionList

  /// The collection as it is now.
  ///
  /// - Parameter includeThumbnails: tells ``BunnyCollection/previewImageUrls``.
  func getCollection(
    libraryId: Int, collectionId: String, includeThumbnails: Bool
  ) async throws(BunnyLiveStreamError) -> BunnyCollection

  /// - Parameter name: not blank.
  func createCollection(
    libraryId: Int, name: String
  ) async throws(BunnyLiveStreamError) -> BunnyCollection

  /// Gives the collection another name, which is not blank.
  func updateCollection(
    libraryId: Int, collectionId: String, name: String
  ) async throws(BunnyLiveStreamError)

  /// Deletes the collection for good.
  func deleteCollection(
    libraryId: Int, collectionId: String
  ) async throws(BunnyLiveStreamError)
}

/// Bunny's collections over its REST API.
public struct DefaultCollectionRepository: CollectionRepository {
  private let client: RESTClient

  init(_ client: RESTClient) { self.client = client }

  public func listCollections(
    libraryId: Int, page: Int? = nil, itemsPerPage: Int? = nil, search: String? = nil,
    orderBy: String? = nil, includeThumbnails: Bool = false
  ) async throws(BunnyLiveStreamError) -> BunnyCollectionList {
    try await client.send(
      .listCollections(
        in: libraryId, page: page, itemsPerPage: itemsPerPage, search: search, orderBy: orderBy,
        includeThumbnails: includeThumbnails))
  }

  public func getCollection(
    libraryId: Int, collectionId: String, includeThumbnails: Bool = false
  ) async throws(BunnyLiveStreamError) -> BunnyCollection {
    try await client.send(
      .getCollection(collectionId, in: libraryId, includeThumbnails: includeThumbnails))
  }

  public func createCollection(
    libraryId: Int, name: String
  ) async throws(BunnyLiveStreamError) -> BunnyCollection {
    try await client.send(.createCollection(name, in: libraryId))
  }

  public func updateCollection(
    libraryId: Int, collectionId: String, name: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.updateCollection(collectionId, name: name, in: libraryId))
  }

  public func deleteCollection(
    libraryId: Int, collectionId: String
  ) async throws(BunnyLiveStreamError) {
    try await client.send(.deleteCollection(collectionId, in: libraryId))
  }
}
