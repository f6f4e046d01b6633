import BunnyStreamAPI
import Support
import Testing

/// A redirect of every path but `/there`'s, which answers with a stream.
private func redirecting(_ status: Int, to target: @escaping @Sendable (HTTPRequest) -> String)
  throws -> HTTPServer
{
  try HTTPServer { request in
    request.path == "/there"
      ? .respond(200, #"{"guid":"there"}"#)
      : .respond(status, "moved", headers: ["Location": target(request)])
  }
}

struct RedirectTests {
  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect on the same server is followed`(_ status: Int) async throws {
    let server = try redirecting(status) { _ in "/there" }
    #expect(try await api(server).getLiveStream(libraryId: 1, streamId: "g").id == "there")
    #expect(server.requests.map(\.path) == ["/library/1/live/g", "/there"])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect to another port is not followed`(_ status: Int) async throws {
    let other = try HTTPServer { _ in .respond(200, #"{"guid":"other"}"#) }
    let target = other.url + "/there"
    let server = try redirecting(status) { _ in target }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .unexpected)
    #expect(error?.statusCode == status)
    #expect(error?.message == "it redirects to \(other.url), which is not followed")
    #expect(other.requests.isEmpty)
  }

  @Test(arguments: [
    "http://localhost:PORT/there", "https://127.0.0.1:PORT/there", "//localhost:PORT/there",
    "https://elsewhere.invalid/there", "http://127.0.0.2:PORT/there", "http://user@localhost:PORT/",
  ])
  func `a redirect to another host or scheme is not followed`(_ pattern: String) async throws {
    let server = try redirecting(307) { request in
      pattern.replacing("PORT", with: request.headers["host"]?.split(separator: ":").last ?? "")
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.statusCode == 307)
    #expect(error?.message?.contains("which is not followed") == true)
    #expect(server.requests.count == 1)
  }

  @Test func `a PUT that would become a GET is not done, and not taken for done`() async throws {
    let server = try redirecting(303) { _ in "/there" }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).stopLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.statusCode == 303)
    #expect(server.requests.map(\.method) == ["PUT"])
  }

  @Test(arguments: [307, 308])
  func `a PUT stays one on the same server`(_ status: Int) async throws {
    let server = try redirecting(status) { _ in "/there" }
    try await api(server).stopLiveStream(libraryId: 1, streamId: "g")
    #expect(server.requests.map(\.method) == ["PUT", "PUT"])
  }

  @Test func `a ring of redirects is left after the fifth`() async throws {
    let server = try redirecting(302) { $0.path }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .unexpected)
    #expect(server.requests.count == 6)
  }

  @Test func `a redirect to nowhere is an answer without words`() async throws {
    let server = try HTTPServer { _ in .respond(302, "words") }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .unexpected)
    #expect(error?.statusCode == 302)
    #expect(error?.message == nil)
  }
}
