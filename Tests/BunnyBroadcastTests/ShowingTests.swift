import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

/// Who sees a stream, who else publishes to it, and what is waited for.
@Suite struct ShowingTests {
  private static let primary = ControllerRulesTests.primary
  private static let backup = ControllerRulesTests.backup
  private static let down = BunnyLiveStreamError(kind: .server, statusCode: 503)

  @Test func `started is told when viewers see what an ingest has accepted, once`() {
    var showing = Showing(isShown: false)
    let accepted = showing.told(.started(Self.primary))
    #expect(accepted == [.published(Self.primary)])
    let shown = showing.shown()
    #expect(shown == [.started(Self.primary)])
    let again = showing.told(.reconnected(Self.primary)) + showing.shown()
    #expect(again == [.reconnected(Self.primary)])
  }

  @Test func `a stream that runs is seen as soon as an ingest has it`() {
    var showing = Showing(isShown: true)
    let accepted = showing.told(.started(Self.primary))
    #expect(accepted == [.published(Self.primary), .started(Self.primary)])
  }

  @Test func `what is shown while no ingest has it is started with the next one that does`() {
    var showing = Showing(isShown: false)
    var told = showing.told(.started(Self.primary))
    told += showing.told(.lost(Self.primary, reason: "x")) + showing.shown()
    #expect(told == [.published(Self.primary), .lost(Self.primary, reason: "x")])
    let back = showing.told(.reconnected(Self.primary))
    #expect(back == [.reconnected(Self.primary), .started(Self.primary)])
  }

  @Test func `who carries it when it is shown is named, not who was left`() {
    var showing = Showing(isShown: false)
    _ = showing.told(.started(Self.primary)) + showing.told(.reconnected(Self.backup))
    let lost = showing.told(.lost(Self.backup, reason: "x")) + showing.shown()
    #expect(lost == [.lost(Self.backup, reason: "x")], "nobody carries it")
    let back = showing.told(.reconnected(Self.backup))
    #expect(back == [.reconnected(Self.backup), .started(Self.backup)])
  }

  @Test func `what nobody sees is a preview`() {
    var live = BroadcastStatistics()
    live.state = "live"
    var preview = live
    preview.state = "preview"
    var showing = Showing(isShown: false)
    #expect(showing.seen(live) == preview && showing.seen(preview) == preview)
    let told = showing.told(.statistics(live))
    #expect(told == [.statistics(preview)])
    _ = showing.shown()
    #expect(showing.seen(live) == live)
  }

  @Test func `what was published, was to be shown and was not is left undone`() {
    var showing = Showing(isShown: false)
    let before = showing.undone(Self.down, isWanted: true, wasShown: false)
    #expect(before == nil, "nothing was published")
    _ = showing.told(.started(Self.primary))
    #expect(showing.undone(Self.down, isWanted: true, wasShown: false) == Self.down)
    #expect(showing.undone(Self.down, isWanted: false, wasShown: false) == nil)
    #expect(showing.undone(Self.down, isWanted: true, wasShown: true) == nil)
    #expect(showing.undone(nil, isWanted: true, wasShown: false) == nil)
    _ = showing.shown()
    #expect(showing.undone(Self.down, isWanted: true, wasShown: false) == nil)
  }
}

@Suite struct RivalWatchTests {
  private func at(_ seconds: Double) -> MonotonicTime { .init(nanoseconds: .seconds(seconds)) }

  private func said(
    _ arrival: Double?, besides: [Double], alone: Double? = nil, again: [Double] = []
  ) -> [Double] {
    var watch = RivalWatch()
    let answers = besides.map { ($0, true) } + (alone.map { [($0, false)] } ?? [])
    return (answers + again.map { ($0, true) }).compactMap { time, isBesides in
      watch.saw(isBesides, arrival: arrival.map(at), at: at(time)) ? time : nil
    }
  }

  @Test func `who has long been there says so after two polls, once until they have gone`() {
    let polls: [Double] = [100, 105, 110, 115, 120]
    #expect(said(0, besides: polls) == [110])
    #expect(said(0, besides: polls, alone: 125, again: [130, 135, 140]) == [110, 140])
  }

  @Test func `a session of our own that is not forgotten yet is no rival`() {
    #expect(said(100, besides: [101, 106, 111, 130], alone: 165) == [])
    #expect(said(100, besides: [101, 130, 159.9, 160]) == [160])
  }

  @Test func `who is taken over from is known to be somebody else`() {
    #expect(said(nil, besides: [1, 6, 9, 14]) == [9])
  }
}

@Suite struct WaitingTests {
  private static let began = MonotonicTime(nanoseconds: .seconds(10))

  @Test func `a time that is awaited is counted down, and never below nothing`() {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let waiting = Waiting(
      "the stream's time", until: (date, MonotonicTime(nanoseconds: .seconds(70))))
    let early = waiting.statistics(since: Self.began, at: .init(nanoseconds: .seconds(12)))
    #expect(early.state == "waiting" && early.elapsedSeconds == 2)
    #expect(early.waitingSeconds == 58 && early.waitingUntil == date)
    #expect(LogText.waiting(early) == "begins in 00:00:58, at 2027-01-15T08:00:00Z")
    #expect(
      LogText.of(early) == "waiting 00:00:02: begins in 00:00:58, at 2027-01-15T08:00:00Z")
    let late = waiting.statistics(since: Self.began, at: .init(nanoseconds: .seconds(80)))
    #expect(late.waitingSeconds == 0)
  }

  @Test func `what has no time is named`() {
    let statistics = Waiting("rain").statistics(since: Self.began, at: Self.began)
    #expect(LogText.waiting(statistics) == "for rain")
    #expect(LogText.waiting(BroadcastStatistics()) == nil)
  }

  @Test(arguments: [
    (0.0, "00:00:00"), (172_799, "47:59:59"), (172_800, "2 days 00:00:00"),
    (8_650_861, "100 days 03:01:01"), (-1, "00:00:00"), (.infinity, "00:00:00"),
  ])
  func `days are counted from the second on`(_ seconds: Double, _ text: String) {
    #expect(Wording.span(seconds) == text)
  }
}

@Suite struct LiveCreationTests {
  @Test func `a stream that was made before is used while nobody has seen it`() {
    func isUnused(_ status: BunnyLiveStreamStatus, started: Date? = nil, key: String? = "k") -> Bool
    {
      LiveCreation.isUnused(
        BunnyLiveStream(id: "s", streamKey: key, status: status, startedAt: started))
    }
    for status in [BunnyLiveStreamStatus.created, .scheduled, .preview, .unknown] {
      #expect(isUnused(status) && !isUnused(status, started: Date()))
    }
    #expect(isUnused(.created, key: nil))
    for status in [BunnyLiveStreamStatus.running, .ended, .vodProcessing, .error] {
      #expect(!isUnused(status))
    }
  }

  @Test func `each title of each library has a name of its own, and always the same`() {
    #expect(LiveCreation.number(of: "News", in: 7) == LiveCreation.number(of: "News", in: 7))
    let names = [("News", 7), ("News", 8), ("news", 7), ("", 7), ("📺/..", 7)].map {
      LiveCreation.number(of: $0.0, in: $0.1)
    }
    #expect(Set(names).count == 5)
    #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-f]+/) != nil })
  }

  @Test func `what can be opened only once is not opened to be looked at`() {
    var configuration = BroadcastConfiguration.bunny(video: .pipe(nil), quality: .sd480)
    configuration.otherVideos = [.test, .pipe("/p"), .file("/f")]
    #expect(configuration.rehearsed.video == .test)
    #expect(configuration.rehearsed.otherVideos == [.test, .file("/f")])
    configuration.video = .file("/f")
    #expect(configuration.rehearsed.video == .file("/f"))
  }
}
