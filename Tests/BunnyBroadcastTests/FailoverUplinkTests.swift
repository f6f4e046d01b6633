import BunnyBroadcast
import BunnySystem
import Testing

/// The ingest or the uplink: what follows when the carrier owes a proof that it reads.
@Suite struct FailoverUplinkTests {
  // MARK: With a standby

  @Test func `a stall with a standby that answers is left at the stall limit`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5005, .ponged(2))
    story.at(5750, .stalled(1), .drop(1), .publish(2, .replay))
    story.at(5760, .publishing(2), .open(3, ingest: 0))
  }

  @Test func `a standby that answers only after the stall limit takes over then`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5700, .stalled(1))
    story.at(5749, .ponged(2), .drop(1), .publish(2, .replay))
  }

  @Test func `a debt that is paid in time changes nothing`() {
    var story = FailoverStory.live()
    for time: Int64 in [5000, 6000, 7000] {
      story.at(time, .owing(1), .ping(2))
      story.at(time + 10, .ponged(2))
      story.at(time + 700, .paid(1))
    }
    story.at(8000, .owing(1), .ping(2))
    story.at(8750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
  }

  @Test func `an answer to an earlier doubt does not count in a later one`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5010, .ponged(2))
    story.at(5100, .paid(1))
    story.at(9000, .owing(1), .ping(2))
    story.at(9750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
  }

  @Test func `a whole line that freezes for 3 s causes no switch`() {
    var story = FailoverStory.live()
    for start: Int64 in [5000, 15_000] {
      story.at(start + 1000, .owing(1), .ping(2))
      let id = start == 5000 ? 3 : 4
      story.at(start + 1750, .stalled(1), .uplinkLost, .open(id, ingest: 1))
      story.at(start + 3010, .ponged(2))
      story.at(start + 3200, .ready(id))
      story.at(start + 3700, .paid(1), .uplinkBack, .drop(id))
    }
    #expect(story.failover.carrier == 1 && story.failover.failures == 0)
  }

  /// After a short outage it has the stall limit; after one of five seconds and more, half of it.
  @Test(arguments: [(3000 as Int64, grace: 1500 as Int64), (4999, 1500), (5000, 750), (9000, 750)])
  func `a session that does not go on once the uplink is back is left`(
    outage: Int64, grace: Int64
  ) {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(5000 + outage, .ponged(2))
    story.at(5010 + outage, .ready(3))
    story.at(5000 + outage + grace, .tick, .uplinkBack, .drop(1), .publish(2, .replay))
    // Neither is marked: the primary is at once kept ready again, the probe not needed.
    story.at(5050 + outage + grace, .publishing(2), .drop(3), .open(4, ingest: 0))
    #expect(story.failover.failures == 0)
  }

  @Test func `a stall without a doubt before it asks first`() {
    var story = FailoverStory.live()
    story.at(5000, .stalled(1), .ping(2))
    story.at(5750, .tick, .uplinkLost, .open(3, ingest: 1))
    var other = FailoverStory.live()
    other.at(5000, .stalled(1), .ping(2))
    other.at(5020, .ponged(2), .drop(1), .publish(2, .replay))
  }

  @Test func `a standby that never answers pings does not keep us at a dead primary`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(5800, .ready(3))
    story.at(7300, .tick, .uplinkBack, .drop(1), .publish(3, .replay))
    story.at(7310, .publishing(3), .drop(2), .open(4, ingest: 0))
  }

  @Test func `while nobody answers, each server is tried beside, ten seconds apart`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(10_750, .failed(3, .passing), .open(4, ingest: 0))
    story.at(15_750, .failed(4, .passing), .open(5, ingest: 1))
    story.at(15_760, .failed(5, .passing))
    story.at(20_750, .tick, .open(6, ingest: 0))
    story.at(21_000, .linkUp)
    story.at(21_010, .failed(6, .passing), .open(7, ingest: 1))
    story.at(21_020, .failed(7, .passing), .open(8, ingest: 0))
    #expect(story.failover.failures == 0)
  }

  @Test func `a probe that fails while the uplink is lost is no mark against its ingest`() {
    var story = FailoverStory.live()
    story.at(15000, .owing(1), .ping(2))
    story.at(15010, .failed(2, .passing), .open(3, ingest: 1))
    story.at(15020, .failed(3, .passing), .open(4, ingest: 0))
    story.at(15750, .stalled(1), .uplinkLost)
    story.at(15760, .failed(4, .passing))
    story.at(18000, .paid(1), .uplinkBack, .open(5, ingest: 1))
    story.at(18010, .failed(5, .passing), .open(6, ingest: 1))  // the first mark: again at once
  }

  // MARK: The carrier breaks meanwhile

  @Test func `a carrier that breaks while nobody answers: what answers first carries the stream`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(8000, .failed(1, .passing), .drop(2), .open(4, ingest: 0))
    story.at(8001, .failed(4, .passing), .open(5, ingest: 0))
    story.at(9000, .ready(5), .uplinkBack, .publish(5, .replay))
    story.at(9010, .publishing(5))
    story.at(9020, .ready(3))
  }

  @Test func `a carrier that breaks while it owes is replaced by whoever has answered`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5300, .failed(1, .passing), .publish(2, .replay))
  }

  @Test func `a standby that is silent itself is not relied on, but connected anew`() {
    var story = FailoverStory.live()
    story.at(5000, .owing(1), .ping(2))
    story.at(5500, .stalled(2))
    story.at(5600, .failed(1, .passing), .drop(2), .open(3, ingest: 1), .open(4, ingest: 0))
    story.at(5650, .ready(4), .publish(4, .replay))
  }

  // MARK: Without a standby

  @Test func `a cold backup is connected at half the stall limit, and takes over`() {
    var story = FailoverStory.cold()
    story.at(5000, .owing(1), .open(2, ingest: 1))
    story.at(5100, .ready(2))
    story.at(5750, .stalled(1), .drop(1), .publish(2, .replay))
    story.at(5800, .publishing(2))
    story.quiet(until: 600_000)
  }

  @Test func `a cold backup that was connected in vain is let go`() {
    var story = FailoverStory.cold()
    story.at(5000, .owing(1), .open(2, ingest: 1))
    story.at(5100, .ready(2))
    story.at(5200, .paid(1), .drop(2))
  }

  @Test func `with one URL, a second connection is tried beside the first, and goes on if it can`()
  {
    var story = FailoverStory.single()
    story.at(5000, .owing(1), .open(2, ingest: 0))
    story.at(5100, .ready(2))
    story.at(5750, .stalled(1), .drop(1), .publish(2, .replay))
    story.at(5800, .publishing(2))
  }

  @Test func `with one URL and nobody there, it is the uplink, and the session resumes`() {
    var story = FailoverStory.single()
    story.at(5000, .owing(1), .open(2, ingest: 0))
    story.at(5750, .stalled(1), .uplinkLost)
    story.at(10_000, .failed(2, .passing))
    story.at(15_000, .tick, .open(3, ingest: 0))
    story.at(16_000, .ready(3))
    story.at(16_300, .paid(1), .uplinkBack, .drop(3))
    #expect(story.failover.carrier == 1 && story.failover.failures == 0)
  }

  @Test func `doubts that come and go open no more than six connections a minute`() {
    var story = FailoverStory.single()
    for id in 2...4 {
      story.at(Int64(id) * 1000, .owing(1), .open(id, ingest: 0))
      story.at(Int64(id) * 1000 + 10, .paid(1), .drop(id))
    }
    story.at(5000, .owing(1))
    story.at(5750, .stalled(1), .uplinkLost)
    story.at(22_667, .tick, .open(5, ingest: 0))
  }

  @Test func `a probe that answered and broke does not speak for the uplink later`() {
    var story = FailoverStory.single()
    story.at(5000, .owing(1), .open(2, ingest: 0))
    story.at(5750, .stalled(1), .uplinkLost)
    story.at(6000, .ready(2))
    story.at(6100, .failed(2, .passing))
    story.at(15_000, .tick, .open(3, ingest: 0))
    story.at(16_000, .ready(3))
    story.at(16_750, .tick, .uplinkBack, .drop(1), .publish(3, .replay))
  }
}
