import BunnyStreamAPI
import Foundation
import Support
import Testing

/// What goes over the wire of the calls that carry something, or that need more than one.
struct RequestTests {
  private static func fields(_ request: HTTPRequest?) throws -> [String: NSObject] {
    let body = Data(try #require(request).body)
    return try #require(try JSONSerialization.jsonObject(with: body) as? [String: NSObject])
  }

  @Test func `a create sends what is set, dates with a zone, and takes 201`() async throws {
    let server = try HTTPServer { _ in .respond(201, #"{"guid":"g","streamKey":"k-1"}"#) }
    let start = Date(timeIntervalSince1970: 4_102_444_800.25)  // 2100
    let stream = try await api(server).createLiveStream(
      libraryId: 12,
      request: BunnyLiveStreamCreateRequest(
        title: "Matinée “1” / 2", scheduledStartTime: start, isPublic: false, recordVod: true,
        rtmpOutputs: []))
    #expect(stream.id == "g" && stream.streamKey == "k-1")
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == "/library/12/live")
    #expect(request.headers["content-type"] == "application/json")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"public":false,"recordVod":true,"scheduledStartTime":"2100-01-01T00:00:00.250Z","#
        + #""title":"Matinée “1” / 2"}"#)
  }

  @Test func `an update sends only what is to change`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let api = try api(server)
    _ = try await api.updateLiveStream(
      libraryId: 12, streamId: "g", request: .init(description: "", dvrEnabled: true))
    _ = try await api.updateLiveStream(libraryId: 12, streamId: "g", request: .init())
    #expect(
      server.requests.map { "\($0.method) \(String(decoding: $0.body, as: UTF8.self))" } == [
        #"PUT {"description":"","dvrEnabled":true}"#, "PUT {}",
      ])
  }

  @Test func `forwarding is sent with its keys, which no error shows`() async throws {
    let server = try HTTPServer { request in
      .respond(400, bytes: request.body)  // a server that echoes
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).createLiveStream(
        libraryId: 12,
        request: .init(
          title: "t",
          rtmpOutputs: [
            .init(endpoint: "rtmp://e/a", streamKey: "output-canary"),
            .init(endpoint: "rtmp://f/a", streamKey: nil),
          ]))
    }
    #expect(error?.kind == .invalidRequest)
    #expect(!"\(String(describing: error))".contains("canary"))
    let outputs = try Self.fields(server.requests.first)["rtmpOutputs"]
    #expect(
      outputs as? [[String: String]] == [
        ["endpoint": "rtmp://e/a", "streamKey": "output-canary"], ["endpoint": "rtmp://f/a"],
      ])
  }

  @Test(arguments: BunnyImageFormat.allCases)
  func `a picture says what it is, and arrives byte for byte`(
    _ format: BunnyImageFormat
  ) async throws {
    let server = try HTTPServer { _ in .respond(200, #"{"success":true}"#) }
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await api(server).uploadThumbnail(
      libraryId: 12, streamId: "g", imageData: Data(bytes), format: format)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == "/library/12/live/g/thumbnail")
    #expect(request.headers["content-type"] == "image/\(format)")
    #expect(request.headers["expect"] == nil)
    #expect(request.body == bytes)
  }

  @Test func `a query is percent-encoded, and has no body`() async throws {
    let server = try HTTPServer { request in
      .respond(200, request.method == "GET" ? "[]" : "")
    }
    let api = try api(server)
    try await api.setThumbnail(
      libraryId: 12, streamId: "g", thumbnailUrl: "https://h/a b?c=d&e=ü")
    _ = try await api.listThumbnails(
      libraryId: 12, streamId: "g", limit: 3, from: now.addingTimeInterval(0.9), to: later)
    try await api.deleteThumbnail(libraryId: 12, streamId: "g", restoreLibraryDefault: true)
    try await api.deleteThumbnail(libraryId: 12, streamId: "g")
    #expect(
      server.requests.map(\.path) == [
        "/library/12/live/g/thumbnail?thumbnailUrl=https%3A%2F%2Fh%2Fa%20b%3Fc%3Dd%26e%3D%C3%BC",
        "/library/12/live/g/thumbnails?limit=3&from=2026-07-01T08%3A20%3A00Z"
          + "&to=2026-07-01T09%3A20%3A00Z",
        "/library/12/live/g/thumbnail?restoreLibraryDefault=true", "/library/12/live/g/thumbnail",
      ])
    #expect(server.requests.allSatisfy { $0.body.isEmpty && $0.headers["content-type"] == nil })
  }

  @Test func `a list is a page; a library without streams an empty one`() async throws {
    let server = try HTTPServer { request in
      request.path.hasPrefix("/library/13/")
        ? .respond(404)
        : .respond(
          200,
          #"{"totalItems":7,"currentPage":2,"itemsPerPage":5,"items":[{"guid":"a"},{"guid":"b"}]}"#)
    }
    let api = try api(server)
    let page = try await api.listLiveStreams(
      libraryId: 12, page: 2, itemsPerPage: 5, search: "a b", orderBy: "planned")
    #expect(page.items.map(\.id) == ["a", "b"])
    #expect(page.totalItems == 7 && page.currentPage == 2 && page.itemsPerPage == 5)
    #expect(
      server.requests.first?.path
        == "/library/12/live?page=2&itemsPerPage=5&search=a%20b&orderBy=planned")
    let none = try await api.listLiveStreams(libraryId: 13)
    #expect(
      none
        == BunnyLiveStreamList(items: [], totalItems: 0, currentPage: 1, itemsPerPage: 100))
    #expect(server.requests.last?.path == "/library/13/live")
    let second = try await api.listLiveStreams(libraryId: 13, page: 2, itemsPerPage: 5)
    #expect(second.currentPage == 2 && second.itemsPerPage == 5)
  }

  @Test(arguments: [
    ("g/thumbs/1/x.jpg", "https://vz-1.b-cdn.net/g/thumbs/1/x.jpg"),
    ("/g/x.jpg", "https://vz-1.b-cdn.net/g/x.jpg"), ("//cdn/x.jpg", "https://cdn/x.jpg"),
    ("https://other/x.jpg", "https://other/x.jpg"),
  ])
  func `a relative thumbnail gets the playback's scheme and host`(
    _ told: String, _ url: String
  ) async throws {
    let server = try HTTPServer { request in
      request.path.hasSuffix("thumbnails")
        ? .respond(
          200, #"[{"url":"\#(told)","timestamp":"2026-07-01T08:20:00"},{"url":null},5]"#)
        : .respond(200, #"{"playbackUrlHls":"https://vz-1.b-cdn.net/live/g/live.m3u8"}"#)
    }
    let thumbnails = try await api(server).listThumbnails(libraryId: 12, streamId: "g")
    #expect(
      thumbnails == [
        BunnyLiveStreamThumbnail(url: url, timestamp: now),
        BunnyLiveStreamThumbnail(url: nil, timestamp: nil),
      ])
    // The stream is only asked for when it is needed.
    #expect(server.requests.count == (told == url ? 1 : 2))
  }

  @Test func `without a playback URL a relative thumbnail stays as it is`() async throws {
    let server = try HTTPServer { request in
      .respond(200, request.path.hasSuffix("thumbnails") ? #"[{"url":"g/x.jpg"}]"# : "{}")
    }
    let thumbnails = try await api(server).listThumbnails(libraryId: 12, streamId: "g")
    #expect(thumbnails.map(\.url) == ["g/x.jpg"])
  }

  @Test func `raw data comes as it is`() async throws {
    let bytes: [UInt8] = [0, 1, 0xFF, 0x7B]
    let server = try HTTPServer { _ in .respond(200, bytes: bytes) }
    let api = try api(server)
    #expect(
      try await api.fetchCurrentBitrate(libraryId: 12, streamId: "g") == Data(bytes))
    let history = try await api.fetchBitrateHistory(
      libraryId: 12, streamId: "g", from: now, to: nil)
    #expect(history == Data(bytes))
    let query = BunnyEncodingStatisticsQuery(streamIds: ["a", "b"], heights: [720, 1080])
    #expect(try await api.fetchEncodingStatistics(libraryId: 12, query: query) == Data(bytes))
    #expect(
      server.requests.map(\.path) == [
        "/library/12/live/g/current-bitrate",
        "/library/12/live/g/bitrate-history?startTime=2026-07-01T08%3A20%3A00.000Z",
        "/library/12/live/statistics/encoding?liveStreamGuids=a&liveStreamGuids=b"
          + "&resolutions=720&resolutions=1080",
      ])
  }

  @Test func `play data is read, controls apart`() async throws {
    let server = try HTTPServer { _ in
      .respond(
        200,
        #"{"liveStream":{"guid":"g","streamKey":"\#(streamKey)"},"controls":"play, mute,,fullscreen ","enableDRM":true}"#
      )
    }
    let data = try await api(server).fetchPlayData(
      libraryId: 12, streamId: "g", token: "t/1", expires: 9)
    #expect(data.liveStream?.id == "g" && data.isDRMEnabled && !data.showHeatmap)
    #expect(data.controls == ["play", "mute", "fullscreen"])
    #expect(server.requests.first?.path == "/library/12/live/g/play?token=t%2F1&expires=9")
  }

  @Test func `videos and collections are where they should be`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let api = try client(server)
    _ = try await api.videos.createVideo(
      libraryId: 12, request: .init(title: "t", collectionId: "c", thumbnailTime: 500))
    _ = try await api.videos.listVideos(libraryId: 12, collectionId: "c")
    try await api.collections.updateCollection(libraryId: 12, collectionId: "c", name: "n")
    _ = try await api.collections.getCollection(libraryId: 12, collectionId: "c")
    #expect(
      server.requests.map { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" }
        == [
          #"POST /library/12/videos {"collectionId":"c","thumbnailTime":500,"title":"t"}"#,
          "GET /library/12/videos?collection=c ",
          #"POST /library/12/collections/c {"name":"n"}"#, "GET /library/12/collections/c ",
        ])
  }
}
