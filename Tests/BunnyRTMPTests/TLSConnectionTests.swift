import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// `openssl s_server` on a free port of 127.0.0.1.
private final class OpenSSLServer: Sendable {
  let port = FreePort.next()
  private let child: ChildProcess

  init(_ identity: CertificateAuthority.Identity, _ more: String...) async throws {
    child = try ChildProcess(
      CertificateAuthority.command,
      [
        "s_server", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key",
        identity.key, "-rev", "-quiet",
      ] + more)
    try await FreePort.waitUntilListening(port, child)
  }
}

/// Publishing over TLS.
@Suite(
  .enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"), .sharingAuthority)
struct TLSConnectionTests {
  private let authority: CertificateAuthority
  private let identity: CertificateAuthority.Identity
  private var options = RTMPConnection.Options()

  init() throws {
    let shared = try #require(SharedAuthority.current)
    (authority, identity) = (shared.authority, shared.identity)
    options.tls = .file(authority.root)
  }

  private func secure(_ script: IngestScript = .init()) throws -> IngestScript {
    var script = script
    script.tls = try TLSServer(identity)
    return script
  }

  private func failure(at port: UInt16, _ options: RTMPConnection.Options) async throws -> RTMPError
  {
    let error = await #expect(throws: RTMPError.self) {
      try await publish(
        ListFeed([]), to: Ingest("rtmps://localhost:\(port)/live/secret-canary"), options)
    }
    let failure = try #require(error)
    #expect(!"\(failure)".contains("canary"))
    return failure
  }

  @Test(arguments: [IngestScript.Delivery.whole, .singleBytes])
  func `what arrives over TLS is what the feed gave`(delivery: IngestScript.Delivery) async throws {
    var script = try secure()
    script.delivery = delivery
    script.isTalkative = true
    let server = try ScriptedIngest(script)
    let tags = syntheticTags(frames: 20, frameBytes: 150_000)
    let feed = ListFeed(tags)
    let connection = RTMPConnection(to: try server.ingest(), options: options)
    let states = try await onThread("publish") {
      var states: [RTMPConnectionState] = []
      try connection.publish(feed) { states.append($0) }
      return states
    }
    let visit = try await server.visit()
    #expect(states == [.connecting, .handshaking, .connected, .ready, .publishing, .closed])
    #expect(visit.tags.map(\.body) == tags.map(\.body))
    #expect(visit.commandNames.suffix(2) == ["FCUnpublish", "deleteStream"])
    #expect(
      visit.commands[0].arguments[0].properties?["tcUrl"]?.text?.hasPrefix("rtmps://") == true)
    #expect(visit.violation == nil)
    #expect(feed.taken.current.map(\.tag.body) == tags.map(\.body))
    #expect(connection.counters.bytesSent == visit.bytesReceived)
    #expect(connection.counters.unsentBytes == 0)
  }

  @Test func `a slow reader gets every byte over TLS`() async throws {
    var script = try secure()
    script.receiveBuffer = 4096
    let server = try ScriptedIngest(script)
    var options = options
    options.chunkSize = 1000
    let tags = syntheticTags(frames: 3, frameBytes: 700_000)
    try await publish(ListFeed(tags), to: server.ingest(), options)
    #expect(try await server.visit().tags.map(\.body) == tags.map(\.body))
  }

  @Test func `a connection over TLS can begin where another left off`() async throws {
    let server = try ScriptedIngest(secure())
    let first = RTMPConnection(to: try server.ingest(), options: options)
    try await onThread("publish") { try first.publish(ListFeed(syntheticTags())) { _ in } }
    let resumption = try #require(first.resumption)
    let second = RTMPConnection(to: try server.ingest(), options: options, resuming: resumption)
    try await onThread("publish") { try second.publish(ListFeed(syntheticTags())) { _ in } }
    #expect(try await server.visit(1).media.count == 20)
  }

  @Test(
    arguments: [
      (.accept, .tls), (.clientHello, .handshake), (.connect, .connect),
      (.createStream, .createStream), (.publish, .publish),
    ] as [(IngestScript.Moment, RTMPStep)])
  func `silence at any step ends with the budget, TLS included`(
    moment: IngestScript.Moment, step: RTMPStep
  ) async throws {
    var options = options
    options.budget = 0.5
    let server = try ScriptedIngest(secure(IngestScript(.silence, at: moment)))
    #expect(
      try await failure(at: server.port, options).reason == .timedOut(step, seconds: 0.5))
  }

  @Test(arguments: [IngestScript.Fault.close, .reset])
  func `hanging up over TLS means what it means without`(fault: IngestScript.Fault) async throws {
    let expected: [(IngestScript.Moment, RTMPError.Category)] = [
      (.accept, .refused), (.clientHello, .refused), (.publish, .keyRefused), (.tags(3), .lost),
    ]
    for (moment, category) in expected {
      let server = try ScriptedIngest(secure(IngestScript(fault, at: moment)))
      let feed = ListFeed(syntheticTags(), end: .repeatForEver)
      let error = await #expect(throws: RTMPError.self) {
        try await publish(feed, to: server.ingest(), options)
      }
      #expect(error?.category == category, "\(moment)")
    }
  }

  @Test func `a server that stops reading stalls over TLS too`() async throws {
    var options = options
    options.stallLimit = 0.5
    let server = try ScriptedIngest(secure(IngestScript(.stopReading, at: .tags(3))))
    let feed = ListFeed(syntheticTags(frameBytes: 100_000), end: .repeatForEver)
    let error = await #expect(throws: RTMPError.self) {
      try await publish(feed, to: server.ingest(), options)
    }
    #expect(error?.reason == .stalled(seconds: 0.5))
  }

  @Test(arguments: [IngestScript.Moment.accept, .clientHello, .tags(3)])
  func `closing returns within a second whatever the server does over TLS`(
    moment: IngestScript.Moment
  ) async throws {
    let server = try ScriptedIngest(secure(IngestScript(.stopReading, at: moment)))
    let connection = RTMPConnection(to: try server.ingest(), options: options)
    let feed = ListFeed(syntheticTags(frameBytes: 100_000), end: .repeatForEver)
    async let end = onThread("publish") {
      try connection.publish(feed) { _ in }
      return MonotonicTime.now
    }
    try await server.waitUntil { $0.first?.faultsDone == 1 }
    let began = MonotonicTime.now
    connection.close()
    #expect(try await end - began < .seconds(1))
  }
}

// Servers that are not what they should be.
extension TLSConnectionTests {
  @Test func `a certificate that is not accepted is an untrusted ingest`() async throws {
    let server = try await OpenSSLServer(
      authority.issue(for: "DNS:elsewhere.example"), "-tls1_2")
    let error = try await failure(at: server.port, options)
    #expect(
      error.description
        == "no TLS with rtmps://localhost:\(server.port)/live/•••: the certificate is not for "
        + "localhost but for elsewhere.example; check the host in the URL")
    #expect(error.category == .untrusted)
    #expect(error.isRetryable)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `openssl s_server is a TLS server, and no RTMP server`(version: String) async throws {
    let server = try await OpenSSLServer(identity, version)
    var options = options
    options.budget = 1
    // It turns round what we say once we say a line, which begins our C1 or random bytes of it.
    let error = try await failure(at: server.port, options)
    let isRTMPs = if case .tls = error.reason { false } else { true }
    #expect(isRTMPs, "\(error)")
  }

  @Test(arguments: ["-tls1", "-tls1_1"])
  func `a server that knows only old TLS is told so`(version: String) async throws {
    let server = try await OpenSSLServer(identity, version, "-cipher", "ALL:@SECLEVEL=0")
    let error = try await failure(at: server.port, options)
    #expect(
      error.description
        == "no TLS with rtmps://localhost:\(server.port)/live/•••: localhost offers no TLS newer "
        + "than 1.1; its owner must allow TLS 1.2 or 1.3")
    #expect(error.category == .protocolViolation)
  }

  @Test func `a server that wants our certificate refuses`() async throws {
    let server = try await OpenSSLServer(identity, "-tls1_2", "-Verify", "1")
    let error = try await failure(at: server.port, options)
    #expect(
      error.description
        == "no TLS with rtmps://localhost:\(server.port)/live/•••: localhost refused it (alert: "
        + "handshake failure); look into the server's log")
    #expect(error.category == .refused)
  }

  @Test func `a web server behind rtmps speaks no TLS`() async throws {
    let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    let server = try ScriptedIngest(IngestScript(.bytes(answer), at: .accept))
    #expect(
      try await failure(at: server.port, options).description
        == "no TLS with rtmps://localhost:\(server.port)/live/•••: localhost does not speak TLS on "
        + "this port; is it rtmp:// instead?")
  }

  @Test func `an RTMP server behind rtmps waits for more than we say`() async throws {
    var options = options
    options.budget = 0.5
    let server = try ScriptedIngest()
    let error = try await failure(at: server.port, options)
    #expect(
      error.description
        == "rtmps://localhost:\(server.port)/live/••• kept us waiting for the TLS handshake longer "
        + "than 0.5 s; check that it speaks TLS on this port: is it rtmp:// instead?")
    #expect(error.category == .unreachable)
  }

  @Test func `a server that hangs up on our hello`() async throws {
    let server = try ScriptedIngest(IngestScript(.close, at: .accept))
    let error = try await failure(at: server.port, options)
    guard case .tls(.hungUp) = error.reason else { return #expect(Bool(false), "\(error)") }
    #expect(
      error.description.hasSuffix(
        "check that it speaks TLS on this port: is it rtmp:// instead?"))
  }

  @Test func `a file of certificates that is gone ends the connection before it begins`()
    async throws
  {
    var options = options
    options.tls = .file("/nowhere/ca.pem")
    let error = try await failure(at: 1, options)
    #expect(
      error.description
        == "no TLS with rtmps://localhost:1/live/•••: the file of trusted certificates "
        + "/nowhere/ca.pem cannot be read: No such file or directory; name a file of certificates "
        + "in PEM")
    #expect(!error.isRetryable)
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `nginx-rtmp behind a TLS proxy records what was published`() async throws {
    let tags = try await FLVFile.sample()
    let nginx = try await NginxIngest()
    let proxy = try TLSRelay(to: nginx.port, TLSServer(identity))
    try await publish(
      ListFeed(tags), to: Ingest("rtmps://localhost:\(proxy.port)/live/key"), options)
    let recording = try await nginx.recordings()[0]
    let read = try FLVFile.tags(of: recording)
    func media(_ kind: RTMPTag.Kind, _ tags: [RTMPTag]) -> [RTMPTag] {
      tags.filter { $0.kind == kind && !$0.isSequenceHeader && $0.body.count > 5 }
    }
    for kind in [RTMPTag.Kind.video, .audio] {
      #expect(media(kind, read).map(\.body) == media(kind, tags).map(\.body))
      #expect(media(kind, read).map(\.timestamp) == media(kind, tags).map(\.timestamp))
    }
    let check = try await ChildProcess.run(
      "ffmpeg", ["-v", "error", "-i", recording, "-f", "null", "-"])
    #expect(check.standardError == "")
  }
}
