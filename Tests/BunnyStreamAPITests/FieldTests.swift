import BunnyStreamAPI
import Foundation
import Testing

/// Which fields of the specification's answers are read. One that is misspelt here would not be.
struct FieldTests {
  /// An object with every field of a model.
  private static func sample(_ model: String) -> [String: Any] {
    var object: [String: Any] = [:]
    for (name, type) in Specification.models[model] ?? [] {
      object[name] = value(name, type)
    }
    return object
  }

  private static func value(_ name: String, _ type: String) -> Any {
    switch type {
    case "string": "\(name), other"
    case "date": "2026-07-01T08:20:00Z"
    case "integer": 3
    case "number": 29.97
    case "boolean": true
    case "list string": ["https://h/\(name)"]
    case "IngestEndpoints": ["rtmp": sample("IngestEndpointsRtmp")]
    case _ where type.hasPrefix("list "): [sample(String(type.dropFirst(5)))]
    default: sample(type)
    }
  }

  /// The fields of `model` without which the answer of `call` is the same.
  private func unread<Answer: Equatable>(
    _ model: String, _ call: RESTCall<Answer>, inList: Bool = false
  ) throws -> [String] {
    func read(_ object: [String: Any]) throws -> Answer {
      let body = try JSONSerialization.data(withJSONObject: inList ? [object] : object)
      return try call.answer(from: HTTPAnswer(status: 200, body: body), TextCleaner(hiding: []))
        .get()
    }
    let whole = Self.sample(model)
    #expect(!whole.isEmpty)
    let expected = try read(whole)
    return try whole.keys.filter { key in
      var part = whole
      part[key] = nil
      return try read(part) == expected
    }.sorted()
  }

  @Test func `all that is told of a live stream is read`() throws {
    #expect(try unread("LiveStreamModel", RESTCall.getLiveStream("g", in: 1)) == [])
  }

  @Test func `both ingests and a forwarding's address and key are read`() throws {
    let body = try JSONSerialization.data(withJSONObject: Self.sample("LiveStreamModel"))
    let stream = try RESTCall.getLiveStream("g", in: 1)
      .answer(from: HTTPAnswer(status: 200, body: body), TextCleaner(hiding: [])).get()
    #expect(stream.primaryIngestUrl == "primaryIngestUrl, other")
    #expect(stream.backupIngestUrl == "backupIngestUrl, other")
    #expect(
      stream.rtmpOutputs == [
        BunnyRtmpOutput(endpoint: "endpoint, other", streamKey: "streamKey, other")
      ])
    #expect(stream.availableResolutions == ["availableResolutions", "other"])
  }

  @Test func `all that is told of the ingests is read`() throws {
    #expect(try unread("LiveStreamStatusModel", RESTCall.ingestStatus("g", in: 1)) == [])
  }

  @Test func `of play data what the iOS SDK has, and the fallback, is read`() throws {
    #expect(
      try unread(
        "LiveStreamPlayDataModel", RESTCall.playData("g", in: 1, token: nil, expires: nil))
        == [
          "allowEarlyPlay", "captionsBackground", "captionsFontColor", "captionsFontSize",
          "drmVersion", "enableMP4Fallback", "originalUrl", "playbackSpeeds",
          "rememberPlayerPosition", "tokenAuthEnabled", "vastTagUrl", "viAiPublisherId",
          "widevineMinClientSecurityLevel", "zoneTier",
        ])
  }

  @Test func `all that is told of a thumbnail is read`() throws {
    let call = RESTCall.listThumbnails("g", in: 1, limit: nil, from: nil, to: nil)
    #expect(try unread("ThumbnailListResponseModel", call, inList: true) == [])
  }

  @Test func `of a video all but captions, generated things and hashes is read`() throws {
    #expect(
      try unread("VideoModel", RESTCall.getVideo("g", in: 1))
        == [
          "captions", "hasHighQualityPreview", "hasOriginal", "jitEncodingEnabled",
          "originalHash", "smartGenerateFeaturesStatus", "smartGenerateStatus",
          "thumbnailBlurhash",
        ])
  }

  @Test func `a video's parts are read whole`() throws {
    let json: [String: Any] = [
      "transcodingMessages": [Self.sample("TranscodingMessageModel")],
      "chapters": [Self.sample("ChapterModel")], "moments": [Self.sample("MomentModel")],
      "metaTags": [Self.sample("MetaTagModel")], "status": 99,
    ]
    let body = try JSONSerialization.data(withJSONObject: json)
    let video = try RESTCall.getVideo("g", in: 1)
      .answer(from: HTTPAnswer(status: 200, body: body), TextCleaner(hiding: [])).get()
    let message = try #require(video.transcodingMessages.first)
    #expect(message.time != nil && message.level == 3 && message.issueCode == 3)
    #expect(message.message == "message, other" && message.value == "value, other")
    #expect(video.chapters == [BunnyVideoChapter(title: "title, other", start: 3, end: 3)])
    #expect(video.moments == [BunnyVideoMoment(label: "label, other", timestamp: 3)])
    #expect(
      video.metaTags == [BunnyVideoMetaTag(property: "property, other", value: "value, other")])
    #expect(video.status == .unknown)
  }

  @Test func `all that is told of a collection is read`() throws {
    let call = RESTCall.getCollection("g", in: 1, includeThumbnails: true)
    #expect(try unread("CollectionModel", call) == [])
  }

  @Test(arguments: [
    (0, BunnyVideoStatus.created), (1, .uploaded), (2, .processing), (3, .transcoding),
    (4, .finished), (5, .error), (6, .uploadFailed), (7, .jitSegmenting),
    (8, .jitPlaylistsCreated), (9, .unknown), (-1, .unknown), (-7, .unknown),
  ])
  func `each number has its video status`(_ number: Int, _ status: BunnyVideoStatus) throws {
    let answer = HTTPAnswer(status: 200, body: Data(#"{"status":\#(number)}"#.utf8))
    let video = try RESTCall.getVideo("g", in: 1).answer(from: answer, TextCleaner(hiding: []))
      .get()
    #expect(video.status == status)
    #expect(video.status.hasFailed == [5, 6].contains(number))
  }

  @Test func `flags of a video that are not told are not false`() throws {
    let empty = try RESTCall.getVideo("g", in: 1)
      .answer(from: HTTPAnswer(status: 200, body: Data("{}".utf8)), TextCleaner(hiding: [])).get()
    #expect(empty == BunnyVideo(id: nil))
    #expect(empty.isPublic == nil && empty.hasMP4Fallback == nil)
  }
}
