import BunnyBroadcast
import BunnySandbox
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

/// What the sandbox's API writes, and what the broadcaster's client reads of it.
struct WireTests {
  private func read<Answer>(_ json: JSONValue, of call: RESTCall<Answer>) throws -> Answer {
    let answer = HTTPAnswer(status: 200, body: Data(json.line.utf8))
    return try call.answer(from: answer, TextCleaner(hiding: [])).get()
  }

  private func status(_ live: LiveState, _ at: Double) throws -> BunnyLiveStreamIngestStatus {
    let json = Wire.status(live, date: Date(), forms: .init(answer: 0), at: second(at))
    return try read(json, of: .ingestStatus("g", in: 1))
  }

  @Test func `dates come in Bunny's five forms, which the client reads alike`() {
    let date = Date(timeIntervalSince1970: 1_782_894_012.25)
    let texts = Wire.DateForm.allCases.map { $0.text(date) }
    #expect(
      texts == [
        "2026-07-01T08:20:12", "2026-07-01T08:20:12.250", "2026-07-01T08:20:12Z",
        "2026-07-01T08:20:12.250Z", "2026-07-01T08:20:12.2500000Z",
      ])
    let read = texts.map { BunnyTimestamp.date($0)?.timeIntervalSince1970 }
    #expect(
      read == [
        1_782_894_012, 1_782_894_012.25, 1_782_894_012, 1_782_894_012.25, 1_782_894_012.25,
      ])
  }

  @Test func `a client that asks five times has met every form in every date`() throws {
    var live = LiveState(readyAfter: 0)
    _ = live.publishes("1", on: .primary)
    _ = live.start(at: .now)
    _ = live.stop(at: .now)
    var lengths: [String: Set<Int>] = [:]
    for answer in 0..<5 {
      let forms = Wire.DateForms(answer: answer)
      let json = Wire.stream(
        StreamFacts(), live, created: Date(), showsKey: true, forms: forms, at: .now)
      let members = try JSONSerialization.jsonObject(with: Data(json.line.utf8)) as? [String: Any]
      for key in ["dateCreated", "startedAt", "endedAt"] {
        lengths[key, default: []].insert(try #require(members?[key] as? String).count)
      }
      let stream = try read(json, of: .getLiveStream("g", in: 1))
      #expect(abs(try #require(stream.startedAt).timeIntervalSinceNow) < 10)
      let date = Date(timeIntervalSince1970: 1_782_894_012)
      let status = Wire.status(live, date: date, forms: forms, at: .now)
      #expect(try read(status, of: .ingestStatus("g", in: 1)).statusTime == date)
    }
    #expect(lengths.count == 3 && lengths.values.allSatisfy { $0 == [19, 20, 23, 24, 28] })
  }

  @Test func `an ingest is left out until it has been seen, and told of ever after`() throws {
    var live = LiveState(readyAfter: 0)
    var told = try status(live, 0)
    #expect(told.primaryLive == nil && told.backupLive == nil)
    _ = live.publishes("1", on: .primary)
    told = try status(live, 0)
    #expect(told.primaryLive == false && told.backupLive == nil)
    live.mediaCame(on: .primary, at: second(1))
    told = try status(live, 1)
    #expect(told.primaryLive == true && told.readyToStart)
    live.died(.primary)
    live.mediaCame(on: .backup, at: second(2))
    told = try status(live, 2)
    #expect(told.primaryLive == false && told.backupLive == false)
  }

  @Test func `the client reads all that the sandbox says of a stream`() throws {
    var facts = StreamFacts()
    facts.title = "A kiosk"
    (facts.primaryIngestUrl, facts.backupIngestUrl) = ("rtmp://127.0.0.1:1/live", "rtmp://h:2/live")
    facts.hlsUrl = "http://127.0.0.1:3/live/x/live.m3u8"
    let json = Wire.stream(
      facts, LiveState(readyAfter: 0), created: Date(timeIntervalSince1970: 1_782_894_012.25),
      showsKey: true, forms: .init(answer: 0), at: second(0))
    #expect(
      try read(json, of: .getLiveStream("g", in: 1))
        == BunnyLiveStream(
          id: facts.streamId, libraryId: 12345, title: "A kiosk", streamKey: facts.streamKey,
          playbackUrl: facts.hlsUrl, primaryIngestUrl: facts.primaryIngestUrl,
          backupIngestUrl: facts.backupIngestUrl, status: .created, isPublic: true,
          ingestRegion: "DE", createdAt: Date(timeIntervalSince1970: 1_782_894_012),
          availableResolutions: ["720p"], peakConcurrentViewers: 0, totalViewerSeconds: 0))
    let hidden = Wire.stream(
      facts, LiveState(readyAfter: 0), created: Date(), showsKey: false, forms: .init(answer: 0),
      at: second(0))
    #expect(try read(hidden, of: .getLiveStream("g", in: 1)).streamKey == nil)
  }
}
