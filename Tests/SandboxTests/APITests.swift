import Foundation
import FoundationNetworking
import Support
import Testing

/// The HTTP side of a running sandbox, without media.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct APITests {
  @Test func `the stream is told with Bunny's keys`() async throws {
    let sandbox = try await SandboxProcess.start("--title", "A kiosk")
    let stream = try await sandbox.api("GET")
    #expect(stream.status == 200 && stream.type == "application/json; charset=utf-8")
    #expect(stream["guid"] as? String == sandbox.facts.streamId)
    #expect(stream["streamKey"] as? String == sandbox.facts.streamKey)
    #expect(stream["title"] as? String == "A kiosk")
    #expect(stream["status"] as? Int == 1)
    #expect(stream["playbackUrlHls"] as? String == sandbox.facts.hlsUrl)
    let created = try #require(stream["dateCreated"] as? String)
    #expect(created.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) != nil)
    #expect(stream.text.contains(#""primaryIngestUrl":"\#(sandbox.facts.primaryIngestUrl)""#))
    #expect(stream.text.contains(#""backupIngestUrl":"\#(sandbox.facts.backupIngestUrl)""#))
    let status = try await sandbox.api("GET", "/status")
    #expect(status["readyToStart"] as? Bool == false)
    #expect(status["primaryLive"] == nil && status["backupLive"] == nil)
    #expect(status["lastPingAgo"] is NSNull && status["duration"] is NSNull)
    try await sandbox.end()
  }

  @Test func `a wrong key, stream, library or method is refused, without a word`() async throws {
    let sandbox = try await SandboxProcess.start()
    let (facts, path) = (sandbox.facts, "/library/12345/live/\(sandbox.facts.streamId)")
    for (method, path, key, status) in [
      ("GET", path, nil, 401), ("GET", path, "wrong", 401), ("PUT", path + "/start", "wrong", 401),
      ("GET", "/library/12345/live/\(UUID())", facts.accessKey, 404),
      ("GET", "/library/12346/live/\(facts.streamId)", facts.accessKey, 404),
      ("GET", path + "/statuses", facts.accessKey, 404),
      ("PUT", path + "/status", facts.accessKey, 405),
      ("GET", path + "/start", facts.accessKey, 405),
    ] as [(String, String, String?, Int)] {
      let answer = try await sandbox.http(method, path, key: key)
      #expect(answer.status == status && answer.body.isEmpty, "\(method) \(path)")
    }
    try await sandbox.end()
  }

  @Test func `start before an encoder is there is a 400 with reasons`() async throws {
    let sandbox = try await SandboxProcess.start()
    let start = try await sandbox.api("PUT", "/start")
    #expect(start.status == 400 && start["success"] as? Bool == false)
    #expect((start["data"] as? [String])?.count == 1)
    #expect(try await sandbox.calls() == ["start 400"])
    try await sandbox.end()
  }

  @Test func `a forced status is told, and a stop of an ended stream fails inside a 200`()
    async throws
  {
    let sandbox = try await SandboxProcess.start()
    _ = try await sandbox.http("POST", "/sandbox/status?value=5")
    #expect(try await sandbox.api("GET")["status"] as? Int == 5)
    let stop = try await sandbox.api("PUT", "/stop")
    #expect(stop.status == 200 && stop["success"] as? Bool == false)
    #expect(stop["statusCode"] as? Int == 400)
    #expect(try await sandbox.http("POST", "/sandbox/status?value=8").status == 400)
    try await sandbox.end()
  }

  @Test func `the key can be late`() async throws {
    let sandbox = try await SandboxProcess.start("--key-after", "600")
    #expect(try await sandbox.api("GET")["streamKey"] == nil)
    try await sandbox.end()
  }

  @Test func `an outage is of the API only`() async throws {
    let sandbox = try await SandboxProcess.start()
    _ = try await sandbox.http("POST", "/sandbox/fault?seconds=600")
    #expect(try await sandbox.api("GET", "/status").status == 503)
    #expect(try await sandbox.http("GET", "/watch").status == 200)
    _ = try await sandbox.http("POST", "/sandbox/fault?seconds=600&kind=hangup")
    await #expect(throws: URLError.self) { try await sandbox.api("GET", "/status") }
    _ = try await sandbox.http("POST", "/sandbox/fault?seconds=0")
    #expect(try await sandbox.api("GET", "/status").status == 200)
    #expect(try await sandbox.http("POST", "/sandbox/fault?seconds=x").status == 400)
    #expect(try await sandbox.calls().filter { $0.hasSuffix("503") } == ["status 503"])
    try await sandbox.end()
  }

  @Test func `pages from elsewhere may read the playlists, and nothing else`() async throws {
    let sandbox = try await SandboxProcess.start()
    let refused = try await sandbox.http("GET", "/sandbox/calls", origin: "https://evil.example")
    #expect(refused.status == 403)
    #expect(
      refused.text == "pages of https://evil.example may not use /sandbox; open "
        + "\(sandbox.facts.pageUrl), or ask without a browser\n")
    let forced = try await sandbox.http("POST", "/sandbox/status?value=5", origin: "null")
    #expect(forced.status == 403)
    #expect(try await sandbox.api("GET")["status"] as? Int == 1)
    let own = sandbox.facts.apiUrl
    for origin in [own, own.replacing("127.0.0.1", with: "localhost")] {
      #expect(try await sandbox.http("GET", "/sandbox/state", origin: origin).status == 200)
    }
    for path in ["/sandbox/state", "/watch", "/", "/library/12345/live/x", "/elsewhere"] {
      #expect(try await sandbox.http("GET", path).allowedOrigin == nil, "\(path)")
    }
    let playlist = try await sandbox.http(
      "GET", sandbox.facts.hlsUrl, origin: "https://player.example")
    #expect(playlist.allowedOrigin == "*")
    try await sandbox.end()
  }

  @Test func `the page names the stream and holds no secret`() async throws {
    let sandbox = try await SandboxProcess.start("--title", "A <kiosk>")
    let page = try await sandbox.http("GET", sandbox.facts.pageUrl)
    #expect(page.status == 200 && page.type == "text/html; charset=utf-8")
    #expect(page.text.contains("<title>A &lt;kiosk></title>"))
    #expect(page.text.contains("ffplay \(sandbox.facts.hlsUrl)"))
    let state = try await sandbox.http("GET", "/sandbox/state")
    #expect(state["status"] as? String == "created" && state["playable"] as? Bool == false)
    for text in [page.text, state.text] {
      #expect(!text.contains(sandbox.facts.accessKey) && !text.contains(sandbox.facts.streamKey))
    }
    #expect(try await sandbox.http("GET", sandbox.facts.hlsUrl).status == 404)
    try await sandbox.end()
  }
}
