import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct BreakTests {
  @Test(arguments: [IngestScript.Fault.close, .reset])
  func `a connection that breaks while publishing is lost`(fault: IngestScript.Fault) async throws {
    let error = try await failure(IngestScript(fault, at: .tags(7)))
    #expect(error.category == .lost)
    #expect(error.isRetryable)
  }

  @Test func `NetStream.Unpublish ends the session as lost`() async throws {
    let fault = IngestScript.Fault.status(
      level: "status", code: "NetStream.Unpublish.Success", text: "")
    let error = try await failure(IngestScript(fault, at: .tags(7)))
    #expect(error.category == .lost)
  }

  @Test(
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF], [0x02, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      [0x03, 0, 0, 0, 0, 0, 1, 20, 0, 0, 0, 0, 0xFF],
    ] as [[UInt8]])
  func `illegal bytes while publishing are a violation`(bytes: [UInt8]) async throws {
    let error = try await failure(IngestScript(.bytes(bytes), at: .tags(3)))
    #expect(error.category == .protocolViolation)
  }

  @Test func `a server that stops reading is a stall`() async throws {
    var options = RTMPConnection.Options()
    options.stallLimit = 0.5
    let server = try ScriptedIngest(IngestScript(.stopReading, at: .tags(5)))
    let feed = ListFeed(syntheticTags(frameBytes: 100_000), end: .repeatForEver)
    let error = await #expect(throws: RTMPError.self) {
      try await publish(feed, to: server.ingest(), options)
    }
    #expect(error?.reason == .stalled(seconds: 0.5))
    #expect(error?.category == .lost)
  }

  @Test(
    arguments: [IngestScript.Moment.accept, .clientHello, .connect, .publish, .tags(5)])
  func `close returns within a second from a server that stopped reading`(
    moment: IngestScript.Moment
  ) async throws {
    let server = try ScriptedIngest(IngestScript(.stopReading, at: moment))
    let connection = RTMPConnection(to: try server.ingest())
    let feed = ListFeed(syntheticTags(frameBytes: 100_000), end: .repeatForEver)
    async let end = onThread("publish") {
      try connection.publish(feed) { _ in }
      return MonotonicTime.now
    }
    try await server.waitUntil { $0.first?.faultsDone == 1 }
    let start = MonotonicTime.now
    connection.close()
    #expect(try await end - start < .seconds(1))
  }

  @Test func `close takes leave of a server that listens`() async throws {
    let server = try ScriptedIngest()
    let connection = RTMPConnection(to: try server.ingest())
    let feed = ListFeed(syntheticTags(), end: .stay)
    async let end: Void = onThread("publish") { try connection.publish(feed) { _ in } }
    try await server.waitUntil { $0.first?.media.count == 20 }
    connection.close()
    try await end
    let visit = try await server.visit()
    #expect(visit.commandNames.suffix(2) == ["FCUnpublish", "deleteStream"])
  }
}
