import BunnyStreamAPI
import Foundation
import Support
import Testing

/// What no server takes is not sent.
struct ValidationTests {
  typealias Create = BunnyLiveStreamCreateRequest
  typealias Update = BunnyLiveStreamUpdateRequest

  private static let five = [BunnyRtmpOutput](
    repeating: BunnyRtmpOutput(endpoint: "rtmp://e/a", streamKey: nil), count: 5)
  private static let past = now.addingTimeInterval(-1)

  static let creations: [(Create, String?)] = [
    (Create(title: "t"), nil), (Create(title: ""), "title is blank; it takes some text"),
    (Create(title: " \n"), "title is blank; it takes some text"),
    (
      Create(title: "t", dvrEnabled: true),
      "dvrWindowSeconds is missing; with dvrEnabled it takes 1 to 43200"
    ),
    (Create(title: "t", dvrEnabled: true, dvrWindowSeconds: 1), nil),
    (Create(title: "t", dvrEnabled: true, dvrWindowSeconds: 43200), nil),
    (Create(title: "t", dvrWindowSeconds: 0), "dvrWindowSeconds is 0; it takes 1 to 43200"),
    (
      Create(title: "t", dvrEnabled: true, dvrWindowSeconds: 43201),
      "dvrWindowSeconds is 43201; it takes 1 to 43200"
    ),
    (Create(title: "t", dvrEnabled: false), nil),
    (
      Create(title: "t", enableCountdown: true),
      "scheduledStartTime is missing; enableCountdown counts down to it"
    ),
    (Create(title: "t", scheduledStartTime: later, enableCountdown: true), nil),
    (Create(title: "t", enableCountdown: false), nil),
    (
      Create(title: "t", scheduledStartTime: past),
      "scheduledStartTime is 2026-07-01T08:19:59Z, which is over; it takes a time to come"
    ),
    (Create(title: "t", scheduledStartTime: now), nil),
    (
      Create(title: "t", scheduledEndTime: past),
      "scheduledEndTime is 2026-07-01T08:19:59Z, which is over; it takes a time to come"
    ),
    (
      Create(title: "t", scheduledStartTime: later, scheduledEndTime: later),
      "scheduledEndTime is not later than scheduledStartTime"
    ),
    (Create(title: "t", rtmpOutputs: five), "rtmpOutputs are 5; it takes at most 4"),
    (Create(title: "t", rtmpOutputs: Array(five.dropLast())), nil),
    (
      Create(title: "t", rtmpOutputs: [.init(endpoint: " ", streamKey: "k")]),
      "rtmpOutputs has one without an endpoint; it takes an RTMP URL"
    ),
    (
      Create(title: "t", rtmpOutputs: [.init(endpoint: nil, streamKey: "k")]),
      "rtmpOutputs has one without an endpoint; it takes an RTMP URL"
    ),
  ]

  @Test(arguments: creations)
  func `a create is looked over, field by field`(_ request: Create, _ flaw: String?) {
    #expect(RESTCall.createLiveStream(request, in: 12, now: now).flaw == flaw)
  }

  static let updates: [(Update, String?)] = [
    (Update(), nil), (Update(title: " "), "title is blank; it takes some text"),
    // The stream may have a window, or a start, already.
    (Update(dvrEnabled: true, enableCountdown: true), nil),
    (Update(dvrWindowSeconds: -1), "dvrWindowSeconds is -1; it takes 1 to 43200"),
    (Update(rtmpOutputs: five), "rtmpOutputs are 5; it takes at most 4"),
    (Update(rtmpOutputs: []), nil), (Update(description: ""), nil),
  ]

  @Test(arguments: updates)
  func `an update is looked over, field by field`(_ request: Update, _ flaw: String?) {
    #expect(RESTCall.updateLiveStream("g", request, in: 12, now: now).flaw == flaw)
  }

  private static func list(_ page: Int?, _ size: Int?, _ order: String?) -> String? {
    RESTCall<BunnyLiveStreamList>.listLiveStreams(
      in: 12, page: page, itemsPerPage: size, search: nil, orderBy: order, collectionId: nil
    ).flaw
  }

  @Test func `pages and orders are looked over`() {
    #expect(Self.list(0, nil, nil) == "page is 0; it takes 1 to 2147483647")
    #expect(Self.list(nil, 0, nil) == "itemsPerPage is 0; it takes 1 to 2147483647")
    #expect(
      Self.list(nil, nil, "size")
        == "orderBy is none of date, title, status, started, ended, planned")
    #expect(Self.list(1, 1, "ended") == nil)
    let thumbnails = RESTCall.listThumbnails("g", in: 12, limit: 0, from: nil, to: nil)
    #expect(thumbnails.flaw == "limit is 0; it takes 1 to 2147483647")
    #expect(
      RESTCall.playData("g", in: 12, token: nil, expires: -1).flaw
        == "expires is -1; it takes UNIX seconds")
    let query = BunnyEncodingStatisticsQuery(streamIds: .init(repeating: "g", count: 51))
    #expect(
      RESTCall.encodingStatistics(in: 12, query).flaw
        == "liveStreamGuids are 51; it takes at most 50")
  }

  @Test func `pictures and their addresses are looked over`() {
    func upload(_ bytes: Int) -> String? {
      RESTCall<Void>.uploadThumbnail(Data(count: bytes), .png, of: "g", in: 12).flaw
    }
    #expect(upload(0) == "imageData is empty; it takes a picture")
    #expect(upload(1) == nil && upload(5 << 20) == nil)
    #expect(
      upload((5 << 20) + 1) == "imageData has 5242881 bytes; it takes at most 5242880")
    for address in ["", "x", "/p.jpg", "ftp://h/p.jpg", "https://", "file:///etc/passwd"] {
      let call = RESTCall<Void>.setThumbnail(address, of: "g", in: 12)
      #expect(call.flaw == "thumbnailUrl is no URL of http or https", "\(address)")
    }
    #expect(RESTCall<Void>.setThumbnail("HTTP://h/p", ofVideo: "g", in: 12).flaw == nil)
  }

  @Test func `names of videos and collections are looked over`() {
    #expect(
      RESTCall.createVideo(.init(title: ""), in: 12).flaw == "title is blank; it takes some text")
    #expect(
      RESTCall.createVideo(.init(title: "t", thumbnailTime: -1), in: 12).flaw
        == "thumbnailTime is -1; it takes 0 to 2147483647")
    #expect(RESTCall<Void>.updateVideo("v", .init(title: " "), in: 12).flaw != nil)
    #expect(RESTCall<Void>.updateVideo("v", .init(), in: 12).flaw == nil)
    #expect(RESTCall.createCollection(" ", in: 12).flaw == "name is blank; it takes some text")
    #expect(RESTCall<Void>.updateCollection("c", name: "", in: 12).flaw != nil)
  }

  @Test func `a flaw is thrown before anything is sent`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).createLiveStream(libraryId: 12, request: .init(title: " "))
    }
    #expect(
      error
        == BunnyLiveStreamError(
          kind: .invalidRequest, message: "title is blank; it takes some text",
          attempt: "create a live stream in library 12"))
    #expect(error?.isPermanent == true)
    #expect(server.requests.isEmpty)
  }
}
