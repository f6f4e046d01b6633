import BunnyRTMP
import Foundation
import Glibc
import Support
import Testing

/// What is wrong with a server, word for word.
@Suite(
  .enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"), .sharingAuthority,
  .serialized)
struct TLSFailureTests {
  private let authority: CertificateAuthority
  private let trust: TLSTrust

  init() throws {
    authority = try #require(SharedAuthority.current).authority
    trust = .file(authority.root)
  }

  /// Why a server that shows this certificate is not accepted; also seen to be told to the server.
  private func failure(
    _ identity: CertificateAuthority.Identity, host: String = "localhost",
    trusting trust: TLSTrust? = nil, hiding secrets: [String] = []
  ) throws -> TLSFailure {
    let context = try TLSContext(trusting: trust ?? self.trust)
    let client = try TLSSession(context, host: host, hiding: secrets)
    var pair = TLSPair(client, try TLSServer(identity))
    let failure = #expect(throws: TLSFailure.self) { try pair.settle() }
    try? pair.settle()
    #expect(pair.server.failure?.contains("alert") == true)
    #expect(!client.isEstablished)
    #expect(pair.atServer.isEmpty)
    return try #require(failure)
  }

  /// The clock's reading in a sentence, which no test can know.
  private func withoutClock(_ failure: TLSFailure) -> String {
    failure.description.replacing(/reads 20..-..-.. ..:..:.. UTC/, with: "reads NOW")
  }

  @Test func `an expired certificate`() async throws {
    let identity = try await authority.issue(
      for: "DNS:localhost", from: "20200102030405Z", until: "20210203040506Z")
    let failure = try failure(identity)
    #expect(
      withoutClock(failure)
        == "the certificate of localhost expired on 2021-02-03 04:05:06 UTC; its owner must renew "
        + "it (this machine's clock reads NOW)")
    guard case .expired(_, nil, 1_612_325_106, let now) = failure else {
      return #expect(Bool(false), "\(failure)")
    }
    #expect(abs(now - Int64(time(nil))) < 60)
    #expect(failure.isRetryable)
  }

  @Test func `a certificate that is not valid yet`() async throws {
    let identity = try await authority.issue(
      for: "DNS:localhost", from: "20480102030405Z", until: "20490102030405Z")
    let failure = try failure(identity)
    #expect(
      withoutClock(failure)
        == "the certificate of localhost is valid from 2048-01-02 03:04:05 UTC, but this machine's "
        + "clock reads NOW; a machine without a battery for its clock wakes up in the past: set the "
        + "clock, or wait until it is set over the network")
    #expect(failure.isRetryable)
  }

  @Test func `an expired authority is told from an expired server`() async throws {
    let old = try await authority.subordinate(
      "Old", from: "20200102030405Z", until: "20210203040506Z")
    #expect(
      withoutClock(try failure(try await old.issue(for: "DNS:localhost")))
        == "the certificate of CN=Old, who vouches for localhost, expired on 2021-02-03 04:05:06 "
        + "UTC; its owner must renew it (this machine's clock reads NOW)")
  }

  @Test func `a certificate that only its own key has signed`() async throws {
    let identity = try await authority.selfSigned(for: "DNS:localhost")
    #expect(
      try failure(identity).description
        == "the certificate of localhost is signed by nobody but itself, and is not in "
        + "\(authority.root); if it is meant to be, put it there")
    #expect(
      try failure(identity, trusting: .system).description
        == "the certificate of localhost is signed by nobody but itself; if it is meant to be, "
        + "name a file that holds it with --tls-ca")
  }

  @Test func `a certificate of an unknown authority`() async throws {
    let stranger = try await CertificateAuthority("Stranger")
    let identity = try await stranger.issue(for: "DNS:localhost")
    #expect(
      try failure(identity).description
        == "the certificate of localhost was issued by CN=Stranger,O=bunny-broadcast, who is not in "
        + "\(authority.root); add the issuer's certificate there")
    let failure = try failure(identity, trusting: .system)
    #expect(
      failure.description
        == "the certificate of localhost was issued by CN=Stranger,O=bunny-broadcast, whom this "
        + "machine does not know; check that it has the package ca-certificates, or name a file of "
        + "issuers with --tls-ca")
    #expect(failure.isRetryable)  // a hotel's network answers like this until somebody signs in
  }

  @Test func `a certificate for other hosts`() async throws {
    let identity = try await authority.issue(
      for: "DNS:one.example", "DNS:*.two.example", "IP:10.0.0.1", "IP:fe80::1")
    for host in ["localhost", "x.y.two.example", "two.example", "10.0.0.2"] {
      #expect(
        try failure(identity, host: host).description
          == "the certificate is not for \(host) but for one.example, *.two.example, 10.0.0.1, "
          + "fe80::1; check the host in the URL")
    }
    let many = try await authority.issue(
      for: "DNS:a.example", "DNS:b.example", "DNS:c.example", "DNS:d.example", "DNS:e.example",
      "DNS:f.example", "DNS:x*.z.example")
    #expect(
      try failure(many, host: "xy.z.example").description  // part of a label is no wildcard
        == "the certificate is not for xy.z.example but for a.example, b.example, c.example, "
        + "d.example, e.example and 2 more; check the host in the URL")
  }

  @Test func `a server that shows the key in its certificate does not get it into a log`()
    async throws
  {
    let identity = try await authority.issue(for: "DNS:secret-canary.example")
    let failure = try failure(identity, hiding: ["secret-canary"])
    #expect(
      failure.description
        == "the certificate is not for localhost but for •••.example; check the host in the URL")
  }

  @Test func `a chain without its middle has an unknown issuer`() async throws {
    let middle = try await authority.subordinate("Middle")
    let identity = try await middle.issue(for: "DNS:localhost")
    let pem = try String(contentsOfFile: identity.certificate, encoding: .utf8)
    let end = try #require(pem.firstRange(of: "-----END CERTIFICATE-----\n")).upperBound
    try pem[..<end].write(toFile: identity.certificate, atomically: false, encoding: .utf8)
    #expect(
      try failure(identity)
        == .unknownIssuer(host: "localhost", issuer: "CN=Middle", trust: trust))
  }

  @Test func `any other fault is told in OpenSSL's words`() async throws {
    let leaf = try await authority.issue(for: "DNS:localhost")
    let pretender = CertificateAuthority(pretending: leaf, of: authority)
    #expect(
      try failure(try await pretender.issue(for: "DNS:localhost")).description
        == "the certificate of localhost was not accepted (invalid CA certificate); its owner must "
        + "replace it")
  }

  @Test func `a server's own certificate may be what is trusted`() async throws {
    for identity in [
      try await authority.selfSigned(for: "DNS:localhost"),
      try await authority.issue(for: "DNS:localhost"),
    ] {
      let context = try TLSContext(trusting: .file(identity.certificate))
      var pair = TLSPair(try TLSSession(context, host: "localhost"), try TLSServer(identity))
      try pair.settle()
      #expect(pair.client.isEstablished)
    }
  }

  @Test func `a file of certificates that is none`() throws {
    let directory = try TemporaryDirectory()
    let empty = directory.file("empty.pem")
    try "no certificate\n".write(toFile: empty, atomically: false, encoding: .utf8)
    let cases = [
      (directory.file("none.pem"), "cannot be read: No such file or directory"),
      (directory.path, "cannot be read: Is a directory"), (empty, "holds no certificate"),
    ]
    for (path, words) in cases {
      let failure = #expect(throws: TLSFailure.self) { try TLSTrust.file(path).check() }
      #expect(
        failure?.description
          == "the file of trusted certificates \(path) \(words); name a file of certificates in PEM"
      )
      #expect(failure?.isRetryable == false)
    }
    try TLSTrust.system.check()
  }
}
