/// Bunny's live streams. Every method throws a ``BunnyLiveStreamError`` and nothing else.
public protocol LiveStreamRepository: Sendable {
  /// The stream as it is now, stream key and ingests included.
  func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream

  /// What the ingests see of the stream; may be asked often.
  func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus

  /// Shows the stream to viewers: from preview to running. For when an encoder publishes.
  func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError)

  /// Ends the stream for good: it can never run again.
  func stopLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError)
}

/// Bunny's live streams over its REST API.
public struct DefaultLiveStreamRepository: LiveStreamRepository {
  private let client: RESTClient

  init(_ client: RESTClient) { self.client = client }

  public func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    let stream = try await client.send(.getLiveStream(streamId, in: libraryId))
    client.hide(stream.secrets)
    return stream
  }

  public func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
    try await client.send(.ingestStatus(streamId, in: libraryId))
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
}
