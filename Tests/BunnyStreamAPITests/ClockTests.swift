import BunnyStreamAPI
import Foundation
import Support
import Synchronization
import Testing

/// A certificate whose time has not come is the machine's own clock.
@Suite(.enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"))
struct ClockTests {
  private func api(
    _ port: UInt16, trusting authority: CertificateAuthority, _ retry: BunnyRetryPolicy
  ) throws -> DefaultLiveStreamRepository {
    let url = try BunnyAPIBaseURL("https://localhost:\(port)")
    return BunnyStreamAPI(
      accessKey: accessKey, baseURL: url, retry: retry, trusting: authority.root
    ).liveStreams
  }

  @Test func `it is said, and may pass`() async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(
      for: "DNS:localhost", from: "20900102030405Z", until: "20910102030405Z")
    let http = try HTTPServer { _ in .respond(200, "{}") }
    let relay = try TLSRelay(to: http.port, TLSServer(identity))
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(relay.port, trusting: authority, .never)
        .getLiveStream(libraryId: 1, streamId: "g")
    }
    let failure = try #require(error)
    #expect(failure.kind == .transport && !failure.isPermanent)
    let expected =
      /https:\/\/localhost:\d+: its certificate is not yet valid, for this machine's clock reads 20\d\d-\d\d-\d\dT[\d:]+Z; a machine without a battery for its clock wakes up in the past/
    #expect(failure.message?.wholeMatch(of: expected) != nil, "\(failure)")
    #expect(
      failure.description.hasSuffix("); set the clock, or wait until it is set over the network"))
    #expect(http.requests.isEmpty)
  }

  @Test func `even what must not be done twice is tried again, for nothing was sent`()
    async throws
  {
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(
      for: "DNS:localhost", from: "20900102030405Z", until: "20910102030405Z")
    let http = try HTTPServer { _ in .respond(200, "{}") }
    let relay = try TLSRelay(to: http.port, TLSServer(identity))
    let began = ContinuousClock.now
    await #expect(throws: BunnyLiveStreamError.self) {
      try await api(
        relay.port, trusting: authority, .init(.all, tries: 3, firstPause: .milliseconds(200))
      )
      .createLiveStream(libraryId: 1, request: .init(title: "t"))
    }
    #expect(ContinuousClock.now - began >= .milliseconds(300))
    #expect(http.requests.isEmpty)
  }

  @Test func `a good certificate is taken`() async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(for: "DNS:localhost")
    let http = try HTTPServer { _ in .respond(200, #"{"guid":"g"}"#) }
    let relay = try TLSRelay(to: http.port, TLSServer(identity))
    let api = try api(relay.port, trusting: authority, .never)
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").id == "g")
  }

  @Test func `one that has expired is not the clock`() async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(
      for: "DNS:localhost", from: "20200102030405Z", until: "20210102030405Z")
    let http = try HTTPServer { _ in .respond(200, "{}") }
    let relay = try TLSRelay(to: http.port, TLSServer(identity))
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(relay.port, trusting: authority, .never)
        .getLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.message?.contains("certificate has expired") == true)
    #expect(error?.advice == nil)
  }
}
