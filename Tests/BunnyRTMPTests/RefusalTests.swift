import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// What a server that behaves like this makes of a publisher; checked not to show the key.
func failure(_ script: IngestScript, _ options: RTMPConnection.Options = .init())
  async throws -> RTMPError
{
  let server = try ScriptedIngest(script)
  let feed = ListFeed(syntheticTags(), end: .stay)
  let error = await #expect(throws: RTMPError.self) {
    try await publish(feed, to: server.ingest(key: "secret-canary"), options)
  }
  let failure = try #require(error)
  #expect(!"\(failure) \(String(reflecting: failure))".contains("canary"))
  return failure
}

@Suite struct RefusalTests {
  @Test func `nobody listening is unreachable`() async throws {
    let ingest = try ScriptedIngest.refusedIngest()
    let error = await #expect(throws: RTMPError.self) {
      try await publish(ListFeed([]), to: ingest)
    }
    #expect(error?.category == .unreachable)
    #expect(error?.isRetryable == true)
    #expect(
      error?.description
        == "rtmp://127.0.0.1:\(ingest.port)/live/••• cannot be reached: 127.0.0.1: "
        + "Connection refused; check host, port and network")
  }

  @Test func `a name that is none is unreachable`() async throws {
    let error = await #expect(throws: RTMPError.self) {
      try await publish(ListFeed([]), to: Ingest("rtmp://no-such-host.invalid/live/key"))
    }
    #expect(error?.category == .unreachable)
  }

  @Test(
    arguments: [
      (.accept, .handshake), (.clientHello, .handshake), (.connect, .connect),
      (.createStream, .createStream), (.publish, .publish),
    ] as [(IngestScript.Moment, RTMPStep)])
  func `silence at any step ends with the budget and names the step`(
    moment: IngestScript.Moment, step: RTMPStep
  ) async throws {
    var options = RTMPConnection.Options()
    options.budget = 0.3
    let error = try await failure(IngestScript(.silence, at: moment), options)
    #expect(error.reason == .timedOut(step, seconds: 0.3))
    #expect(error.category == .unreachable)
  }

  @Test(arguments: [IngestScript.Fault.close, .reset])
  func `hanging up before publish is a refusal, in answer to it a refused key`(
    fault: IngestScript.Fault
  ) async throws {
    for moment in [IngestScript.Moment.accept, .clientHello, .connect, .createStream] {
      #expect(try await failure(IngestScript(fault, at: moment)).category == .refused)
    }
    let error = try await failure(IngestScript(fault, at: .publish))
    #expect(error.category == .keyRefused)
    #expect(error.description.contains("most often a wrong key"))
  }

  @Test func `a web server is told from an RTMP server`() async throws {
    let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    let error = try await failure(IngestScript(.bytes(answer), at: .clientHello))
    #expect(error.reason == .protocolViolation(.handshakeVersion(0x48)))
    #expect(error.category == .protocolViolation)
  }

  @Test(
    arguments: [
      ("error", "NetStream.Publish.BadName", .refused, true),
      ("status", "NetStream.Publish.BadName", .refused, true),
      ("error", "NetStream.Publish.Unauthorized", .keyRefused, false),
      ("error", "NetStream.Publish.Denied", .keyRefused, false),
      ("error", "NetStream.Publish.Rejected", .keyRefused, false),
      ("error", "NetStream.Publish.Failed", .refused, true),
      ("error", "Something.Else", .refused, true),
    ] as [(String, String, RTMPError.Category, Bool)])
  func `an onStatus in answer to publish is a typed error`(
    level: String, code: String, category: RTMPError.Category, isRetryable: Bool
  ) async throws {
    let fault = IngestScript.Fault.status(
      level: level, code: code, text: "no\u{7}pe\n secret-canary!")
    let error = try await failure(IngestScript(fault, at: .publish))
    #expect(error.category == category)
    #expect(error.isRetryable == isRetryable)
    #expect(error.description.contains("(\(code): nope •••!)"))
  }

  @Test(arguments: ["NetConnection.Connect.Rejected", "NetConnection.Connect.InvalidApp"])
  func `a rejected connect carries the server's code`(code: String) async throws {
    let fault = IngestScript.Fault.error(code: code, text: "go away")
    let error = try await failure(IngestScript(fault, at: .connect))
    #expect(error.reason == .connectRejected(ServerStatus(code: code, text: "go away")))
    #expect(error.category == .refused)
  }

  @Test func `an error to createStream or publish is a refusal`() async throws {
    let fault = IngestScript.Fault.error(code: "NetConnection.Call.Failed", text: "full")
    #expect(try await failure(IngestScript(fault, at: .createStream)).category == .refused)
    #expect(try await failure(IngestScript(fault, at: .publish)).category == .refused)
  }

  @Test func `a reason sent just before the connection breaks is not lost`() async throws {
    let fault = IngestScript.Fault.statusAndClose(code: "NetStream.Publish.BadName", text: "busy")
    for moment in [IngestScript.Moment.publish, .tags(5)] {
      let error = try await failure(IngestScript(fault, at: moment))
      #expect(error.reason == .nameInUse(.init(code: "NetStream.Publish.BadName", text: "busy")))
    }
  }
}
