import BunnyRTMP
import BunnySystem
import Foundation
import Glibc
import Support
import Testing

/// Bytes in no order, the same each time.
func mixedBytes(_ count: Int) -> [UInt8] {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state)
  }
}

/// A session as a value, against a server in memory.
@Suite(
  .enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"), .sharingAuthority,
  .serialized)
struct TLSSessionTests {
  private let authority: CertificateAuthority
  private let identity: CertificateAuthority.Identity
  private let context: TLSContext

  init() throws {
    let shared = try #require(SharedAuthority.current)
    (authority, identity) = (shared.authority, shared.identity)
    context = try TLSContext(trusting: .file(authority.root))
  }

  private func pair(
    _ versions: TLSServer.Versions = .both, host: String = "localhost"
  ) throws -> TLSPair {
    TLSPair(try TLSSession(context, host: host), try TLSServer(identity, versions))
  }

  @Test(
    arguments: [TLSServer.Versions.tls12, .tls13],
    ["localhost", "localhost.", "LOCALHOST", "127.0.0.1", "::1"])
  func `a server whose certificate is for the host is accepted`(
    versions: TLSServer.Versions, host: String
  ) throws {
    var pair = try pair(versions, host: host)
    try pair.settle()
    #expect(pair.client.isEstablished)
    #expect(pair.client.version == (versions == .tls12 ? "TLSv1.2" : "TLSv1.3"))
    #expect(pair.server.failure == nil)
  }

  @Test(arguments: [TLSServer.Versions.tls12, .tls13], [1, 2, 100, 5000])
  func `bytes may be cut anywhere, both ways`(versions: TLSServer.Versions, most: Int) async throws
  {
    try await onThread("tls-test") {
      var pair = try pair(versions)
      pair.mostAtOnce = most
      let (there, back) = (mixedBytes(40_000), mixedBytes(50_000))
      try pair.client.write(there[..<100])  // before there is a session
      try pair.settle()
      try pair.client.write(there[100...])
      pair.server.write(back[...])
      try pair.settle()
      #expect(pair.atServer == there)
      #expect(pair.atClient == back)
    }
  }

  @Test(arguments: [TLSServer.Versions.tls12, .tls13])
  func `megabytes arrive as they were, both ways`(versions: TLSServer.Versions) async throws {
    try await onThread("tls-test") {
      var pair = try pair(versions)
      let (there, back) = (mixedBytes(5_000_000), mixedBytes(4_000_000))
      try pair.settle()
      var (rest, answer) = (there[...], back[...])
      while !rest.isEmpty || !answer.isEmpty {
        let (some, more) = (rest.prefix(.random(in: 0...300_000)), answer.prefix(70_000))
        try pair.client.write(some)
        pair.server.write(more)
        (rest, answer) = (rest.dropFirst(some.count), answer.dropFirst(more.count))
        try pair.settle()
      }
      #expect(pair.atServer == there)
      #expect(pair.atClient == back)
    }
  }

  @Test(arguments: [TLSServer.Versions.tls12, .tls13])
  func `goodbyes are said and heard`(versions: TLSServer.Versions) throws {
    var pair = try pair(versions)
    try pair.settle()
    try pair.client.write([1, 2, 3])
    pair.client.close()
    pair.client.close()
    pair.server.write([4, 5, 6])
    #expect(!pair.client.isPeerClosed)
    pair.server.close()
    try pair.settle()
    #expect(pair.atServer == [1, 2, 3])
    #expect(pair.server.isPeerClosed)
    #expect(pair.atClient == [4, 5, 6])
    #expect(pair.client.isPeerClosed)
  }

  @Test func `a stream cut short gives what was whole and no goodbye`() throws {
    var pair = try pair()
    try pair.settle()
    pair.server.write([1, 2, 3])
    let whole = pair.server.takeOutgoing()
    pair.server.write([4, 5, 6])
    pair.server.close()
    let cut = pair.server.takeOutgoing()
    try pair.client.receive((whole + cut.prefix(10))[...])
    #expect(pair.client.takePlain() == [1, 2, 3])
    #expect(!pair.client.isPeerClosed)
  }

  @Test(
    arguments: [
      [3], [0x48, 0x54], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
      [0x16, 0x48, 0x54, 0x54, 0x50, 0x2F],
    ] as [[UInt8]])
  func `garbage in place of a ServerHello is no TLS`(garbage: [UInt8]) throws {
    let client = try TLSSession(context, host: "localhost")
    let failure = #expect(throws: TLSFailure.self) { try client.receive(garbage[...]) }
    #expect(failure == .notTLS(host: "localhost"))
    #expect(throws: TLSFailure.notTLS(host: "localhost")) { try client.receive([0x16]) }
    #expect(!client.isEstablished)
  }

  @Test func `whatever comes, it is an error or nothing`() async throws {
    try await onThread("tls-test") {
      for round in 0..<300 {
        var pair = try pair(round % 2 == 0 ? .tls12 : .tls13)
        let isEstablished = round % 3 == 0
        if isEstablished { try pair.settle() }
        var bytes = (0..<Int.random(in: 1...600)).map { _ in UInt8.random(in: 0...255) }
        if round % 5 < 3 { bytes[0] = [0x14, 0x15, 0x16, 0x17].randomElement()! }
        if round % 5 < 2 { bytes.replaceSubrange(0..<min(bytes.count, 3), with: [0x16, 3, 3]) }
        if !isEstablished, round % 5 == 4 {  // a real answer with one byte changed
          var hello: [UInt8] = []
          pair.client.takeOutgoing(into: &hello)
          _ = pair.server.receive(hello[...])
          bytes = pair.server.takeOutgoing()
          bytes[.random(in: bytes.indices)] ^= 0x10
        }
        try? pair.client.receive(bytes[...])
        #expect(pair.client.takePlain().isEmpty)
        #expect(pair.client.isEstablished == isEstablished)
      }
    }
  }

  @Test func `a flipped bit ends the session, and the server hears why`() throws {
    var pair = try pair()
    try pair.settle()
    pair.server.write([1, 2, 3])
    var bytes = pair.server.takeOutgoing()
    bytes[bytes.count - 1] ^= 1
    let failure = #expect(throws: TLSFailure.self) { try pair.client.receive(bytes[...]) }
    #expect(
      failure?.description
        == "localhost does not speak TLS as it should (decryption failed or bad record mac); "
        + "check what stands between this machine and the server")
    try? pair.settle()
    #expect(pair.server.failure == "sslv3 alert bad record mac")
  }

  @Test(arguments: [TLSServer.Versions.tls12, .tls13])
  func `the next session with a host begins where one left off`(
    versions: TLSServer.Versions
  ) throws {
    let server = try TLSServer(identity, versions)
    var resumption: TLSResumption?
    for round in 0..<4 {
      let context = try TLSContext(trusting: .file(authority.root))  // another one each time
      let client = try TLSSession(context, host: "localhost", resuming: resumption)
      var pair = TLSPair(client, server)
      try pair.settle()
      #expect(client.isResumed == (round > 0))
      try client.write([1, 2])
      try pair.settle()
      #expect(pair.atServer == [1, 2])
      resumption = client.resumption
      #expect(resumption != nil)
      // The session now breaks off without a goodbye, as it does when an ingest dies.
    }
  }

  @Test func `another host, or another trust, does not begin where one left off`() async throws {
    let server = try TLSServer(identity)
    var first = TLSPair(try TLSSession(context, host: "localhost"), server)
    try first.settle()
    let resumption = try #require(first.client.resumption)
    var second = TLSPair(
      try TLSSession(context, host: "127.0.0.1", resuming: resumption), server)
    try second.settle()
    #expect(!second.client.isResumed)
    let stranger = try await CertificateAuthority("Stranger")
    let other = try withExtendedLifetime(stranger) {
      try TLSContext(trusting: .file(stranger.root))
    }
    var third = TLSPair(try TLSSession(other, host: "localhost", resuming: resumption), server)
    #expect(throws: TLSFailure.self) { try third.settle() }
  }

  @Test func `thousands of handshakes leave no memory and no descriptor behind`() async throws {
    try await onThread("tls-test") {
      func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
          separator: " ")
        return Int(fields[1])! * 4096
      }
      func descriptors() throws -> Int {  // of the only file that sessions open
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
          let path = "/proc/self/fd/\($0)"
          return (try? FileManager.default.destinationOfSymbolicLink(atPath: path))
            == authority.root
        }
      }
      let server = try TLSServer(identity)
      var before = 0
      for round in 0..<2500 {
        if round == 200 { before = try residentBytes() }
        let context = try TLSContext(trusting: .file(authority.root))
        var pair = TLSPair(try TLSSession(context, host: "localhost"), server)
        try pair.settle()
        #expect(pair.client.isEstablished)
      }
      // One session is some 80 KB: 2300 that stayed would be 184 MB. Other tests run beside this one.
      #expect(try residentBytes() - before < 150_000_000)
      #expect(try descriptors() == 0)
    }
  }

  @Test func `6 Mbit/s cost less than a hundredth of a core`() async throws {
    try await onThread("tls-test") {
      func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      var pair = try pair()
      try pair.settle()
      let frame = mixedBytes(25_000)
      var outgoing: [UInt8] = []
      let before = processorSeconds()
      for _ in 0..<600 {  // 20 s of 30 frames of 25 kB
        try pair.client.write(frame[...])
        outgoing.removeAll(keepingCapacity: true)
        pair.client.takeOutgoing(into: &outgoing)
      }
      let spent = processorSeconds() - before
      print("TLS at 6 Mbit/s: \(spent / 20 * 100) % of a core")
      #expect(spent < 0.2)
    }
  }
}
