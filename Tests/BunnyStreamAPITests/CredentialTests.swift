import BunnyStreamAPI
import Foundation
import Support
import Testing

struct CredentialTests {
  private func repository(
    _ server: HTTPServer, _ credential: BunnyAPICredential
  ) throws -> DefaultLiveStreamRepository {
    let url = try BunnyAPIBaseURL(server.url + "/stand-in", allowingClearText: true)
    return BunnyStreamAPI(credential: credential, baseURL: url).liveStreams
  }

  @Test func `headers go with every request, in place of the key`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    let text = """
      # for the kiosk

      Authorization: Bearer token-canary \r
      X-Kiosk:  7
      """
    let api = try repository(server, .headers(text))
    _ = try await api.getLiveStream(libraryId: 1, streamId: "g")
    let request = try #require(server.requests.first)
    #expect(request.path == "/stand-in/library/1/live/g")
    #expect(request.headers["authorization"] == "Bearer token-canary")
    #expect(request.headers["x-kiosk"] == "7")
    #expect(request.headers["accesskey"] == nil)
    #expect(request.headers["accept"] == "application/json")
  }

  @Test func `a bearer token is a header`() async throws {
    let server = try HTTPServer { _ in .respond(200, "{}") }
    _ = try await repository(server, .bearer(" token-canary\n"))
      .getLiveStream(libraryId: 1, streamId: "g")
    #expect(server.requests.first?.headers["authorization"] == "Bearer token-canary")
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await repository(server, .bearer("a b")).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .unauthorized && server.requests.count == 1)
  }

  @Test func `a server that echoes a header puts it in no error`() async throws {
    let server = try HTTPServer { request in
      .respond(400, #""\#(request.headers["authorization"] ?? "") token-canary X7""#)
    }
    let credential = try BunnyAPICredential.headers("Authorization: Bearer token-canary\nV: 7")
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await repository(server, credential).stopLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.message == "••• ••• X7")
  }

  @Test func `a credential prints as dots`() throws {
    for credential in [
      try BunnyAPICredential.headers("Authorization: Bearer token-canary"),
      .bearer("token-canary"), .accessKey(BunnyAccessKey("token-canary")),
    ] {
      var dumped = ""
      dump(credential, to: &dumped)
      let texts = "\(credential) \(String(reflecting: credential)) \([credential]) \(dumped)"
      #expect(!texts.contains("canary"))
      #expect("\(credential)" == "•••")
    }
  }

  @Test(arguments: [
    ("", BunnyAPIHeadersError.none), ("# nothing\n\n", .none), ("canary", .noColon(line: 1)),
    ("A: b\n\ncanary", .noColon(line: 3)), (": canary", .name(line: 1)),
    ("can ary: x", .name(line: 1)), ("clé: x", .name(line: 1)), ("A:", .value(line: 1)),
    ("A:  \t", .value(line: 1)), ("A: clé", .value(line: 1)), ("A: b\u{0}c", .value(line: 1)),
    ("Host: evil", .ours(line: 1, name: "Host")),
    ("content-LENGTH: 5", .ours(line: 1, name: "content-LENGTH")),
    ("Transfer-Encoding: chunked", .ours(line: 1, name: "Transfer-Encoding")),
  ])
  func `what is no list of headers says where, and shows nothing`(
    _ text: String, _ error: BunnyAPIHeadersError
  ) {
    #expect(throws: error) { try BunnyAPICredential.headers(text) }
    #expect(!"\(error)".contains("canary"))
  }

  @Test func `each mistake has its sentence`() {
    #expect(
      "\(BunnyAPIHeadersError.none)" == "holds no header; write one `Name: value` a line")
    #expect(
      "\(BunnyAPIHeadersError.ours(line: 2, name: "Host"))"
        == "names Host in line 2, which each request says itself; leave it out")
    #expect(
      "\(BunnyAPIHeadersError.noColon(line: 2))" == "has no colon in line 2; write `Name: value`")
  }
}
