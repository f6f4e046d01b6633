import BunnyRTMP
import Testing

/// Everything that printing a value in any way shows.
func shown(_ value: some Any) -> String {
  var dumped = ""
  dump(value, to: &dumped)
  return [
    "\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])",
    "\(["it": value])", "\(Optional(value) as Any)", "\((value, 1))",
    "\(Mirror(reflecting: value).children.map { "\($0)" })",
  ].joined(separator: "\n")
}

@Suite struct IngestSecretTests {
  @Test(arguments: splits)
  func `printing an ingest in any way shows no key, credentials or query`(split: Split) throws {
    let ingest = try Ingest(split.url)
    let status = ServerStatus(code: "NetStream.Publish.BadName", text: "")
    let reasons: [RTMPError.Reason] = [
      .lost("end of file"), .hungUpOnPublish(cause: "end of file"), .keyRefused(status),
      .unreachable("::1: no answer"), .timedOut(.resolving, seconds: 5), .nameInUse(status),
      .tls(.notTLS(host: ingest.host)),
    ]
    let all =
      shown(ingest) + shown(ingest.streamName) + shown(RTMPConnection(to: ingest))
      + reasons.map { shown(RTMPError($0, at: ingest)) }.joined()
    for secret in ["k3y", "user", "p@ss", "secret"] { #expect(!all.contains(secret)) }
    #expect(!shown(ingest).contains("?"))
    if split.name.utf8.count > 3 { #expect(!all.contains(split.name)) }
    #expect(Mirror(reflecting: ingest).children.isEmpty)
    #expect(Mirror(reflecting: ingest.streamName).children.isEmpty)
  }

  @Test(arguments: splits)
  func `an ingest prints as tcUrl up to its app, and dots`(split: Split) throws {
    let ingest = try Ingest(split.url)
    let origin = try #require(ingest.tcURL.utf8.dropLast(split.app.utf8.count).text)
    let app = String(decoding: split.app.utf8.prefix { !"/?".utf8.contains($0) }, as: UTF8.self)
    #expect(ingest.description == "\(origin)\(app)/•••")
  }

  @Test func `a base64 key with slashes does not show in part either`() throws {
    #expect(try Ingest("rtmp://h/live/QUJD/REVG+w==").description == "rtmp://h/live/•••")
  }

  @Test func `a combining mark behind a slash hides no secret from its being hidden`() throws {
    #expect(try Ingest("rtmp://h/live/\u{301}k3y/x").description == "rtmp://h/live/•••")
    #expect(
      try Ingest("rtmp://h/live?\u{301}k3y", streamName: "x").description == "rtmp://h/live/•••")
  }

  @Test(arguments: splits) func `what is secret in a URL is known for others to hide`(
    split: Split
  ) throws {
    let secrets = try Ingest(split.url).secrets
    #expect(secrets.contains(split.name))
    #expect(zip(secrets, secrets.dropFirst()).allSatisfy { $0.utf8.count >= $1.utf8.count })
    #expect(!secrets.contains(""))
  }

  @Test func `secrets are names, instances and the values of queries, decoded too`() throws {
    #expect(
      try Ingest("rtmp://h/app?v=vh%2Fost/k%33y?sig=1234&n=5").secrets == [
        "k%33y?sig=1234&n=5", "k3y?sig=1234&n=5", "sig=1234&n=5", "v=vh%2Fost", "v=vh/ost",
        "vh%2Fost", "vh/ost", "k%33y", "1234", "k3y",
      ])
    #expect(try Ingest("rtmp://h/app/inst/key%").secrets == ["inst", "key%"])
  }
}

extension Substring.UTF8View {
  fileprivate var text: String? { String(self) }
}
