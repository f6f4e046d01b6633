public import FoundationEssentials

/// Bunny's live streams. Every method throws a ``BunnyLiveStreamError`` and nothing else, may be called
/// from anywhere and beside others, and ends at once when its task is cancelled.
///
/// A value that no server takes is refused before anything is sent, with
/// ``BunnyLiveStreamError/Kind/invalidRequest`` and the name of the field.
public protocol LiveStreamRepository: Sendable {
  /// One page of the library's streams; an empty one where it has none.
  ///
  /// - Parameters:
  ///   - page: from 1 on.
  ///   - itemsPerPage: the server takes nil for 100.
  ///   - search: what the title holds.
  ///   - orderBy: `date` (the server's choice), `title`, `status`, `started`, `ended` or `planned`.
  func listLiveStreams(
    libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamList

  /// The stream as it is now, stream key and ingests included.
  func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream

  /// Makes a stream. Its key may be missing in the answer, and come later.
  func createLiveStream(
    libraryId: Int, request: BunnyLiveStreamCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream

  /// Changes what `request` sets; returns the stream as it is then.
  func updateLiveStream(
    libraryId: Int, streamId: String, request: BunnyLiveStreamUpdateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream

  /// Deletes the stream for good; a recording of it stays.
  func deleteLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError)

  /// Shows the stream to viewers: from preview to running. For when an encoder publishes.
  func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError)

  /// Ends the stream for good: it can never run again.
  func stopLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError)

  /// Gives the stream another key; the old one is void at once. Refused for one that has ended.
  func regenerateStreamKey(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream

  /// What a player needs.
  ///
  /// - Parameters:
  ///   - token: for libraries that protect playback with tokens.
  ///   - expires: until when that holds, in UNIX seconds.
  func fetchPlayData(
    libraryId: Int, streamId: String, token: String?, expires: Int64?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamPlayData

  /// What the ingests see of the stream; may be asked often.
  func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus

  /// Has Bunny fetch the picture that is shown while the stream is off.
  ///
  /// - Parameter thumbnailUrl: of http or https.
  func setThumbnail(
    libraryId: Int, streamId: String, thumbnailUrl: String
  ) async throws(BunnyLiveStreamError)

  /// Sends the picture that is shown while the stream is off.
  ///
  /// - Parameter imageData: a file of that format, at most ``BunnyImageFormat/mostBytes``.
  func uploadThumbnail(
    libraryId: Int, streamId: String, imageData: Data, format: BunnyImageFormat
  ) async throws(BunnyLiveStreamError)

  /// Pictures that were taken while the stream ran, the newest first.
  ///
  /// - Parameters:
  ///   - limit: the server takes nil for 5.
  ///   - from: the earliest, in whole seconds.
  ///   - to: the latest.
  func listThumbnails(
    libraryId: Int, streamId: String, limit: Int?, from: Date?, to: Date?
  ) async throws(BunnyLiveStreamError) -> [BunnyLiveStreamThumbnail]

  /// Takes the stream's own picture away; one that has none is ``BunnyLiveStreamError/Kind/notFound``.
  ///
  /// - Parameter restoreLibraryDefault: shows the library's picture then, if there is one.
  func deleteThumbnail(
    libraryId: Int, streamId: String, restoreLibraryDefault: Bool
  ) async throws(BunnyLiveStreamError)
}
