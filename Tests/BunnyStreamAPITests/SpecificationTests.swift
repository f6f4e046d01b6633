import BunnyStreamAPI
import Foundation
import Testing

/// A call, whatever it answers with.
struct AnyCall: Sendable {
  let operation: String
  let place: String
  let query: [String]
  let body: RESTBody?
  let repetition: RESTRepetition
  let flaw: String?

  init<Answer>(_ operation: String, _ call: RESTCall<Answer>) {
    self.operation = operation
    place = "\(call.method.rawValue) /\(call.path.joined(separator: "/"))"
    query = call.query.map(\.name)
    body = call.body
    repetition = call.repetition
    flaw = call.flaw
  }

  /// The names of a JSON body's fields.
  var fields: [String] {
    guard body?.type == "application/json", let bytes = body?.bytes else { return [] }
    let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any]
    return object.map { Array($0.keys) } ?? []
  }
}

let now = Date(timeIntervalSince1970: 1_782_894_000)  // 2026-07-01 08:20:00 UTC
let later = now.addingTimeInterval(3600)

/// A request in which everything is set.
let wholeRequest = BunnyLiveStreamUpdateRequest(
  title: "t", description: "d", collectionId: "c", scheduledStartTime: later,
  scheduledEndTime: later.addingTimeInterval(60), isPublic: false, dvrEnabled: true,
  dvrWindowSeconds: 60, recordVod: true, enableCountdown: true, preStreamTrailerVideoId: "v",
  rtmpOutputs: [BunnyRtmpOutput(endpoint: "rtmp://e/a", streamKey: "k")])
let wholeCreation = BunnyLiveStreamCreateRequest(
  title: "t", description: "d", collectionId: "c", scheduledStartTime: later,
  scheduledEndTime: later.addingTimeInterval(60), isPublic: false, dvrEnabled: true,
  dvrWindowSeconds: 60, recordVod: true, enableCountdown: true, preStreamTrailerVideoId: "v",
  rtmpOutputs: [BunnyRtmpOutput(endpoint: "rtmp://e/a", streamKey: "k")])

struct SpecificationTests {
  private static let picture = Data([0xFF, 0xD8])

  /// Every call of this library, with everything that it can be given.
  static let calls: [AnyCall] = liveCalls + thumbnailCalls + videoCalls + collectionCalls

  private static let liveCalls: [AnyCall] = [
    AnyCall(
      "LiveStream_List",
      RESTCall<BunnyLiveStreamList>.listLiveStreams(
        in: 12, page: 2, itemsPerPage: 5, search: "s", orderBy: "title", collectionId: "c")),
    AnyCall("LiveStream_GetByStreamId", RESTCall.getLiveStream("g", in: 12)),
    AnyCall("LiveStream_Create", RESTCall.createLiveStream(wholeCreation, in: 12, now: now)),
    AnyCall("LiveStream_Update", RESTCall.updateLiveStream("g", wholeRequest, in: 12, now: now)),
    AnyCall("LiveStream_Delete", RESTCall<Void>.deleteLiveStream("g", in: 12)),
    AnyCall("LiveStream_StartStream", RESTCall<Void>.startLiveStream("g", in: 12)),
    AnyCall("LiveStream_StopStream", RESTCall<Void>.stopLiveStream("g", in: 12)),
    AnyCall("LiveStream_RegenerateStreamKey", RESTCall.regenerateStreamKey("g", in: 12)),
    AnyCall(
      "LiveStream_GetStreamPlayData",
      RESTCall.playData("g", in: 12, token: "t", expires: 1_782_894_000)),
    AnyCall("LiveStream_GetStreamStatus", RESTCall.ingestStatus("g", in: 12)),
    AnyCall(
      "LiveStream_GetBitrateHistory",
      RESTCall.bitrateHistory(of: "g", in: 12, from: now, to: later)),
    AnyCall("LiveStream_GetLatestBitrate", RESTCall.currentBitrate(of: "g", in: 12)),
    AnyCall(
      "LiveStatistics_GetEncodingStatistics",
      RESTCall.encodingStatistics(
        in: 12,
        BunnyEncodingStatisticsQuery(
          from: now, to: later, isHourly: true, streamIds: ["a", "b"], videoCodecs: ["H264"],
          heights: [720]))),
  ]

  private static let thumbnailCalls: [AnyCall] = [
    AnyCall(
      "LiveStream_SetThumbnail",
      RESTCall<Void>.setThumbnail("https://h/p.jpg", of: "g", in: 12)),
    AnyCall(
      "LiveStream_SetThumbnail",
      RESTCall<Void>.uploadThumbnail(picture, .jpeg, of: "g", in: 12)),
    AnyCall(
      "LiveStream_DeleteThumbnail",
      RESTCall<Void>.deleteThumbnail(of: "g", in: 12, restoreLibraryDefault: true)),
    AnyCall(
      "LiveStream_GetThumbnails",
      RESTCall.listThumbnails("g", in: 12, limit: 3, from: now, to: later)),
    AnyCall(
      "Video_SetThumbnail", RESTCall<Void>.setThumbnail("https://h/p.jpg", ofVideo: "g", in: 12)),
    AnyCall(
      "Video_SetThumbnail",
      RESTCall<Void>.uploadThumbnail(picture, .png, ofVideo: "g", in: 12)),
  ]

  private static let videoCalls: [AnyCall] = [
    AnyCall(
      "Video_List",
      RESTCall<BunnyVideoList>.listVideos(
        in: 12, page: 1, itemsPerPage: 10, search: "s", collectionId: "c", orderBy: "date")),
    AnyCall("Video_GetVideo", RESTCall.getVideo("g", in: 12)),
    AnyCall(
      "Video_CreateVideo",
      RESTCall.createVideo(
        BunnyVideoCreateRequest(title: "t", collectionId: "c", thumbnailTime: 0), in: 12)),
    AnyCall(
      "Video_UpdateVideo",
      RESTCall<Void>.updateVideo(
        "g",
        BunnyVideoUpdateRequest(
          title: "t", collectionId: "c", chapters: [.init(title: "c", start: 0, end: 1)],
          moments: [.init(label: "m", timestamp: 1)], metaTags: [.init(property: "p", value: "v")]),
        in: 12)),
    AnyCall("Video_DeleteVideo", RESTCall<Void>.deleteVideo("g", in: 12)),
  ]

  private static let collectionCalls: [AnyCall] = [
    AnyCall(
      "Collection_List",
      RESTCall<BunnyCollectionList>.listCollections(
        in: 12, page: 1, itemsPerPage: 10, search: "s", orderBy: "date", includeThumbnails: true)),
    AnyCall(
      "Collection_GetCollection",
      RESTCall.getCollection("g", in: 12, includeThumbnails: true)),
    AnyCall("Collection_CreateCollection", RESTCall.createCollection("n", in: 12)),
    AnyCall(
      "Collection_UpdateCollection", RESTCall<Void>.updateCollection("g", name: "n", in: 12)),
    AnyCall("Collection_DeleteCollection", RESTCall<Void>.deleteCollection("g", in: 12)),
  ]

  @Test func `every operation of the specification's table has its call`() {
    #expect(Set(Self.calls.map(\.operation)) == Set(Specification.operations.map(\.name)))
    #expect(Self.calls.allSatisfy { $0.flaw == nil })
  }

  @Test(arguments: calls)
  func `each call has the specification's method, path, parameters and fields`(
    _ call: AnyCall
  ) throws {
    let operation = try #require(Specification.operation(call.operation))
    let place = operation.place.replacing("{libraryId}", with: "12")
      .replacing(/\{(stream|video|collection)Id\}/, with: "g")
    #expect(call.place == place)
    #expect(Set(call.fields) == Set(operation.fields))
    switch (call.body?.type, operation.body) {
    case (nil, .nothing), (nil, .bytes), ("application/json", .json):
      #expect(Set(call.query) == Set(operation.query))
    case ("image/jpeg", .bytes), ("image/png", .bytes): #expect(call.query == [])
    default: Issue.record("\(call.operation) carries \(call.body?.type ?? "nothing")")
    }
  }

  @Test func `what must not be done twice is marked so`() {
    let once = Self.calls.filter { $0.repetition == .once }.map(\.operation)
    #expect(
      once == [
        "LiveStream_Create", "LiveStream_RegenerateStreamKey", "Video_CreateVideo",
        "Collection_CreateCollection",
      ])
    let reads = Self.calls.filter { $0.repetition == .read }
    #expect(reads.map(\.place).allSatisfy { $0.hasPrefix("GET ") })
    #expect(reads.count == Self.calls.count { $0.place.hasPrefix("GET ") })
  }
}
