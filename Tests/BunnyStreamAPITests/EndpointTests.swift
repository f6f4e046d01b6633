import BunnyStreamAPI
import Foundation
import Support
import Synchronization
import Testing

/// A call as a program makes it.
struct Endpoint: Sendable, CustomTestStringConvertible {
  enum Answer: Sendable {
    /// An object; anything else is none.
    case object
    case list
    /// Nothing, or any JSON.
    case nothing
    /// Whatever it is.
    case bytes
  }

  let operation: String
  let answer: Answer
  let call: @Sendable (BunnyStreamAPI) async throws(BunnyLiveStreamError) -> Void

  init(
    _ operation: String, _ answer: Answer,
    _ call: @escaping @Sendable (BunnyStreamAPI) async throws(BunnyLiveStreamError) -> Void
  ) {
    (self.operation, self.answer, self.call) = (operation, answer, call)
  }

  var testDescription: String { operation }
}

extension Endpoint {
  static let all: [Endpoint] = live + thumbnails + rest

  private static let live: [Endpoint] = [
    Endpoint("LiveStream_List", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.listLiveStreams(libraryId: 12)
    },
    Endpoint("LiveStream_GetByStreamId", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.getLiveStream(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_Create", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.createLiveStream(libraryId: 12, request: .init(title: "t"))
    },
    Endpoint("LiveStream_Update", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.updateLiveStream(
        libraryId: 12, streamId: "g", request: .init(description: ""))
    },
    Endpoint("LiveStream_Delete", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.deleteLiveStream(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_StartStream", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.startLiveStream(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_StopStream", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.stopLiveStream(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_RegenerateStreamKey", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.regenerateStreamKey(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_GetStreamPlayData", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.fetchPlayData(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_GetStreamStatus", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.ingestStatus(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_GetBitrateHistory", .bytes) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.fetchBitrateHistory(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_GetLatestBitrate", .bytes) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.fetchCurrentBitrate(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStatistics_GetEncodingStatistics", .bytes) {
      api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.fetchEncodingStatistics(libraryId: 12)
    },
  ]

  private static let thumbnails: [Endpoint] = [
    Endpoint("LiveStream_SetThumbnail", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.setThumbnail(
        libraryId: 12, streamId: "g", thumbnailUrl: "https://h/p.jpg")
    },
    Endpoint("LiveStream_SetThumbnail", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.uploadThumbnail(
        libraryId: 12, streamId: "g", imageData: Data([1]), format: .webp)
    },
    Endpoint("LiveStream_DeleteThumbnail", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.liveStreams.deleteThumbnail(libraryId: 12, streamId: "g")
    },
    Endpoint("LiveStream_GetThumbnails", .list) { api throws(BunnyLiveStreamError) in
      _ = try await api.liveStreams.listThumbnails(libraryId: 12, streamId: "g")
    },
    Endpoint("Video_SetThumbnail", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.videos.setThumbnail(
        libraryId: 12, videoId: "v", thumbnailUrl: "https://h/p.jpg")
    },
    Endpoint("Video_SetThumbnail", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.videos.uploadThumbnail(
        libraryId: 12, videoId: "v", imageData: Data([1]), format: .gif)
    },
  ]

  private static let rest: [Endpoint] = [
    Endpoint("Video_List", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.videos.listVideos(libraryId: 12)
    },
    Endpoint("Video_GetVideo", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.videos.getVideo(libraryId: 12, videoId: "v")
    },
    Endpoint("Video_CreateVideo", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.videos.createVideo(libraryId: 12, request: .init(title: "t"))
    },
    Endpoint("Video_UpdateVideo", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.videos.updateVideo(libraryId: 12, videoId: "v", request: .init(title: "t"))
    },
    Endpoint("Video_DeleteVideo", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.videos.deleteVideo(libraryId: 12, videoId: "v")
    },
    Endpoint("Collection_List", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.collections.listCollections(libraryId: 12)
    },
    Endpoint("Collection_GetCollection", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.collections.getCollection(libraryId: 12, collectionId: "c")
    },
    Endpoint("Collection_CreateCollection", .object) { api throws(BunnyLiveStreamError) in
      _ = try await api.collections.createCollection(libraryId: 12, name: "n")
    },
    Endpoint("Collection_UpdateCollection", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.collections.updateCollection(libraryId: 12, collectionId: "c", name: "n")
    },
    Endpoint("Collection_DeleteCollection", .nothing) { api throws(BunnyLiveStreamError) in
      try await api.collections.deleteCollection(libraryId: 12, collectionId: "c")
    },
  ]
}
