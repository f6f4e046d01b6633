import BunnyRTMP
import Foundation
import Support
import Testing

/// The real process and its ingest: 69, 76, 77.
struct IngestExitTests {
  private let small: SmallPublish
  private static let key = Refusal.secret

  init() throws { small = try SmallPublish() }

  @Test func `69: nobody listens there`() async throws {
    let port = FreePort.next()
    let url = "rtmp://127.0.0.1:\(port)/live/\(Self.key)"
    #expect(
      try await Refusal(small.arguments(to: url, "--retry", "never"))
        == Refusal(
          69,
          "rtmp://127.0.0.1:\(port)/live/••• cannot be reached: 127.0.0.1: Connection refused; "
            + "check host, port and network"))
  }

  @Test func `69: a host that has no address`() async throws {
    let url = "rtmp://name.invalid/live/\(Self.key)"
    let refusal = try await Refusal(small.arguments(to: url, "--retry", "never"))
    #expect(refusal.status == 69)
    #expect(refusal.sentence.contains("rtmp://name.invalid/live/•••"), "\(refusal)")
  }

  @Test func `69: a connection that is lost in mid-stream`() async throws {
    let ingest = try ScriptedIngest(IngestScript(.close, at: .tags(20)))
    let refusal = try await Refusal(
      small.arguments(to: ingest.url(key: Self.key), "--retry", "never"))
    #expect(refusal.status == 69)
    #expect(
      refusal.sentence.hasPrefix("rtmp://127.0.0.1:\(ingest.port)/live/••• was lost while"),
      "\(refusal)")
    #expect(refusal.sentence.hasSuffix("; check the network and the server"), "\(refusal)")
  }

  @Test(arguments: [
    (
      IngestScript(
        .status(level: "error", code: "NetStream.Publish.BadName", text: "\(key) is taken"),
        at: .publish),
      "says that this key is being published under (NetStream.Publish.BadName: ••• is taken): by a "
        + "session of ours that it has not noticed to be over, or by another broadcast"
    ),
    (
      IngestScript(.bytes(Array(repeating: 0x48, count: 4000)), at: .clientHello),
      "does not speak RTMP as it should: "
    ),
    (
      IngestScript(
        .error(code: "NetConnection.Connect.Rejected", text: "not from here"), at: .connect),
      "refused the connection (NetConnection.Connect.Rejected: not from here); "
        + "check the application in the URL"
    ),
  ])
  func `76: the ingest says no, or speaks nonsense`(
    _ script: IngestScript, _ words: String
  ) async throws {
    let ingest = try ScriptedIngest(script)
    let refusal = try await Refusal(
      small.arguments(to: ingest.url(key: Self.key), "--retry", "never"))
    #expect(refusal.status == 76)
    #expect(
      refusal.sentence.hasPrefix("rtmp://127.0.0.1:\(ingest.port)/live/••• \(words)"), "\(refusal)"
    )
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `77: nginx hangs up on a wrong key`() async throws {
    let nginx = try await NginxIngest()
    #expect(
      try await Refusal(
        small.arguments(to: nginx.url(app: "keyed", key: Self.key), "--retry", "never"))
        == Refusal(
          77,
          "rtmp://127.0.0.1:\(nginx.port)/keyed/••• refused to publish by hanging up (end of file), "
            + "most often a wrong key; check the stream key"))
    let good = nginx.url(app: "keyed", key: NginxIngest.goodKey)
    let outcome = try await Command.run(small.arguments(to: good, "--duration", "1"))
    #expect(outcome.exitStatus == 0, "\(outcome)")
  }

  @Test func `77: a key that is refused in words is not tried again`() async throws {
    let script = IngestScript(
      .status(level: "error", code: "NetStream.Publish.Unauthorized", text: "no \(Self.key) here"),
      at: .publish)
    let ingest = try ScriptedIngest(script)
    #expect(
      try await Refusal(small.arguments(to: ingest.url(key: Self.key)))
        == Refusal(
          77,
          "rtmp://127.0.0.1:\(ingest.port)/live/••• refused the stream key "
            + "(NetStream.Publish.Unauthorized: no ••• here); check the key and whether the stream "
            + "has ended"))
    #expect(ingest.visits.count == 1)
  }
}
