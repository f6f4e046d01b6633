import BunnyBroadcast
import BunnySandbox
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

/// The sandbox's calls for all streams of its library, without a network.
struct LibraryTests {
  private let facts: StreamFacts
  private let api: API

  init() {
    let facts = StreamFacts()
    self.facts = facts
    let first = LiveStream(facts, readyAfter: 0, keyAfter: 0, viewer: nil) { _ in }
    api = API(Library(first)) {}
  }

  private func ask(
    _ method: String, _ path: String = "", _ body: String = "", query: [String: String] = [:]
  ) -> HTTPResponse {
    var request = HTTPRequest(method, "/library/\(facts.libraryId)/live\(path)")
    request.headers["accesskey"] = facts.accessKey
    request.body = Array(body.utf8)
    request.query = query
    return api.answer(request, during: Fault())
  }

  /// What the client makes of an answer.
  private func read<Answer>(
    _ response: HTTPResponse, _ call: RESTCall<Answer>
  ) throws -> Answer {
    let answer = HTTPAnswer(status: response.status, body: Data(response.body))
    return try call.answer(from: answer, TextCleaner(hiding: [])).get()
  }

  private func stream(_ response: HTTPResponse) throws -> BunnyLiveStream {
    try read(response, .getLiveStream("g", in: 1))
  }

  private func page(_ response: HTTPResponse) throws -> BunnyLiveStreamList {
    try read(
      response,
      .listLiveStreams(
        in: 1, page: nil, itemsPerPage: nil, search: nil, orderBy: nil, collectionId: nil))
  }

  private func refusal(_ response: HTTPResponse) -> BunnyLiveStreamError? {
    do {
      _ = try stream(response)
      return nil
    } catch { return error as? BunnyLiveStreamError }
  }

  @Test func `a stream is made with all that the client sends, and answered with 201`() throws {
    let start = Date(timeIntervalSince1970: 4_102_444_800.25)
    let request = BunnyLiveStreamCreateRequest(
      title: "T", description: "d", collectionId: "c", scheduledStartTime: start,
      scheduledEndTime: start.addingTimeInterval(60), isPublic: false, dvrEnabled: true,
      dvrWindowSeconds: 60, recordVod: true, enableCountdown: true, preStreamTrailerVideoId: "v")
    let call = RESTCall.createLiveStream(request, in: 1, now: start)
    let response = ask("POST", "", String(decoding: call.body!.bytes, as: UTF8.self))
    #expect(response.status == 201)
    let made = try stream(response)
    #expect(made.title == "T" && made.description == "d" && made.collectionId == "c")
    #expect(made.scheduledStartTime == start && made.status == .scheduled)
    #expect(made.scheduledEndTime == start.addingTimeInterval(60))
    #expect(!made.isPublic && made.dvrEnabled && made.dvrWindowSeconds == 60 && made.recordVod)
    #expect(made.enableCountdown && made.preStreamTrailerVideoId == "v")
    #expect(made.id != facts.streamId && made.streamKey != facts.streamKey)
    #expect(try stream(ask("GET", "/\(made.id!)")).title == "T")
    #expect(try page(ask("GET")).items.map(\.id) == [made.id, facts.streamId])
  }

  @Test(arguments: [
    (#"{}"#, "title is required"), (#"{"title":" "}"#, "title is required"),
    (#"{"title":"t","dvrEnabled":true}"#, "dvrWindowSeconds is required"),
    (
      #"{"title":"t","dvrWindowSeconds":43201}"#,
      "dvrWindowSeconds must be between 1 and 43200"
    ),
    (#"{"title":"t","scheduledStartTime":"soon"}"#, "scheduledStartTime is invalid"),
    (#"{"title":"t","rtmpOutputs":[]}"#, "rtmpOutputs is empty"),
    (#"{"title":7}"#, "the body is malformed"), ("", "the body is malformed"),
    ("[]", "the body is malformed"),
  ])
  func `what Bunny refuses is refused with its reasons`(_ body: String, _ reason: String) {
    let error = refusal(ask("POST", "", body))
    #expect(error?.statusCode == 400 && error?.message == reason)
    #expect(ask("GET", "", query: ["page": "1"]).status == 200)
  }

  @Test func `forwarding is a 500, as where the account has none`() {
    let body = #"{"title":"t","rtmpOutputs":[{"endpoint":"rtmp://e/a","streamKey":null}]}"#
    #expect(ask("POST", "", body).status == 500)
    #expect(ask("PUT", "/\(facts.streamId)", body).status == 500)
  }

  @Test func `an update changes what it names`() throws {
    let path = "/\(facts.streamId)"
    let updated = try stream(ask("PUT", path, #"{"description":"d","recordVod":true}"#))
    #expect(updated.description == "d" && updated.recordVod && updated.title == facts.title)
    #expect(try stream(ask("PUT", path, #"{"title":"N"}"#)).description == "d")
    #expect(refusal(ask("PUT", path, #"{"title":""}"#))?.message == "title is required")
    let planned = try stream(ask("PUT", path, #"{"scheduledStartTime":"2100-01-01T00:00:00Z"}"#))
    #expect(planned.status == .scheduled)
  }

  @Test func `a list is paged and searched; without a stream it is not found`() throws {
    for title in ["One", "Two", "Three"] { _ = ask("POST", "", #"{"title":"\#(title)"}"#) }
    let second = try page(ask("GET", "", query: ["page": "2", "itemsPerPage": "3"]))
    #expect(second.items.map(\.id) == [facts.streamId])
    #expect(second.totalItems == 4 && second.currentPage == 2 && second.itemsPerPage == 3)
    let found = try page(ask("GET", "", query: ["search": "t"])).items.map(\.title)
    #expect(found == ["Three", "Two"])
    for stream in try page(ask("GET")).items {
      let answer = ask("DELETE", "/\(stream.id!)")
      #expect(answer.status == 200 && answer.body.isEmpty)
    }
    #expect(ask("GET").status == 404 && ask("GET", "/\(facts.streamId)").status == 404)
  }

  @Test func `a key is made anew, unless the stream is over`() throws {
    let path = "/\(facts.streamId)/regenerate-key"
    let key = try stream(ask("PUT", path)).streamKey
    #expect(key != nil && key != facts.streamKey)
    #expect(try stream(ask("GET", "/\(facts.streamId)")).streamKey == key)
    #expect(ask("GET", path).status == 405)
    let made = try stream(ask("POST", "", #"{"title":"t"}"#))
    #expect(try stream(ask("PUT", "/\(made.id!)/regenerate-key")).streamKey != made.streamKey)
  }

  @Test func `a picture is set, told of and taken away, if its type is one`() throws {
    let path = "/\(facts.streamId)/thumbnail"
    #expect(ask("DELETE", path).status == 404)
    var request = HTTPRequest("POST", "/library/\(facts.libraryId)/live\(path)")
    request.headers = ["accesskey": facts.accessKey, "content-type": "application/octet-stream"]
    request.body = [0xFF, 0xD8]
    #expect(api.answer(request, during: Fault()).status == 400)
    request.headers["content-type"] = "image/png"
    #expect(api.answer(request, during: Fault()).status == 200)
    let name = try #require(try stream(ask("GET", "/\(facts.streamId)")).thumbnailFileName)
    #expect(name.hasPrefix("thumbnail_") && name.hasSuffix(".png"))
    #expect(ask("DELETE", path).status == 204)
    #expect(try stream(ask("GET", "/\(facts.streamId)")).thumbnailFileName == nil)
    #expect(ask("POST", path, query: ["thumbnailUrl": "https://e/x.jpg"]).status == 200)
    #expect(ask("POST", path, query: ["thumbnailUrl": "x"]).status == 422)
  }

  @Test func `every call that the client knows is answered`() throws {
    let id = facts.streamId
    let play = try read(
      ask("GET", "/\(id)/play"), .playData(id, in: 1, token: nil, expires: nil))
    #expect(play.liveStream?.id == id && play.controls == ["play", "volume", "fullscreen"])
    #expect(
      try read(
        ask("GET", "/\(id)/thumbnails"), .listThumbnails(id, in: 1, limit: nil, from: nil, to: nil))
        == [])
    for path in ["/\(id)/bitrate-history", "/\(id)/current-bitrate", "/statistics/encoding"] {
      #expect(ask("GET", path).status == 200, "\(path)")
      #expect(ask("PUT", path).status == 405, "\(path)")
    }
  }

  @Test func `methods that a path does not have are refused`() {
    for (method, path) in [
      ("PUT", ""), ("DELETE", ""), ("POST", "/\(facts.streamId)"),
      ("DELETE", "/\(facts.streamId)/start"),
    ] {
      #expect(ask(method, path).status == 405, "\(method) \(path)")
    }
    #expect(ask("GET", "/\(facts.streamId)/get").status == 404)
    #expect(ask("GET", "/\(facts.streamId)/list").status == 404)
  }
}
