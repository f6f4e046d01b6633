import BunnyStreamAPI
import Foundation

/// A repository of a test's that answers only what broadcasts ask.
protocol PartlyScripted: LiveStreamRepository {}

/// What no broadcast asks for.
extension PartlyScripted {
  private var unscripted: BunnyLiveStreamError {
    BunnyLiveStreamError(kind: .unexpected, message: "a broadcast asked for what it never needs")
  }

  func updateLiveStream(
    libraryId: Int, streamId: String, request: BunnyLiveStreamUpdateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream { throw unscripted }

  func deleteLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
    throw unscripted
  }

  func regenerateStreamKey(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream { throw unscripted }

  func fetchPlayData(
    libraryId: Int, streamId: String, token: String?, expires: Int64?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamPlayData { throw unscripted }

  func setThumbnail(
    libraryId: Int, streamId: String, thumbnailUrl: String
  ) async throws(BunnyLiveStreamError) { throw unscripted }

  func uploadThumbnail(
    libraryId: Int, streamId: String, imageData: Data, format: BunnyImageFormat
  ) async throws(BunnyLiveStreamError) { throw unscripted }

  func listThumbnails(
    libraryId: Int, streamId: String, limit: Int?, from: Date?, to: Date?
  ) async throws(BunnyLiveStreamError) -> [BunnyLiveStreamThumbnail] { throw unscripted }

  func deleteThumbnail(
    libraryId: Int, streamId: String, restoreLibraryDefault: Bool
  ) async throws(BunnyLiveStreamError) { throw unscripted }
}
