import BunnyBroadcast
import BunnyCommand
import BunnyStreamAPI
import Foundation
import Testing

struct StreamsTextTests {
  private static let guid = "7b9f4c1e-0000-4000-8000-0123456789ab"
  private static let masked = StreamsText(showsKey: false)
  private static let open = StreamsText(showsKey: true)
  private static let moment = Date(timeIntervalSince1970: 1_782_894_000)

  private static let stream = BunnyLiveStream(
    id: guid, libraryId: 12, title: "News", description: "d", streamKey: "CANARY-1",
    playbackUrl: "https://vz-1.b-cdn.net/live/g/live.m3u8", primaryIngestUrl: "rtmp://h/live",
    backupIngestUrl: "rtmp://b/live", status: .running, recordVod: true, dvrEnabled: true,
    dvrWindowSeconds: 60, isPublic: true, startedAt: moment,
    rtmpOutputs: [
      BunnyRtmpOutput(endpoint: "rtmp://me:CANARY-2@o/a", streamKey: "CANARY-3")
    ],
    createdAt: moment.addingTimeInterval(-60))

  @Test func `a list is a table, with the way to the next page`() {
    let page = BunnyLiveStreamList(
      items: [Self.stream, BunnyLiveStream(id: nil, title: "T", status: .scheduled)],
      totalItems: 5, currentPage: 1, itemsPerPage: 2)
    #expect(
      Self.masked.list(page) == """
        guid                                  state      planned  started               title
        \(Self.guid)  running    -        2026-07-01T08:20:00Z  News
        ?                                     scheduled  -        -                     T
        page 1 of 3; --page 2 is the next

        """)
  }

  @Test func `a list of nothing says so`() {
    let none = BunnyLiveStreamList(items: [], totalItems: 0, currentPage: 1, itemsPerPage: 100)
    #expect(Self.masked.list(none) == "no live streams\n")
    let last = BunnyLiveStreamList(items: [], totalItems: 4, currentPage: 2, itemsPerPage: 2)
    #expect(Self.masked.list(last) == "no live streams on page 2\n")
  }

  @Test func `a stream is told line by line, without its keys`() {
    #expect(
      Self.masked.details(Self.stream) == """
        title         News
        guid          \(Self.guid)
        state         running
        description   d
        made          2026-07-01T08:19:00Z
        ran           from 2026-07-01T08:20:00Z
        watched by    anybody
        recorded      yes
        going back    60 s
        ingest        rtmp://h/live
        backup        rtmp://b/live
        key           •••
        playback      https://vz-1.b-cdn.net/live/g/live.m3u8
        forwarded to  rtmp://o/••• •••

        """)
    let shown = Self.open.details(Self.stream)
    #expect(shown.contains("\nkey           CANARY-1\n"))
    #expect(shown.contains("\nforwarded to  rtmp://me:CANARY-2@o/a CANARY-3\n"))
    #expect(Self.masked.details(BunnyLiveStream(id: "g")).contains("\nkey           none yet\n"))
  }

  @Test func `JSON has no key unless it is asked for`() {
    let json = Self.masked.json(Self.stream).line
    #expect(!json.contains("CANARY"))
    #expect(json.contains(#""streamKey":"•••","primaryIngestUrl":"rtmp://h/live""#))
    #expect(json.contains(#""startedAt":"2026-07-01T08:20:00.000Z","endedAt":null"#))
    #expect(Self.open.json(Self.stream).line.contains(#""streamKey":"CANARY-1""#))
    let page = BunnyLiveStreamList(
      items: [Self.stream], totalItems: 1, currentPage: 1, itemsPerPage: 100)
    #expect(
      Self.masked.json(page).line
        == #"{"items":[\#(json)],"totalItems":1,"currentPage":1,"itemsPerPage":100}"#)
    #expect(Self.masked.json(BunnyLiveStream(id: "g")).line.contains(#""streamKey":null"#))
  }

  @Test func `a status is a row, and what is not told is unknown`() {
    let status = BunnyLiveStreamIngestStatus(
      readyToStart: true, primaryLive: true, backupLive: nil, lastPingAgo: 850, duration: 12,
      statusTime: Self.moment)
    #expect(
      Self.masked.status(status, .running, isFirst: true) == """
        asked                 state          ready  primary  backup   last ping   running for
        2026-07-01T08:20:00Z  running        yes    live     unknown  850 ms      12 s

        """)
    let off = BunnyLiveStreamIngestStatus(readyToStart: false, primaryLive: false, backupLive: nil)
    #expect(
      Self.masked.status(off, .vodProcessing, isFirst: false)
        == "-                     vodProcessing  no     off      unknown  -           -\n")
    #expect(
      StreamsText.json(off, .preview).line
        == #"{"status":"preview","readyToStart":false,"primaryLive":false,"backupLive":null,"#
        + #""lastPingAgo":null,"duration":null,"statusTime":null}"#)
  }

  @Test func `a title steers no terminal and makes no line of its own`() {
    let evil = BunnyLiveStream(
      id: "g", title: "a\u{1B}[2J\nb\u{202E}\u{2028}c\u{9B}", status: .created)
    let page = BunnyLiveStreamList(items: [evil], totalItems: 1, currentPage: 1, itemsPerPage: 1)
    for text in [
      Self.masked.list(page), Self.masked.details(evil), StreamsText.question(.stop, evil),
    ] {
      #expect(text.contains("a?[2J?b??c?"))
    }
  }

  @Test func `questions and answers name the stream`() {
    #expect(
      StreamsText.question(.stop, Self.stream)
        == "End “News” (running) for good? It can never run again. y/N: ")
    #expect(
      StreamsText.question(.regenerateKey, Self.stream)
        == "Give “News” (running) another key? Whoever publishes with the old one is refused. y/N: "
    )
    #expect(StreamsText.done(.start, "g") == "started: the live stream g\n")
    #expect(StreamsText.done(.stop, "g") == "ended for good: the live stream g\n")
    #expect(StreamsText.json(.stop, "g").line == #"{"id":"g","done":"stop"}"#)
  }
}
