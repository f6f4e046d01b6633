import BunnyStreamAPI
import Foundation
import Support
import Testing

/// The error of a get of this answer; checked to be about no secret.
private func getError(
  _ reply: HTTPReply, timeout: Duration = .seconds(30)
) async throws -> BunnyLiveStreamError {
  let server = try HTTPServer { _ in reply }
  let error = await #expect(throws: BunnyLiveStreamError.self) {
    try await api(server, timeout: timeout).getLiveStream(libraryId: 1, streamId: "g")
  }
  let failure = try #require(error)
  #expect(!"\(failure)".contains("canary"))
  return failure
}

struct TransportTests {
  @Test func `nobody listening is transport, and says where`() async throws {
    let origin = "http://127.0.0.1:\(FreePort.next())"
    let url = try BunnyAPIBaseURL(origin, allowingClearText: true)
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await BunnyStreamAPI(accessKey: accessKey, baseURL: url).liveStreams
        .startLiveStream(libraryId: 12, streamId: "g")
    }
    #expect(error?.kind == .transport)
    #expect(error?.statusCode == nil)
    #expect(error?.isPermanent == false)
    #expect(error?.message?.hasPrefix("\(origin): Failed to connect to 127.0.0.1") == true)
  }

  @Test func `a name that is none is transport`() async throws {
    let url = try BunnyAPIBaseURL("https://no-such-host.invalid")
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      _ = try await BunnyStreamAPI(accessKey: accessKey, baseURL: url).liveStreams
        .ingestStatus(libraryId: 12, streamId: "g")
    }
    #expect(error?.kind == .transport)
    #expect(error?.message?.hasPrefix("https://no-such-host.invalid: ") == true)
  }

  @Test(arguments: [
    HTTPReply.raw("", then: .close), .raw("HTTP/1.1 200 O", then: .close),
    .raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"guid\":\"g\"}", then: .close),
    .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{\"guid\":", then: .close),
    .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense", then: .close),
    .raw("SSH-2.0-OpenSSH_9.2\r\n", then: .close), .raw("\u{0}\u{1}\u{2}\r\n\r\n", then: .close),
    .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"),
  ])
  func `an answer that is broken off or no HTTP is transport`(_ reply: HTTPReply) async throws {
    #expect(try await getError(reply).kind == .transport)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
  ])
  func `an answer that ends amid its head is transport`(_ answer: String) async throws {
    #expect(try await getError(.raw(answer, then: .close)).kind == .transport)
  }

  @Test(arguments: ["Trailer: x", "AccessKey: x", "HTTP/1.1: x"])
  func `what follows the last chunk changes nothing`(_ trailer: String) async throws {
    let server = try HTTPServer { _ in
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "c\r\n{\"guid\":\"g\"}\r\n0\r\n\(trailer)\r\n\r\n")
    }
    #expect(try await api(server).getLiveStream(libraryId: 1, streamId: "g").id == "g")
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n", "X-Header: \(String(repeating: "x", count: 1000))\r\n"),
    ("HTTP/1.1 200 OK\r\nX: ", "x"), ("", "HTTP/1.1 100 Continue\r\n\r\n"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X: y\r\n"),
  ])
  func `headers that never end are given up`(_ start: String, _ again: String) async throws {
    let head = start + String(repeating: again, count: (2 << 20) / again.utf8.count)
    let error = try await getError(.raw(head, then: .silence))
    #expect(error.kind == .transport)
    #expect(error.message?.contains("not within") == false)
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"guid\":",
  ])
  func `a silent server is given up after the timeout`(_ start: String) async throws {
    let error = try await getError(.raw(start, then: .silence), timeout: .milliseconds(300))
    #expect(error.kind == .transport)
    #expect(error.message?.hasSuffix(": not within 0.3 s") == true)
  }

  // Endless in that its end never comes.
  private static let endless = String(repeating: " ", count: 2 << 20)

  @Test func `an answer that never ends is given up, and its connection too`() async throws {
    let server = try HTTPServer { _ in
      .raw("HTTP/1.1 200 OK\r\n\r\n{" + Self.endless, then: .silence)
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .invalidResponse)
    #expect(error?.message == "it is longer than 1048576 bytes")
    try await server.waitUntil { $0.connectionsOver == 1 }
  }

  @Test func `of a compressed answer a mebibyte is unpacked`() async throws {
    // gzip of 3 MiB of spaces.
    let zipped = try #require(
      Data(
        base64Encoded: "H4sIAAAAAAACA+3BAQ0AAADCoCrvn9IcbkAB" + String(repeating: "A", count: 4062)
          + "B8GxvvhkMAADAA"))
    let server = try HTTPServer { _ in
      .respond(200, bytes: Array(zipped), headers: ["Content-Encoding": "gzip"])
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.message == "it is longer than 1048576 bytes")
  }

  @Test func `the status of a refusal counts even if its words never end`() async throws {
    let error = try await getError(
      .raw("HTTP/1.1 404 No\r\n\r\nno" + Self.endless, then: .silence))
    #expect(error.kind == .notFound)
    #expect(error.message == nil)
  }

  @Test(arguments: [(1 << 20, true), ((1 << 20) + 1, false)])
  func `a body may have a mebibyte and not a byte more`(_ size: Int, _ isRead: Bool) async throws {
    let json = #"{"guid":"long"}"#
    let body = json + String(repeating: " ", count: size - json.utf8.count)
    let server = try HTTPServer { _ in .respond(200, body) }
    let api = try api(server)
    if isRead {
      #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "long")
    } else {
      let error = await #expect(throws: BunnyLiveStreamError.self) {
        try await api.getLiveStream(libraryId: 1, streamId: "g")
      }
      #expect(error?.kind == .invalidResponse)
    }
  }

  @Test func `a cancelled call ends at once, as transport`() async throws {
    let server = try HTTPServer { _ in .raw("", then: .silence) }
    let api = try api(server)
    let call = Task { try await api.stopLiveStream(libraryId: 1, streamId: "g") }
    try await server.waitUntil { $0.requests.count == 1 }
    call.cancel()
    let error = await #expect(throws: BunnyLiveStreamError.self) { try await call.value }
    #expect(error?.kind == .transport)
    #expect(error?.message?.hasSuffix(": cancelled") == true)
    try await server.waitUntil { $0.connectionsOver == 1 }
  }

  @Test func `a child of the process does not hold a connection open`() async throws {
    let server = try HTTPServer { _ in .raw("", then: .silence) }
    let api = try api(server)
    let call = Task { try await api.stopLiveStream(libraryId: 1, streamId: "g") }
    try await server.waitUntil { $0.requests.count == 1 }
    let child = try ChildProcess("sleep", ["60"])
    call.cancel()
    try await server.waitUntil { $0.connectionsOver == 1 }
    #expect(child.isRunning)
  }

  @Test func `a call in a cancelled task is not sent`() async throws {
    let server = try HTTPServer { _ in .respond(200) }
    let api = try api(server)
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await api.stopLiveStream(libraryId: 1, streamId: "g")
    }
    let error = await #expect(throws: BunnyLiveStreamError.self) { try await call.value }
    #expect(error?.kind == .transport)
    #expect(server.requests.isEmpty)
  }

  @Test func `after an answer that was given up the next call goes through`() async throws {
    let server = try HTTPServer { request in
      request.path.hasSuffix("start")
        ? .raw("HTTP/1.1 200 OK\r\n\r\n{" + Self.endless, then: .silence) : .respond(200, "{}")
    }
    let api = try api(server)
    for _ in 0..<3 {
      await #expect(throws: BunnyLiveStreamError.self) {
        try await api.startLiveStream(libraryId: 1, streamId: "g")
      }
      _ = try await api.ingestStatus(libraryId: 1, streamId: "g")
    }
  }

  @Test func `a server that comes back is found again`() async throws {
    let server = try HTTPServer { request in
      request.path.hasSuffix("start") ? .raw("", then: .close) : .respond(200, "{}")
    }
    let api = try api(server)
    for _ in 0..<3 {
      _ = try await api.ingestStatus(libraryId: 1, streamId: "g")
      await #expect(throws: BunnyLiveStreamError.self) {
        try await api.startLiveStream(libraryId: 1, streamId: "g")
      }
    }
  }

  @Test(.enabled(if: access("/usr/bin/openssl", X_OK) == 0, "needs the openssl command"))
  func `a certificate that nobody vouches for is refused`() async throws {
    let directory = try TemporaryDirectory()
    let (key, certificate) = (directory.file("key"), directory.file("certificate"))
    let made = try await ChildProcess.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ])
    try #require(made.exitStatus == 0)
    let port = FreePort.next()
    let server = try ChildProcess(
      "openssl",
      ["s_server", "-quiet", "-www", "-accept", "\(port)", "-key", key, "-cert", certificate])
    try await FreePort.waitUntilListening(port, server)
    let url = try BunnyAPIBaseURL("https://localhost:\(port)")
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      _ = try await BunnyStreamAPI(accessKey: accessKey, baseURL: url).liveStreams
        .getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .transport)
    #expect(error?.message?.contains("SSL certificate problem") == true)
    withExtendedLifetime(server) {}
  }
}
