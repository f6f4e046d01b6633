import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

/// Whether a live stream may be published to, or is somebody else's.
@Suite struct PublisherClaimTests {
  private static let serverNow = Date(timeIntervalSince1970: 1_800_000_000)
  private static let now = MonotonicTime(nanoseconds: .seconds(500))

  private func claim(
    primary: Bool? = true, backup: Bool? = nil, pingMs: Int64? = 800,
    own: StreamRecord.Publishing? = nil, tellsTime: Bool = true
  ) -> PublisherClaim {
    let status = BunnyLiveStreamIngestStatus(
      readyToStart: true, primaryLive: primary, backupLive: backup, lastPingAgo: pingMs,
      statusTime: tellsTime ? Self.serverNow : nil)
    return PublisherClaim(status, own: own, bootId: "b", at: Self.now)
  }

  /// Our own publishing, so many seconds ago.
  private func own(
    _ seconds: Double, hasLeft: Bool = false, boot: String = "b", hasServerTime: Bool = true
  ) -> StreamRecord.Publishing {
    StreamRecord.Publishing(
      bootId: boot, at: boot == "b" ? Self.now + .seconds(-seconds) : .init(nanoseconds: 7),
      serverTime: hasServerTime ? Self.serverNow.addingTimeInterval(-seconds) : nil,
      hasLeft: hasLeft)
  }

  private let taken = PublisherClaim.taken(lastPing: .milliseconds(800))

  @Test func `a live ingest with a fresh ping is somebody's, at either ingest`() {
    #expect(claim() == taken)
    #expect(claim(primary: nil, backup: true) == taken)
    #expect(claim(primary: false, backup: true) == taken)
  }

  @Test func `what is not live, not fresh, or not told is nobody's`() {
    #expect(claim(primary: false) == .free)
    #expect(claim(primary: nil) == .free)
    #expect(claim(pingMs: 10_000) == .free)
    #expect(claim(pingMs: 9_999) == .taken(lastPing: .milliseconds(9_999)))
    #expect(claim(pingMs: nil) == .free)
  }

  @Test func `after a crash of our own the ping is ours, for a minute after the last record`() {
    #expect(claim(own: own(0)) == .free)
    #expect(claim(own: own(12)) == .free)
    #expect(claim(own: own(60.8)) == .free)
    #expect(claim(own: own(60.9)) == taken)
  }

  @Test func `a machine that slept knows by the server's clock how long ago that was`() {
    var slept = own(40)
    slept.serverTime = Self.serverNow.addingTimeInterval(-7200)
    #expect(claim(own: slept) == taken)
    #expect(claim(own: slept, tellsTime: false) == .free)
  }

  @Test func `after we took our leave it is ours for five seconds`() {
    #expect(claim(own: own(5.8, hasLeft: true)) == .free)
    #expect(claim(own: own(5.9, hasLeft: true)) == taken)
  }

  @Test func `after a boot the server's clock counts, whatever this machine's says`() {
    #expect(claim(own: own(40, boot: "before")) == .free)
    #expect(claim(own: own(90, boot: "before")) == taken)
  }

  @Test func `a cloned card remembers what was long ago`() {
    #expect(claim(own: own(86_400 * 30, boot: "the original's")) == taken)
  }

  @Test func `without a time of the server's only this boot's clock counts`() {
    #expect(claim(own: own(40), tellsTime: false) == .free)
    #expect(claim(own: own(40, hasServerTime: false)) == .free)
    #expect(claim(own: own(40, boot: "before", hasServerTime: false)) == taken)
    #expect(claim(own: own(40, boot: "before"), tellsTime: false) == taken)
  }
}
