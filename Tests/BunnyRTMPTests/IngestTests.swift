import BunnyRTMP
import Testing

/// One line of the table: what is written, and what becomes of it.
struct Split: Sendable, CustomTestStringConvertible {
  let url: String
  let host: String
  let port: UInt16
  let app: String
  let name: String
  let tcURL: String

  init(
    _ url: String, _ host: String = "h", _ port: UInt16 = 1935, app: String, name: String,
    tcURL: String? = nil
  ) {
    self.url = url
    self.host = host
    self.port = port
    self.app = app
    self.name = name
    self.tcURL = tcURL ?? "rtmp://h/\(app)"
  }

  var testDescription: String { url }
}

private let splits = [
  Split("rtmp://h/live/key", app: "live", name: "key"),
  Split("RTMP://h/live/key", app: "live", name: "key"),
  Split(
    "rtmp://Example.COM/live/key", "Example.COM", app: "live", name: "key",
    tcURL: "rtmp://Example.COM/live"),
  Split("rtmp://h:1935/live/key", app: "live", name: "key"),
  Split("rtmp://h:1936/live/key", "h", 1936, app: "live", name: "key", tcURL: "rtmp://h:1936/live"),
  Split("rtmp://h:/live/key", app: "live", name: "key"),
  Split(
    "rtmp://h:65535/live/key", "h", 65535, app: "live", name: "key",
    tcURL: "rtmp://h:65535/live"),
  Split("rtmps://h/live/key", "h", 443, app: "live", name: "key", tcURL: "rtmps://h/live"),
  Split("RTMPS://h:443/live/key", "h", 443, app: "live", name: "key", tcURL: "rtmps://h/live"),
  Split(
    "rtmps://h:1935/live/key", "h", 1935, app: "live", name: "key",
    tcURL: "rtmps://h:1935/live"),
  Split(
    "rtmp://127.0.0.1/live/key", "127.0.0.1", app: "live", name: "key",
    tcURL: "rtmp://127.0.0.1/live"),
  Split("rtmp://[::1]/live/key", "::1", app: "live", name: "key", tcURL: "rtmp://[::1]/live"),
  Split(
    "rtmp://[2001:db8::7]:1936/live/key", "2001:db8::7", 1936, app: "live", name: "key",
    tcURL: "rtmp://[2001:db8::7]:1936/live"),
  Split(
    "rtmp://[fe80::1%25eth0]/live/key", "fe80::1%25eth0", app: "live", name: "key",
    tcURL: "rtmp://[fe80::1%25eth0]/live"),
  Split("rtmp://user:secret@h/live/key", app: "live", name: "key"),
  Split(
    "rtmp://user@h:1936/live/key", "h", 1936, app: "live", name: "key",
    tcURL: "rtmp://h:1936/live"),
  Split(
    "rtmp://user:p@ss@[::1]:19/live/key", "::1", 19, app: "live", name: "key",
    tcURL: "rtmp://[::1]:19/live"),
  Split("rtmp://h/app/instance/key", app: "app/instance", name: "key"),
  Split("rtmp://h/a/b/c/d", app: "a/b", name: "c/d"),
  Split("rtmp://h/app/instance/ke/y==", app: "app/instance", name: "ke/y=="),
  Split("rtmp://h/live/a+b==", app: "live", name: "a+b=="),
  Split("rtmp://h/live/QUJD/REVG+w==", app: "live/QUJD", name: "REVG+w=="),
  Split("rtmp://h/live/key?token=a", app: "live", name: "key?token=a"),
  Split("rtmp://h/live/key?a=1&b=2", app: "live", name: "key?a=1&b=2"),
  Split("rtmp://h/live/key?sig=a/b+c/d==", app: "live", name: "key?sig=a/b+c/d=="),
  Split("rtmp://h/app/inst/key?sig=a/b", app: "app/inst", name: "key?sig=a/b"),
  Split("rtmp://h/live/key?u=rtmp://x/y", app: "live", name: "key?u=rtmp://x/y"),
  Split("rtmp://h/live/?streamid=key", app: "live", name: "?streamid=key"),
  Split("rtmp://h/live/&key", app: "live", name: "&key"),
  Split("rtmp://h/live/=key", app: "live", name: "=key"),
  Split("rtmp://h/live//key", app: "live", name: "/key"),
  Split("rtmp://h/live/??", app: "live", name: "??"),
  Split("rtmp://h/live/ke%2Fy%20", app: "live", name: "ke%2Fy%20"),
  Split("rtmp://h/live/100%", app: "live", name: "100%"),
  Split("rtmp://h/live/key#1", app: "live", name: "key#1"),
  Split("rtmp://h/live/key:a@b", app: "live", name: "key:a@b"),
  Split("rtmp://h/live/schlüssel", app: "live", name: "schlüssel"),
  Split("rtmp://h/live/mp4:key", app: "live", name: "mp4:key"),
  Split("rtmp://h/app?vhost=v/key", app: "app?vhost=v", name: "key"),
  Split("rtmp://h/app?t=a/b/key", app: "app?t=a/b", name: "key"),
  Split("rtmp://h/app/inst/key/", app: "app/inst", name: "key/"),
]

@Suite struct IngestTests {
  @Test(arguments: splits)
  func `a publish URL splits into host, port, app, tcUrl and stream name`(split: Split) throws {
    let ingest = try Ingest(split.url)
    #expect(ingest.host == split.host)
    #expect(ingest.port == split.port)
    #expect(ingest.app == split.app)
    #expect(ingest.tcURL == split.tcURL)
    #expect(ingest.streamName == StreamKey(split.name))
    #expect(ingest.streamName.reveal() == split.name)
  }

  @Test func `the table of URLs has at least forty rows`() { #expect(splits.count >= 40) }

  @Test(
    arguments: [
      ("rtmp://h/live", "key", "live"), ("rtmp://h/live/", "a/b+c==", "live"),
      ("rtmp://h/app/inst", "key?x=y", "app/inst"), ("rtmp://h/a/b/c", "&=?/", "a/b/c"),
      ("rtmp://h/app?vhost=v", "key", "app?vhost=v"),
    ])
  func `a stream name given apart leaves the whole path to the app`(
    url: String, name: String, app: String
  ) throws {
    let ingest = try Ingest(url, streamName: name)
    #expect(ingest.app == app)
    #expect(ingest.streamName.reveal() == name)
  }

  @Test(
    arguments: [
      ("", .scheme), ("h/live/key", .scheme), ("http://h/live/key", .scheme),
      ("rtmp:/h/live/key", .scheme), ("rtmpt://h/live/key", .scheme), ("rtmp://", .noHost),
      ("rtmp:///live/key", .noHost), ("rtmp://:1935/live/key", .noHost),
      ("rtmp://user@/live/key", .noHost), ("rtmp://::1/live/key", .host),
      ("rtmp://[::1/live/key", .host), ("rtmp://[::1]x/live/key", .host),
      ("rtmp://[]/live/key", .host), ("rtmp://h:0/live/key", .port("0")),
      ("rtmp://h:65536/live/key", .port("65536")), ("rtmp://h:+80/live/key", .port("•••")),
      ("rtmp://h:x/live/key", .port("•••")), ("rtmp://h", .noApp(host: "h")),
      ("rtmp://h/", .noApp(host: "h")), ("rtmp://h?key", .noApp(host: "h")),
      ("rtmp://h//key", .noApp(host: "h")), ("rtmp://h/key", .noStreamName(host: "h")),
      ("rtmp://h/live/", .noStreamName(host: "h")),
      ("rtmp://h/app/inst/", .noStreamName(host: "h")),
      ("rtmp://h/live/key/", .noStreamName(host: "h")),
      ("rtmp://h/live/key ", .whitespace(inStreamName: false)),
      ("rtmp://h/live/key\n", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k\u{0}y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k\u{A0}y", .whitespace(inStreamName: false)),
    ] as [(String, IngestURLError)])
  func `a URL that cannot be published to is refused with a sentence`(
    url: String, error: IngestURLError
  ) {
    #expect(throws: error) { try Ingest(url) }
    #expect(!error.description.contains("key/"))
  }

  @Test func `a stream name given apart must be one`() {
    #expect(throws: IngestURLError.noStreamName(host: "h")) {
      try Ingest("rtmp://h/live", streamName: "")
    }
    #expect(throws: IngestURLError.whitespace(inStreamName: true)) {
      try Ingest("rtmp://h/live", streamName: "key\n")
    }
    #expect(throws: IngestURLError.noApp(host: "h")) { try Ingest("rtmp://h/", streamName: "key") }
  }

  @Test func `a URL of absurd length is refused`() {
    let url = "rtmp://h/live/" + String(repeating: "k", count: 10_000)
    #expect(throws: IngestURLError.tooLong(bytes: 10_014)) { try Ingest(url) }
  }

  @Test(arguments: splits)
  func `printing an ingest in any way shows no key, credentials or query`(split: Split) throws {
    let ingest = try Ingest(split.url)
    var dumped = ""
    dump(ingest, to: &dumped)
    dump(ingest.streamName, to: &dumped)
    dump(RTMPError(.lost("end of file"), at: ingest), to: &dumped)
    let shown =
      "\(ingest) \(ingest.streamName) \(dumped) \(String(reflecting: ingest)) "
      + "\(String(reflecting: ingest.streamName)) \([ingest]) \(["k": ingest.streamName])"
      + "\(RTMPError(.lost("end of file"), at: ingest)) \(Optional(ingest) as Any)"
    let bracketed = ingest.host.contains(":") ? "[\(ingest.host)]" : ingest.host
    let isDefault = ingest.port == (ingest.isSecure ? 443 : 1935)
    #expect(
      ingest.description
        == "\(ingest.isSecure ? "rtmps" : "rtmp")://\(bracketed)\(isDefault ? "" : ":\(ingest.port)")"
        + "/\(ingest.app.prefix { $0 != "/" && $0 != "?" })/•••")
    for secret in ["user", "p@ss", "secret"] + (split.name.count > 4 ? [split.name] : []) {
      #expect(!shown.contains(secret))
    }
    #expect(!shown.contains("?"))
    #expect(Mirror(reflecting: ingest).children.isEmpty)
    #expect(Mirror(reflecting: ingest.streamName).children.isEmpty)
  }

  @Test func `a base64 key with slashes does not show in part either`() throws {
    #expect(try Ingest("rtmp://h/live/QUJD/REVG+w==").description == "rtmp://h/live/•••")
  }
}
