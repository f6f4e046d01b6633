import BunnyStreamAPI
import Foundation
import Testing

private func stream(_ json: String) throws -> BunnyLiveStream {
  let answer = HTTPAnswer(status: 200, body: Data(json.utf8))
  return try RESTCall.getLiveStream("g", in: 1).answer(from: answer, TextCleaner(hiding: [])).get()
}

private func status(_ json: String) throws -> BunnyLiveStreamIngestStatus {
  let answer = HTTPAnswer(status: 200, body: Data(json.utf8))
  return try RESTCall.ingestStatus("g", in: 1).answer(from: answer, TextCleaner(hiding: [])).get()
}

private let guid = "7b9f4c1e-0000-4000-8000-0123456789ab"

struct DecodingTests {
  @Test func `the fact sheet's stream is read whole`() throws {
    let read = try stream(
      """
      {"guid":"\(guid)","videoLibraryId":12345,"title":"Test","status":1,"public":true,
       "dateCreated":"2026-07-01T08:20:00","streamKey":"k-0123",
       "playbackUrlHls":"https://vz-example.b-cdn.net/live/\(guid)/live.m3u8",
       "dvrEnabled":false,"dvrWindowSeconds":null,"recordVod":true,"availableResolutions":"720p",
       "ingestRegion":"DE","rtmpOutputs":null,"ingestEndpoints":{"rtmp":
       {"primaryIngestUrl":"rtmp://127.0.0.1:1935/live","backupIngestUrl":"rtmp://127.0.0.1:1936/live"}}}
      """)
    let expected = BunnyLiveStream(
      id: guid, libraryId: 12345, title: "Test", streamKey: "k-0123",
      playbackUrl: "https://vz-example.b-cdn.net/live/\(guid)/live.m3u8",
      primaryIngestUrl: "rtmp://127.0.0.1:1935/live", backupIngestUrl: "rtmp://127.0.0.1:1936/live",
      status: .created, recordVod: true, isPublic: true, ingestRegion: "DE",
      createdAt: Date(timeIntervalSince1970: 1_782_894_000), availableResolutions: ["720p"])
    #expect(read == expected)
    #expect(read.streamKey == "k-0123")
  }

  @Test func `all other fields are read`() throws {
    let read = try stream(
      """
      {"guid":"g","description":"d","collectionId":"c","status":2,"dvrEnabled":true,
       "dvrWindowSeconds":3600,"scheduledStartTime":"2026-07-01T08:20:00",
       "scheduledEndTime":"2026-07-01T09:20:00.500Z","startedAt":"2026-07-01T08:21:00.1234567Z",
       "enableCountdown":true,"preStreamTrailerVideoId":"p","thumbnailUrl":"u",
       "thumbnailFileName":"t.jpg","primaryLive":true,"backupLive":false,
       "playbackUrlHls":"https://vz-1.b-cdn.net/live/g/live.m3u8",
       "rtmpOutputs":[{"endpoint":"rtmp://e/a","streamKey":"s"},null,7,{}]}
      """)
    #expect(read.description == "d")
    #expect(read.collectionId == "c")
    #expect(read.status == .scheduled)
    #expect(read.dvrWindowSeconds == 3600)
    #expect(read.scheduledStartTime == Date(timeIntervalSince1970: 1_782_894_000))
    #expect(read.scheduledEndTime == Date(timeIntervalSince1970: 1_782_897_600.5))
    #expect(read.startedAt.map { $0.timeIntervalSince1970.rounded() } == 1_782_894_060)
    #expect(read.enableCountdown)
    #expect(read.preStreamTrailerVideoId == "p")
    #expect(read.thumbnailUrl == "u")
    #expect(read.primaryLive == true)
    #expect(read.backupLive == false)
    #expect(read.offlineThumbnailUrl?.absoluteString == "https://vz-1.b-cdn.net/g/t.jpg")
    #expect(
      read.rtmpOutputs == [
        BunnyRtmpOutput(endpoint: "rtmp://e/a", streamKey: "s"),
        BunnyRtmpOutput(endpoint: nil, streamKey: nil),
      ])
    #expect(read.rtmpOutputs.first?.streamKey == "s")
  }

  @Test(arguments: ["{}", #"{"surprise":{"a":[1,2.5,null]},"guid":null}"#])
  func `an object without known keys is an empty stream`(_ json: String) throws {
    #expect(try stream(json) == BunnyLiveStream(id: nil))
  }

  @Test func `a value of the wrong type is as good as none`() throws {
    let read = try stream(
      """
      {"guid":7,"videoLibraryId":"12","title":[],"description":{},"streamKey":true,"status":"4",
       "public":1,"playbackUrlHls":false,"dvrEnabled":"true","dvrWindowSeconds":60,"recordVod":0,
       "scheduledStartTime":1782894000,"startedAt":"soon","enableCountdown":null,"primaryLive":"yes",
       "rtmpOutputs":{"endpoint":"e"},"ingestEndpoints":[],"ingestRegion":1.5,
       "thumbnailFileName":1e999,"collectionId":123456789012345678901234567890}
      """)
    #expect(read == BunnyLiveStream(id: nil))
  }

  @Test(arguments: [
    #"{"ingestEndpoints":null}"#, #"{"ingestEndpoints":{"rtmp":null}}"#,
    #"{"ingestEndpoints":{"rtmp":{}}}"#, #"{"ingestEndpoints":{"rtmp":{"primaryIngestUrl":" "}}}"#,
    #"{"ingestEndpoints":{"rtmp":{"primaryIngestUrl":null,"backupIngestUrl":5}}}"#,
    #"{"streamKey":""}"#, #"{"streamKey":" "}"#, #"{"streamKey":null}"#, #"{"guid":""}"#,
  ])
  func `blank keys, ids and ingests are none`(_ json: String) throws {
    #expect(try stream(json) == BunnyLiveStream(id: nil))
  }

  @Test func `id, name and playbackUrl stand in for what is missing`() throws {
    let read = try stream(#"{"id":"i","name":"n","playbackUrl":"p"}"#)
    #expect(read == BunnyLiveStream(id: "i", title: "n", playbackUrl: "p"))
    let both = try stream(
      #"{"guid":"g","id":"i","title":"t","name":"n","playbackUrlHls":"h","playbackUrl":"p"}"#)
    #expect(both == BunnyLiveStream(id: "g", title: "t", playbackUrl: "h"))
    let mistyped = try stream(#"{"guid":7,"id":"i"}"#)
    #expect(mistyped.id == "i")
  }

  @Test(arguments: [
    (0, BunnyLiveStreamStatus.unknown), (1, .created), (2, .scheduled), (3, .preview),
    (4, .running), (5, .ended), (6, .vodProcessing), (7, .error), (8, .unknown), (-1, .unknown),
    (2_147_483_648, .unknown),
  ])
  func `each number has its status`(_ number: Int, _ status: BunnyLiveStreamStatus) throws {
    #expect(try stream(#"{"status":\#(number)}"#).status == status)
    #expect(BunnyLiveStreamStatus(rawValue: number) == status)
  }

  @Test(arguments: ["null", "4.5", #""Running""#, "{}", "1e30"])
  func `a status that is no number is unknown`(_ value: String) throws {
    #expect(try stream(#"{"status":\#(value)}"#).status == .unknown)
  }

  @Test func `without DVR its window is none`() throws {
    #expect(try stream(#"{"dvrEnabled":false,"dvrWindowSeconds":60}"#).dvrWindowSeconds == 0)
    #expect(try stream(#"{"dvrWindowSeconds":60}"#).dvrWindowSeconds == 0)
    #expect(try stream(#"{"dvrEnabled":true,"dvrWindowSeconds":null}"#).dvrWindowSeconds == 0)
  }

  @Test func `the fact sheet's ingest status is read whole`() throws {
    let read = try status(
      """
      {"readyToStart":true,"primaryLive":true,"backupLive":false,"lastPingAgo":850,"duration":12,
       "statusTimeUtc":"2026-07-01T08:20:12Z"}
      """)
    #expect(
      read
        == BunnyLiveStreamIngestStatus(
          readyToStart: true, primaryLive: true, backupLive: false, lastPingAgo: 850, duration: 12,
          statusTime: Date(timeIntervalSince1970: 1_782_894_012)))
  }

  @Test(arguments: [
    "{}", #"{"readyToStart":null,"primaryLive":null,"backupLive":null,"lastPingAgo":null}"#,
    #"{"readyToStart":"true","primaryLive":0,"backupLive":"no","lastPingAgo":1.5,"duration":"1"}"#,
  ])
  func `an ingest that is not told of is not known, and not dead`(_ json: String) throws {
    let read = try status(json)
    let nothing = BunnyLiveStreamIngestStatus(
      readyToStart: false, primaryLive: nil, backupLive: nil)
    #expect(read == nothing)
    #expect(!read.isLive)
  }

  @Test(
    arguments: [
      (nil, nil, false), (nil, true, true), (true, nil, true), (false, nil, false),
      (false, true, true), (true, false, true), (false, false, false),
    ] as [(Bool?, Bool?, Bool)])
  func `live is either`(_ primary: Bool?, _ backup: Bool?, _ isLive: Bool) {
    let status = BunnyLiveStreamIngestStatus(
      readyToStart: false, primaryLive: primary, backupLive: backup)
    #expect(status.isLive == isLive)
  }

  @Test func `whole numbers may be written with a fraction`() throws {
    #expect(try status(#"{"lastPingAgo":850.0,"duration":1.2e1}"#).lastPingAgo == 850)
  }
}
