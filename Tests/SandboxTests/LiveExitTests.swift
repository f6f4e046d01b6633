import BunnyInspect
import Foundation
import Support
import Testing

/// The exit codes of a live broadcast, each with one sentence on standard error that names the next
/// step and holds no secret.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveExitTests {
  /// Runs a broadcast, which logs nothing but errors, to its end; expects one sentence.
  private func expect(
    _ status: Int32, _ sentence: String, nextStep: String, from live: LiveSandbox,
    _ more: [String] = [], _ variables: [String: String] = [:],
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await Command.run(
      live.arguments() + ["--log-level", "error", "--retry", "never"] + more,
      live.settings.merging(variables) { $1 })
    let lines = outcome.standardError.split(separator: "\n")
    #expect(outcome.exitStatus == status, "\(outcome)", sourceLocation: location)
    #expect(lines.count == 1, "\(outcome)", sourceLocation: location)
    #expect(outcome.standardError.contains(sentence), "\(outcome)", sourceLocation: location)
    #expect(lines.last?.contains(nextStep) == true, "\(outcome)", sourceLocation: location)
    for secret in [live.facts.accessKey, live.facts.streamKey, Canary.accessKey] {
      #expect(!"\(outcome)".contains(secret), sourceLocation: location)
    }
    #expect(outcome.sent("connection") == 0, "no socket to an ingest", sourceLocation: location)
  }

  @Test func `67, 77, 78: wrong and missing settings`() async throws {
    let live = try await LiveSandbox()
    try await expect(
      67, "it was not found", nextStep: "check its GUID", from: live,
      ["--library", "\(live.facts.libraryId + 1)"])
    try await expect(
      77, "the access key was refused", nextStep: "use the key on the API page", from: live, [],
      ["BUNNY_ACCESS_KEY": Canary.accessKey])
    try await expect(
      78, "the video library's id is missing", nextStep: "give --library ID, or BUNNY_LIBRARY_ID",
      from: live, [], ["BUNNY_LIBRARY_ID": ""])
    try await expect(
      78, "the library's access key is missing", nextStep: "give BUNNY_ACCESS_KEY", from: live,
      [], ["BUNNY_ACCESS_KEY": ""])
    let small = try SmallPublish()
    let outcome = try await Command.run(
      small.arguments(stream: UUID().uuidString, ["--log-level", "error"]), live.settings)
    #expect(outcome.exitStatus == 67, "\(outcome)")
    #expect(outcome.standardError.contains("; check its GUID and the library's id\n"))
    #expect(try await live.sandbox.calls().allSatisfy { $0.hasPrefix("get 40") })
    try await live.end()
  }

  @Test func `75: an API that cannot be reached or fails`() async throws {
    let live = try await LiveSandbox()
    try await live.breakAPI("503")
    try await expect(75, "(HTTP 503)", nextStep: "try again later", from: live)
    try await live.breakAPI("hangup")
    try await expect(75, "no answer came", nextStep: "check the network", from: live)
    try await expect(
      75, "no answer came", nextStep: "check the network and the API URL", from: live, [],
      ["BUNNY_API_URL": "http://127.0.0.1:\(FreePort.next())"])
    try await live.end()
  }

  @Test(arguments: [(5, "has ended"), (6, "has ended"), (7, "has failed")])
  func `79: a stream that is over is refused before an ingest is asked`(
    _ status: Int, _ words: String
  ) async throws {
    let live = try await LiveSandbox()
    try await live.force(status)
    try await expect(
      79, "the live stream \(live.facts.streamId) \(words) and can never run again",
      nextStep: "make a new one and give its GUID", from: live)
    #expect(try await live.sandbox.calls() == ["get 200"])
    try await live.end()
  }

  @Test(arguments: ["always", "never"])
  func `79: somebody ends the stream while it is broadcast to`(_ retry: String) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startRunning("--log-level", "error", "--retry", retry)
    #expect(try await live.sandbox.api("PUT", "/stop")["success"] as? Bool == true)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 79, "\(outcome)")
    #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome)")
    #expect(outcome.standardError.contains("; make a new one and give its GUID\n"))
    #expect(try await live.stops() == ["stop 200"], "the test's own")
    #expect(outcome.sent("left") == 0 && outcome.sent("streamEnded") == 0)
    try await live.end()
  }
}
