import BunnyRTMP
import Foundation
import Testing

@Suite struct IngestTests {
  @Test(arguments: splits)
  func `a publish URL splits into host, port, app, tcUrl and stream name`(split: Split) throws {
    let ingest = try Ingest(split.url)
    #expect(ingest.host == split.host)
    #expect(ingest.port == split.port)
    #expect(Array(ingest.app.utf8) == Array(split.app.utf8))
    #expect(Array(ingest.tcURL.utf8) == Array(split.tcURL.utf8))
    #expect(Array(ingest.streamName.reveal().utf8) == Array(split.name.utf8))
  }

  @Test func `the table of URLs has at least forty rows`() { #expect(splits.count >= 40) }

  @Test(arguments: splits)
  func `tcUrl and stream name, given apart, are the same ingest again`(split: Split) throws {
    let ingest = try Ingest(split.url)
    let again = try Ingest(ingest.tcURL, streamName: split.name)
    #expect(again.app == ingest.app)
    #expect(again.tcURL == ingest.tcURL)
    #expect(again.streamName == ingest.streamName)
  }

  @Test(
    arguments: [
      ("rtmp://h/live", "k3y", "live"), ("rtmp://h/live/", "a/b+c==", "live"),
      ("rtmp://h/live//", "/k3y", "live"), ("rtmp://h/app/inst", "k3y?x=y", "app/inst"),
      ("rtmp://h/a/b/c", "&=?/", "a/b/c"), ("rtmp://h/app?vhost=v", "k3y", "app?vhost=v"),
      ("rtmp://h/app?sig=ab/", "k3y", "app?sig=ab/"), ("rtmp://h/app/?a=/b/", "k", "app/?a=/b/"),
      ("rtmp://h/a%2Fb/", "%2F%", "a%2Fb"), ("rtmp://h/live", "rtmp://h/live/k3y", "live"),
    ])
  func `a stream name given apart leaves the whole path to the app`(
    url: String, name: String, app: String
  ) throws {
    let ingest = try Ingest(url, streamName: name)
    #expect(ingest.app == app)
    #expect(ingest.tcURL == "rtmp://h/\(app)")
    #expect(ingest.streamName.reveal() == name)
  }

  @Test(
    arguments: [
      ("", .scheme), ("h/live/k3y", .scheme), ("http://h/live/k3y", .scheme),
      ("rtmp:/h/live/k3y", .scheme), ("rtmpt://h/live/k3y", .scheme), ("k3y", .scheme),
      ("rtmp:k3y", .scheme), ("rtmp://", .noHost), ("rtmp:///live/k3y", .noHost),
      ("rtmp://:1935/live/k3y", .noHost), ("rtmp://user@/live/k3y", .noHost),
      ("rtmp://user:k3y@:1/live/k3y", .noHost), ("rtmp://::1/live/k3y", .host),
      ("rtmp://[::1/live/k3y", .host), ("rtmp://[::1]x/live/k3y", .host),
      ("rtmp://[]/live/k3y", .host), ("rtmp://[::g]/live/k3y", .host),
      ("rtmp://[127.0.0.1]/live/k3y", .host), ("rtmp://[::1%25]k3y/live/", .host),
      ("rtmp://./live/k3y", .host), ("rtmp://h\\live\\k3y", .host),
      ("rtmp://h%2Flive%2Fk3y", .host), ("rtmp://h,k3y/live/x", .host),
      ("rtmp://h&k3y", .host), ("rtmp://münchen.example/live/k3y", .foreignHost),
      ("rtmp://h\u{301}/live/k3y", .foreignHost), ("rtmp://h:0/live/k3y", .port("0")),
      ("rtmp://h:65536/live/k3y", .port("65536")),
      ("rtmp://h:99999999999999999999/live/k3y", .port("99999999")),
      ("rtmp://h:+80/live/k3y", .port("•••")), ("rtmp://h:-1/live/k3y", .port("•••")),
      ("rtmp://h:x/live/k3y", .port("•••")), ("rtmp://h:k3y/live/x", .port("•••")),
      ("rtmp://user:k3y/k3y@h/live/x", .port("•••")), ("rtmp://h:٣/live/k3y", .port("•••")),
      ("rtmp://[::1]:k3y/live/x", .port("•••")), ("rtmp://h", .noApp(host: "h")),
      ("rtmp://h/", .noApp(host: "h")), ("rtmp://h?k3y", .noApp(host: "h")),
      ("rtmp://h/?k3y", .noApp(host: "h")), ("rtmp://h#/live/k3y", .noApp(host: "h")),
      ("rtmp://h//k3y", .noApp(host: "h")), ("rtmp://h//live/k3y", .noApp(host: "h")),
      ("rtmp://[::1]/", .noApp(host: "::1")), ("rtmp://h/k3y", .noStreamName(host: "h")),
      ("rtmp://h/k3y?x=k3y", .noStreamName(host: "h")),
      ("rtmp://h/live/", .noStreamName(host: "h")),
      ("rtmp://u:k3y@h/live/", .noStreamName(host: "h")),
      ("rtmp://h/app/inst/", .noStreamName(host: "h")),
      ("rtmp://h/live/k3y/", .noStreamName(host: "h")),
      ("rtmp://h/app?x=k3y/", .noStreamName(host: "h")),
      (" rtmp://h/live/k3y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k3y ", .whitespace(inStreamName: false)),
      ("rtmp://h /live/k3y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k3y\n", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k3y\r\n", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k\u{0}3y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k\u{7F}3y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k\u{A0}3y", .whitespace(inStreamName: false)),
      ("rtmp://h/live/k3y\u{200B}", .whitespace(inStreamName: false)),
      ("rtmp://h/live/\u{202E}k3y", .whitespace(inStreamName: false)),
      ("\u{FEFF}rtmp://h/live/k3y", .whitespace(inStreamName: false)),
    ] as [(String, IngestURLError)])
  func `a URL that cannot be published to is refused, without showing more than its host`(
    url: String, error: IngestURLError
  ) {
    #expect(throws: error) { try Ingest(url) }
    #expect(!shown(error).contains("k3y"))
  }

  @Test func `a stream name given apart must be one`() {
    #expect(throws: IngestURLError.noStreamName(host: "h")) {
      try Ingest("rtmp://h/live", streamName: "")
    }
    #expect(throws: IngestURLError.whitespace(inStreamName: true)) {
      try Ingest("rtmp://h/live", streamName: "key\n")
    }
    #expect(throws: IngestURLError.noApp(host: "h")) { try Ingest("rtmp://h/", streamName: "key") }
    #expect(throws: IngestURLError.noApp(host: "h")) { try Ingest("rtmp://h", streamName: "key") }
    #expect(throws: IngestURLError.noApp(host: "h")) {
      try Ingest("rtmp://h//live", streamName: "key")
    }
  }

  @Test func `a URL or a stream name of absurd length is refused`() {
    let long = String(repeating: "k", count: 10_000)
    #expect(throws: IngestURLError.tooLong(bytes: 10_014, inStreamName: false)) {
      try Ingest("rtmp://h/live/" + long)
    }
    #expect(throws: IngestURLError.tooLong(bytes: 10_000, inStreamName: true)) {
      try Ingest("rtmp://h/live", streamName: long)
    }
  }

  @Test func `refusals say what to write instead`() {
    #expect(
      "\(IngestURLError.noApp(host: "::1"))"
        == "the publish URL for ::1 names no application; write rtmp://[::1]/APP/KEY")
    #expect(
      "\(IngestURLError.foreignHost)"
        == "the publish URL's host has letters that are not ASCII; write its form that has xn-- in it"
    )
    #expect(
      "\(IngestURLError.tooLong(bytes: 9000, inStreamName: true))"
        == "the stream key has 9000 bytes; at most 8192 are taken")
  }
}
