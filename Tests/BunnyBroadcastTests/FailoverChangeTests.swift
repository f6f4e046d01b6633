import BunnyBroadcast
import BunnySystem
import Testing

/// Planned changes, the standby's keeping, and what Bunny's API says.
@Suite struct FailoverChangeTests {
  // MARK: The server wishes us to go

  @Test func `a server that wishes us to go is left for the standby at a keyframe`() {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5050, .publishing(2))
    #expect(story.failover.carrier == 1)
    story.at(6000, .arrived(2), .relieve(1), .open(3, ingest: 0))
    #expect(story.failover.carrier == 2 && story.failover.failures == 0)
  }

  @Test func `where nothing is ready, the other ingest is connected first, or the same again`() {
    var cold = FailoverStory.cold()
    cold.at(5000, .reconnectRequest(1), .open(2, ingest: 1))
    cold.at(5100, .ready(2), .publish(2, .atKeyframe))
    cold.at(5200, .publishing(2))
    cold.at(5300, .arrived(2), .relieve(1))
    var single = FailoverStory.single()
    single.at(5000, .reconnectRequest(1), .open(2, ingest: 0))
    single.at(5100, .ready(2), .publish(2, .atKeyframe))
    single.at(5110, .publishing(2))
    single.at(5900, .arrived(2), .relieve(1))
    single.quiet(until: 20_000)
  }

  @Test func `a server that breaks before the change is replayed from`() {
    var story = FailoverStory.cold()
    story.at(5000, .reconnectRequest(1), .open(2, ingest: 1))
    story.at(5050, .failed(1, .passing))
    story.at(5100, .ready(2), .publish(2, .replay))
  }

  @Test func `a server that owes is not left at a keyframe, which may never come there`() {
    var story = FailoverStory.cold()
    story.at(5000, .reconnectRequest(1), .open(2, ingest: 1))
    story.at(5020, .owing(1))
    story.at(5100, .ready(2))
    story.at(5770, .stalled(1), .drop(1), .publish(2, .replay))
  }

  @Test func `a server that wishes us to go before it has accepted us is dropped`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(50, .ready(1), .publish(1, .replay))
    story.at(60, .ready(2))
    story.at(70, .reconnectRequest(1), .drop(1), .publish(2, .replay))
    story.at(80, .publishing(2), .open(3, ingest: 0))
    story.at(90, .ready(3))
    story.at(100, .reconnectRequest(3), .drop(3))
    story.at(600, .tick, .open(4, ingest: 0))
  }

  // MARK: Back to the primary

  private func onBackup(_ change: @escaping (inout Failover.Rules) -> Void) -> FailoverStory {
    var story = FailoverStory.live(change)
    story.at(5000, .failed(1, .passing), .publish(2, .replay))
    story.at(5010, .publishing(2), .open(3, ingest: 0))
    story.at(10_000, .ready(3))
    return story
  }

  @Test func `by default the stream stays where it is`() {
    var story = onBackup { _ in }
    story.idle(standby: 3, until: 2_000_000)
    #expect(story.failover.carrier == 2)
  }

  @Test func `the primary is returned to after a minute of being ready, at a keyframe`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 70_000)
    story.at(70_000, .tick, .publish(3, .atKeyframe))
    story.at(70_100, .publishing(3))
    story.at(70_200, .arrived(3), .relieve(2), .open(4, ingest: 1))
  }

  @Test func `a primary that does not take it back is asked again ten minutes later`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 70_000)
    story.at(70_000, .tick, .publish(3, .atKeyframe))
    story.at(70_100, .failed(3, .nameInUse), .resume(2))
    story.at(71_100, .tick, .open(4, ingest: 0))
    story.at(71_200, .ready(4))
    story.idle(standby: 4, until: 670_000)
    story.at(670_000, .tick, .publish(4, .atKeyframe))
  }

  @Test func `a primary that breaks in that minute begins it anew`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 60_000)
    story.at(60_000, .failed(3, .passing))
    story.at(60_500, .tick, .open(4, ingest: 0))
    story.at(61_000, .ready(4))
    story.idle(standby: 4, until: 121_000)
    story.at(121_000, .tick, .publish(4, .atKeyframe))
  }

  @Test func `it is returned to once in ten minutes at most`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 70_000)
    story.at(70_000, .tick, .publish(3, .atKeyframe))
    story.at(70_100, .publishing(3))
    story.at(70_150, .arrived(3), .relieve(2), .open(4, ingest: 1))
    story.at(70_200, .ready(4))
    story.idle(standby: 4, until: 80_000)
    story.at(80_000, .failed(3, .passing), .publish(4, .replay))
    story.at(80_100, .publishing(4))
    story.at(80_500, .tick, .open(5, ingest: 0))
    story.at(80_600, .ready(5))
    story.idle(standby: 5, until: 670_000)
    story.at(670_000, .tick, .publish(5, .atKeyframe))
  }

  @Test func `a primary that falls silent in the last second is not returned to`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 70_000)
    story.at(70_000, .stalled(3), .drop(3), .open(4, ingest: 0))
  }

  @Test func `it is not returned to in the middle of a doubt`() {
    var story = onBackup { $0.prefersPrimary = true }
    story.idle(standby: 3, until: 69_900)
    story.at(69_900, .owing(2), .ping(3))
    story.at(69_910, .ponged(3))
    story.quiet(until: 70_100)
    story.at(70_100, .paid(2), .publish(3, .atKeyframe))
  }

  @Test func `a cold primary is connected for a minute, to be returned to`() {
    var story = FailoverStory.cold { $0.prefersPrimary = true }
    story.at(5000, .failed(1, .passing), .open(2, ingest: 1))
    story.at(5100, .ready(2), .publish(2, .replay))
    story.at(5200, .publishing(2), .open(3, ingest: 0))
    story.at(5300, .ready(3))
    story.idle(standby: 3, until: 65_300)
    story.at(65_300, .tick, .publish(3, .atKeyframe))
    story.at(65_400, .publishing(3))
    story.at(65_500, .arrived(3), .relieve(2))
    story.at(70_000, .failed(3, .passing), .open(4, ingest: 1))
    story.at(70_100, .ready(4), .publish(4, .replay))
    story.at(70_200, .publishing(4))
    story.at(605_300, .tick, .open(5, ingest: 0))
  }

  // MARK: The standby

  @Test func `a standby is pinged every 20 s, and replaced when it falls silent`() {
    var story = FailoverStory.live()
    story.at(20_060, .tick, .ping(2))
    story.at(20_070, .ponged(2))
    story.at(40_060, .tick, .ping(2))
    story.at(40_810, .owing(2))
    story.at(41_560, .stalled(2), .drop(2), .open(3, ingest: 1))
    story.at(41_600, .ready(3))
    story.at(61_600, .tick, .ping(3))
  }

  @Test func `a standby that fell silent while the line was frozen is replaced afterwards`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(6500, .stalled(2))
    story.at(7000, .paid(1), .uplinkBack, .drop(2))
    story.at(7100, .ready(3))
    story.quiet(until: 27_000)
  }

  @Test func `a standby that the server keeps closing is left alone, and connected when needed`() {
    var story = FailoverStory.live()
    story.at(10_000, .failed(2, .passing), .open(3, ingest: 1))
    story.at(10_010, .ready(3))
    story.at(20_000, .failed(3, .passing))
    story.at(20_500, .tick, .open(4, ingest: 1))
    story.at(20_510, .ready(4))
    story.at(30_000, .failed(4, .passing))
    story.quiet(until: 5_000_000)
    story.at(5_000_000, .owing(1), .open(5, ingest: 1))
    story.at(5_000_100, .ready(5))
    story.at(5_000_200, .paid(1), .drop(5))
    story.at(5_100_000, .failed(1, .passing), .open(6, ingest: 1), .open(7, ingest: 0))
    story.at(5_100_100, .ready(6), .publish(6, .replay))
  }

  @Test func `one that is closed after minutes is connected again for ever`() {
    var story = FailoverStory.live()
    story.idle(standby: 2, until: 130_000)
    story.at(130_000, .failed(2, .passing), .open(3, ingest: 1))
    for id in 3..<40 {
      story.at(story.now + 10, .ready(id))
      story.idle(standby: id, until: story.now + 130_000)
      story.at(story.now, .failed(id, .passing))
      let wait = Int64([500, 1000, 2000, 5000, 10_000, 15_000][min(id - 3, 5)])
      story.at(story.now + wait, .tick, .open(id + 1, ingest: 1))
    }
  }

  // MARK: What the API says

  @Test func `two denials in a row of an ingest that was live are believed`() {
    var story = FailoverStory.live()
    story.at(1000, .told(ingest: 0, isLive: false))  // not seen live yet
    story.at(2000, .told(ingest: 0, isLive: false))
    story.at(3000, .told(ingest: 0, isLive: true))
    story.at(4000, .told(ingest: 0, isLive: false))
    story.at(5000, .told(ingest: 0, isLive: true))
    story.at(6000, .told(ingest: 0, isLive: false))
    story.at(6500, .told(ingest: 1, isLive: false))  // of the other it says nothing new
    story.at(7000, .told(ingest: 0, isLive: false), .drop(1), .publish(2, .replay))
  }

  @Test func `one denial is, together with a doubt of our own`() {
    var story = FailoverStory.live()
    story.at(3000, .told(ingest: 0, isLive: true))
    story.at(4000, .owing(1), .ping(2))
    story.at(4010, .told(ingest: 0, isLive: false), .drop(1), .publish(2, .replay))
  }

  @Test func `a doubt after one denial is, once the standby shows that it is not the uplink`() {
    var story = FailoverStory.live()
    story.at(3000, .told(ingest: 0, isLive: true))
    story.at(4000, .told(ingest: 0, isLive: false))
    story.at(5000, .owing(1), .ping(2))
    story.at(5010, .ponged(2), .drop(1), .publish(2, .replay))
  }

  @Test func `what was live in an earlier session has to be seen live again`() {
    var story = FailoverStory.live()
    story.at(3000, .told(ingest: 0, isLive: true))
    story.at(4000, .failed(1, .passing), .publish(2, .replay))
    story.at(4010, .publishing(2), .open(3, ingest: 0))
    story.at(4020, .ready(3))
    story.at(4100, .failed(2, .passing), .publish(3, .replay))
    story.at(4110, .publishing(3), .open(4, ingest: 1))
    story.at(5000, .told(ingest: 0, isLive: false))
    story.at(10_000, .told(ingest: 0, isLive: false))
    #expect(story.failover.carrier == 3)
  }
}
