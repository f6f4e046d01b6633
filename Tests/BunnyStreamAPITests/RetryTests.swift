import BunnyStreamAPI
import Foundation
import Support
import Synchronization
import Testing

/// Retries against a real server.
struct RetryTests {
  /// As `policy`, with pauses that a test can wait for.
  private static func quick(_ scope: BunnyRetryPolicy.Scope, tries: Int = 3) -> BunnyRetryPolicy {
    BunnyRetryPolicy(
      scope, tries: tries, firstPause: .milliseconds(2), longestPause: .milliseconds(4))
  }

  private final class Count: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
      value.withLock {
        $0 += 1
        return $0
      }
    }
  }

  /// Fails `times` times with `failure`, then answers.
  private static func server(_ times: Int, _ failure: HTTPReply) throws -> HTTPServer {
    let count = Count()
    return try HTTPServer { _ in
      count.next() <= times ? failure : .respond(200, #"{"guid":"g"}"#)
    }
  }

  @Test(arguments: [
    HTTPReply.respond(503), .respond(500, #""words""#), .respond(429), .raw("", then: .close),
    .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", then: .close),
  ])
  func `a read that fails twice is done the third time`(_ failure: HTTPReply) async throws {
    let server = try Self.server(2, failure)
    let api = try client(server, retry: Self.quick(.reads)).liveStreams
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "g")
    #expect(server.requests.count == 3)
  }

  @Test func `after the last try its own failure is thrown`() async throws {
    let count = Count()
    let server = try HTTPServer { _ in .respond(500 + count.next(), #""words""#) }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await client(server, retry: .init(.reads, tries: 2, firstPause: .milliseconds(1)))
        .liveStreams.getLiveStream(libraryId: 1, streamId: "g")
    }
    // 501 says that it will never work.
    #expect(error?.statusCode == 501)
    #expect(server.requests.count == 1)
    let second = try Self.server(9, .respond(503, #""words""#))
    let last = await #expect(throws: BunnyLiveStreamError.self) {
      try await client(second, retry: Self.quick(.reads)).liveStreams
        .getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(last?.statusCode == 503 && last?.message == "words")
    #expect(second.requests.count == 3)
  }

  @Test func `by default a read is tried again, and a change is not`() async throws {
    let server = try HTTPServer { _ in .respond(503) }
    let url = try BunnyAPIBaseURL(server.url, allowingClearText: true)
    let api = BunnyStreamAPI(accessKey: accessKey, baseURL: url).liveStreams
    await #expect(throws: BunnyLiveStreamError.self) {
      try await api.startLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(server.requests.count == 1)
    await #expect(throws: BunnyLiveStreamError.self) {
      try await api.ingestStatus(libraryId: 1, streamId: "g")
    }
    #expect(server.requests.count == 4)
  }

  @Test func `a change that comes to the same is tried again by request`() async throws {
    let server = try Self.server(1, .raw("", then: .close))
    let api = try client(server, retry: Self.quick(.repeatable)).liveStreams
    try await api.stopLiveStream(libraryId: 1, streamId: "g")
    #expect(server.requests.map(\.method) == ["PUT", "PUT"])
  }

  @Test func `what may have been made is not made again`() async throws {
    let server = try Self.server(1, .raw("", then: .close))
    let api = try client(server, retry: Self.quick(.all)).liveStreams
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api.createLiveStream(libraryId: 1, request: .init(title: "t"))
    }
    #expect(error?.kind == .transport)
    #expect(server.requests.count == 1)
  }

  @Test func `nor is it, when a connection that was kept turns out to be dead`() async throws {
    // libcurl sends what went into a dead connection once more, if that had been used before.
    let server = try HTTPServer { request in
      request.method == "GET" ? .respond(200, "{}") : .raw("", then: .close)
    }
    let api = try client(server, retry: Self.quick(.all)).liveStreams
    _ = try await api.getLiveStream(libraryId: 1, streamId: "g")
    await #expect(throws: BunnyLiveStreamError.self) {
      try await api.createLiveStream(libraryId: 1, request: .init(title: "t"))
    }
    #expect(server.requests.map(\.method) == ["GET", "POST"])
  }

  @Test func `what certainly was not made is tried again`() async throws {
    let server = try Self.server(2, .respond(429))
    let api = try client(server, retry: Self.quick(.all)).liveStreams
    _ = try await api.createLiveStream(libraryId: 1, request: .init(title: "t"))
    #expect(server.requests.map(\.method) == ["POST", "POST", "POST"])
  }

  @Test func `where nobody listens what must not be done twice is tried again`() async throws {
    let url = try BunnyAPIBaseURL("http://127.0.0.1:\(FreePort.next())", allowingClearText: true)
    let policy = BunnyRetryPolicy(.all, tries: 4, firstPause: .milliseconds(40))
    let api = BunnyStreamAPI(accessKey: accessKey, baseURL: url, retry: policy).liveStreams
    let began = ContinuousClock.now
    await #expect(throws: BunnyLiveStreamError.self) {
      try await api.createLiveStream(libraryId: 1, request: .init(title: "t"))
    }
    // At least the halves of 40, 80 and 160 ms.
    #expect(ContinuousClock.now - began >= .milliseconds(140))
  }

  @Test func `Retry-After is waited for, and a long one is not`() async throws {
    let server = try Self.server(1, .respond(503, headers: ["Retry-After": "1"]))
    let policy = BunnyRetryPolicy(.reads, tries: 2, firstPause: .milliseconds(1))
    let began = ContinuousClock.now
    let api = try client(server, retry: policy).liveStreams
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "g")
    #expect(ContinuousClock.now - began >= .seconds(1))
    let busy = try Self.server(1, .respond(503, headers: ["Retry-After": "3600"]))
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await client(busy, retry: policy).liveStreams.getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(busy.requests.count == 1)
    #expect(error?.retryAfter == .seconds(3600))
  }

  @Test func `the timeout is for all tries together`() async throws {
    let server = try HTTPServer { _ in .respond(503) }
    let policy = BunnyRetryPolicy(
      .reads, tries: 100, firstPause: .seconds(20), longestPause: .seconds(20))
    let api = try client(server, timeout: .seconds(5), retry: policy).liveStreams
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api.getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.statusCode == 503)
    #expect(server.requests.count == 1, "the next try would have come too late")
  }

  @Test func `a silent server is given up after the whole timeout, and says so`() async throws {
    let server = try Self.server(1, .respond(503))
    let silent = try HTTPServer { _ in .raw("", then: .silence) }
    let policy = Self.quick(.reads)
    _ = try await client(server, retry: policy).liveStreams
      .getLiveStream(libraryId: 1, streamId: "g")
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await client(silent, timeout: .milliseconds(300), retry: policy).liveStreams
        .getLiveStream(libraryId: 1, streamId: "g")
    }
    let words = error?.message ?? "no message"
    #expect(words.hasSuffix(": not within 0.3 s"), "\(words)")
    #expect(silent.requests.count == 1)
  }

  @Test func `a call that is cancelled in a pause ends at once`() async throws {
    let server = try HTTPServer { _ in .respond(503) }
    let policy = BunnyRetryPolicy(.reads, firstPause: .seconds(10))
    let api = try client(server, retry: policy).liveStreams
    let call = Task { try await api.getLiveStream(libraryId: 1, streamId: "g") }
    try await server.waitUntil { $0.requests.count == 1 }
    let began = ContinuousClock.now
    call.cancel()
    let error = await #expect(throws: BunnyLiveStreamError.self) { try await call.value }
    #expect(error?.kind == .transport)
    #expect(error?.message?.hasSuffix(": cancelled") == true)
    #expect(ContinuousClock.now - began < .seconds(4))
    #expect(server.requests.count == 1)
  }
}
