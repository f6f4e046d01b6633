import BunnyStreamAPI
import Foundation
import Support
import Testing

struct WireTests {
  @Test func `each call has its method and path`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let api = try api(server)
    _ = try await api.getLiveStream(libraryId: 12, streamId: "g-1")
    _ = try await api.ingestStatus(libraryId: 12, streamId: "g-1")
    try await api.startLiveStream(libraryId: 12, streamId: "g-1")
    try await api.stopLiveStream(libraryId: 12, streamId: "g-1")
    #expect(
      server.requests.map { "\($0.method) \($0.path)" } == [
        "GET /library/12/live/g-1", "GET /library/12/live/g-1/status",
        "PUT /library/12/live/g-1/start", "PUT /library/12/live/g-1/stop",
      ])
    #expect(server.requests.allSatisfy { $0.body.isEmpty })
  }

  @Test func `each request carries the key, and says who asks for what`() async throws {
    let server = try HTTPServer { _ in
      .respond(200, "{}", headers: ["Set-Cookie": "a=b; Path=/", "Cache-Control": "max-age=600"])
    }
    let api = try api(server)
    for _ in 0..<2 { _ = try await api.getLiveStream(libraryId: 12, streamId: "g") }
    try await api.startLiveStream(libraryId: 12, streamId: "g")
    #expect(server.requests.count == 3)  // nothing came from a cache
    for request in server.requests {
      #expect(request.headers["accesskey"] == accessKey)
      #expect(request.headers["accept"] == "application/json")
      #expect(request.headers["user-agent"]?.hasPrefix("bunny-broadcast/") == true)
      #expect(request.headers["cookie"] == nil)
      #expect(request.headers["if-none-match"] == nil)
    }
    #expect(server.requests.last?.headers["content-length"] == "0")
  }

  @Test(arguments: [
    ("a b", "a%20b"), ("a/b", "a%2Fb"), ("../x", "..%2Fx"), ("a?b#c", "a%3Fb%23c"), ("é", "%C3%A9"),
    ("a%2Fb", "a%252Fb"), ("a;b=c&d+e", "a%3Bb%3Dc%26d%2Be"), ("a\r\nb", "a%0D%0Ab"),
    ("-._~", "-._~"), ("...", "..."),
  ])
  func `a stream's id stays one piece of the path`(_ id: String, _ piece: String) async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    _ = try await api(server, path: "/base/").getLiveStream(libraryId: -1, streamId: id)
    #expect(server.requests.first?.path == "/base/library/-1/live/\(piece)")
  }

  @Test(arguments: ["", " ", ".", "..", "\n"])
  func `an id that would change the path is refused unsent`(_ id: String) async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).stopLiveStream(libraryId: 1, streamId: id)
    }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message == "that cannot be an id")
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: kindsByStatus)
  func `each status comes through the network as its kind`(
    _ status: Int, _ kind: BunnyLiveStreamError.Kind, _ isPermanent: Bool
  ) async throws {
    let server = try HTTPServer { _ in .respond(status, status == 304 ? "" : #""words""#) }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).startLiveStream(libraryId: 12, streamId: "g")
    }
    #expect(error?.kind == kind)
    #expect(error?.statusCode == status)
    #expect(error?.message == (status == 304 ? nil : "words"))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer", "nonsense"])
  func `a 401 that names a scheme ends at once`(_ scheme: String) async throws {
    let server = try HTTPServer { _ in
      .respond(401, #""no""#, headers: ["WWW-Authenticate": scheme])
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server, timeout: .seconds(20)).startLiveStream(libraryId: 12, streamId: "g")
    }
    #expect(error?.kind == .unauthorized)
    #expect(error?.message == "no")
    #expect(server.requests.count == 1)
  }

  @Test func `a success without a body starts and stops`() async throws {
    let server = try HTTPServer { $0.path.hasSuffix("start") ? .respond(204) : .respond(201) }
    try await api(server).startLiveStream(libraryId: 12, streamId: "g")
    try await api(server).stopLiveStream(libraryId: 12, streamId: "g")
  }

  @Test func `a compressed answer is read`() async throws {
    // gzip of {"guid":"zipped"}
    let zipped = Data(
      base64Encoded: "H4sIAAAAAAACA6tWSi/NTFGyUqrKLChITVGqBQAUrceLEQAAAA==")
    let bytes = Array(try #require(zipped))
    let server = try HTTPServer { _ in
      .respond(200, bytes: bytes, headers: ["Content-Encoding": "gzip"])
    }
    #expect(try await api(server).getLiveStream(libraryId: 1, streamId: "g").id == "zipped")
  }

  @Test func `an answer in chunks is read`() async throws {
    let server = try HTTPServer { _ in
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "8\r\n{\"guid\":\r\n5\r\n\"g2\"}\r\n0\r\n\r\n", then: .keepAlive)
    }
    let api = try api(server)
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "g2")
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "g2")
  }

  @Test func `many calls at once each get their own answer`() async throws {
    let server = try HTTPServer { request in
      .respond(200, #"{"guid":"\#(request.path.split(separator: "/").last!)"}"#)
    }
    let api = try api(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let stream = try await api.getLiveStream(libraryId: 1, streamId: "g\(number)")
          #expect(stream.id == "g\(number)")
        }
      }
      try await group.waitForAll()
    }
  }
}
