import BunnyBroadcast
import BunnySystem
import Testing

/// What happens to ingests, and who carries the stream then. ``FailoverUplinkTests`` has what is owed.
@Suite struct FailoverTests {
  // MARK: The start

  @Test func `both are connected at once, and the primary carries the stream`() {
    var story = FailoverStory.live()
    #expect(story.failover.carryingIngest == 0)
    story.quiet(until: 20_000)
  }

  @Test func `a backup that is ready first waits half a second for the primary`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(100, .ready(2))
    story.at(499, .ready(1), .publish(1, .replay))
  }

  @Test func `a primary that is slower than that becomes the standby`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(100, .ready(2))
    story.at(500, .tick, .publish(2, .replay))
    story.at(510, .publishing(2))
    story.at(900, .ready(1))
    story.quiet(until: 20_000)
    #expect(story.failover.carryingIngest == 1)
  }

  @Test func `where both are slow, the primary may take twice as long as the backup`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(490, .ready(2))
    story.quiet(until: 970)
    story.at(975, .ready(1), .publish(1, .replay))
    var slower = FailoverStory()
    slower.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    slower.at(490, .ready(2))
    slower.at(980, .tick, .publish(2, .replay))
  }

  @Test func `a dead primary is not waited for, and tried again once the stream is carried`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(10, .failed(1, .passing), .open(3, ingest: 0))
    story.at(20, .ready(2), .publish(2, .replay))
    story.at(30, .failed(3, .passing))
    story.at(40, .publishing(2))
    story.at(530, .tick, .open(4, ingest: 0))
  }

  @Test func `a backup that has failed of late is tried at once when a good primary dies`() {
    var story = FailoverStory.live()
    story.at(2000, .proven(1))
    story.at(4000, .failed(2, .unanswered), .open(3, ingest: 1))
    for (time, id, wait) in [(4000, 3, 500), (4500, 4, 1000), (5500, 5, 2000), (7500, 6, 5000)]
      as [(Int64, Int, Int64)]
    {
      story.at(time, .failed(id, .unanswered))
      if id < 6 { story.at(time + wait, .tick, .open(id + 1, ingest: 1)) }
    }
    story.at(8000, .failed(1, .passing), .open(7, ingest: 1), .open(8, ingest: 0))
    story.at(8050, .ready(7), .publish(7, .replay))
  }

  @Test func `one that was never good does not hurry the other`() {
    var story = FailoverStory.live()
    story.at(4000, .failed(2, .unanswered), .open(3, ingest: 1))
    story.at(4000, .failed(3, .unanswered))
    story.at(4100, .failed(1, .passing), .open(4, ingest: 0))
    story.at(4500, .tick, .open(5, ingest: 1))
  }

  @Test func `a cold backup is tried when the primary has failed, at once`() {
    var story = FailoverStory { $0.keepsStandby = false }
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(5000, .failed(1, .passing), .open(2, ingest: 1))
    story.at(5001, .failed(2, .passing), .open(3, ingest: 0))
    story.at(5050, .ready(3), .publish(3, .replay))
  }

  @Test func `it gives up when all have refused for good, and not before`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(10, .failed(1, .lasting))
    story.quiet(until: 1_000_000)
    story.at(1_000_000, .failed(2, .lasting), .giveUp)
    story.quiet(until: 2_000_000)
  }

  @Test func `once it was live, even what refuses for good is tried again and again`() {
    var story = FailoverStory.single()
    story.at(5000, .failed(1, .lasting), .open(2, ingest: 0))
    story.at(5010, .failed(2, .lasting))
    story.at(5510, .tick, .open(3, ingest: 0))
  }

  @Test func `a primary that refused for good is kept ready once the backup is live`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(10, .failed(1, .lasting))
    story.at(50, .ready(2), .publish(2, .replay))
    story.at(90, .publishing(2), .open(3, ingest: 0))
  }

  // MARK: The carrier fails

  @Test func `the standby takes over at once, and the dead one is tried again at once, then later`()
  {
    var story = FailoverStory.live()
    story.at(5000, .failed(1, .passing), .publish(2, .replay))
    story.at(5020, .publishing(2), .open(3, ingest: 0))
    story.at(5030, .failed(3, .passing))
    story.at(5530, .tick, .open(4, ingest: 0))
    story.at(5540, .failed(4, .passing))
    story.at(6540, .tick, .open(5, ingest: 0))
    story.at(6600, .ready(5))
    story.quiet(until: 26_000)
  }

  @Test func `with both dead, each is tried by its own waits, and the first that is ready carries`()
  {
    var story = FailoverStory.live()
    story.at(5000, .failed(2, .passing), .open(3, ingest: 1))
    story.at(5001, .failed(3, .passing))
    story.at(5100, .failed(1, .passing), .open(4, ingest: 0))
    story.at(5101, .failed(4, .passing))
    story.at(5501, .tick, .open(5, ingest: 1))
    story.at(5502, .failed(5, .passing))
    story.at(5601, .tick, .open(6, ingest: 0))
    story.at(5700, .ready(6), .publish(6, .replay))
  }

  @Test func `a standby that is just being opened is waited for`() {
    var story = FailoverStory.live()
    story.at(5000, .failed(2, .passing), .open(3, ingest: 1))
    story.at(5010, .failed(1, .passing), .open(4, ingest: 0))
    story.at(5050, .ready(3), .publish(3, .replay))
    story.at(5060, .ready(4))
  }

  @Test func `a server that accepts and hangs up makes no storm, and is good after 5 s`() {
    var story = FailoverStory(ingests: 1)
    story.at(0, .tick, .open(1, ingest: 0))
    var time: Int64 = 0
    // By the steps; from the fifth try on spread over the minute.
    for (id, next) in [(1, 30), (2, 560), (3, 1590), (4, 21_060), (5, 40_530)] as [(Int, Int64)] {
      story.at(time + 10, .ready(id), .publish(id, .replay))
      story.at(time + 20, .publishing(id))
      if id == 1 {
        story.at(next, .failed(id, .passing), .open(id + 1, ingest: 0))
      } else {
        story.at(time + 30, .failed(id, .passing))
        story.at(next, .tick, .open(id + 1, ingest: 0))
      }
      time = next
    }
    #expect(story.failover.failures == 5)
    story.at(time + 10, .ready(6), .publish(6, .replay))
    story.at(time + 20, .publishing(6))
    story.at(time + 2000, .proven(6))
    #expect(story.failover.failures == 5, "a GOP in its kernel, and no more is known")
    story.at(time + 5020, .tick)
    #expect(story.failover.failures == 0)
    story.at(time + 6000, .failed(6, .passing), .open(7, ingest: 0))  // as if it were the first
  }

  @Test func `both down for hours are tried on, and a link that comes up ends the wait`() {
    var story = FailoverStory(ingests: 1)
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(1, .failed(1, .passing), .open(2, ingest: 0))
    var (id, now): (Int, Int64) = (2, 1)
    for next: Int64 in [501, 1501, 21_001, 40_501] {
      story.at(now, .failed(id, .passing))
      (id, now) = (id + 1, next)
      story.at(now, .tick, .open(id, ingest: 0))
    }
    story.at(now, .failed(id, .passing))
    story.quiet(until: 45_000)
    story.at(45_000, .linkUp, .open(7, ingest: 0))
    for (wait, id): (Int64, Int) in (7..<1000).map({ (15_000, $0) }) {
      story.at(story.now, .failed(id, .passing))
      story.at(story.now + wait, .tick, .open(id + 1, ingest: 0))
    }
    #expect(story.failover.failures == 999)
  }

  // MARK: The server remembers us

  @Test func `a name in use soon after our own session waits longer; the other ingest goes on`() {
    var story = FailoverStory.live()
    story.at(5000, .failed(2, .passing), .open(3, ingest: 1))
    story.at(5001, .failed(1, .passing), .open(4, ingest: 0))
    story.at(5010, .ready(4), .publish(4, .replay))
    story.at(5020, .failed(4, .nameInUse))
    story.at(5030, .ready(3), .publish(3, .replay))
    story.at(5040, .publishing(3))
    story.at(6020, .tick, .open(5, ingest: 0))
  }

  @Test func `a single server that has not forgotten us for 30 s is asked at growing distances`() {
    var story = FailoverStory.single()
    story.at(5000, .failed(1, .passing), .open(2, ingest: 0))
    var (id, now): (Int, Int64) = (2, 5000)
    // After 1 and 2 s; then what is left of six a minute is spread over it; then after 20 s.
    for next: Int64 in [6020, 8040, 25_360, 42_680, 62_700] {
      story.at(now + 10, .ready(id), .publish(id, .replay))
      story.at(now + 20, .failed(id, .nameInUse))
      (id, now) = (id + 1, next)
      story.at(now, .tick, .open(id, ingest: 0))
    }
  }

  @Test func `a name in use without a session of ours, or three minutes after it, is a stranger's`()
  {
    var story = FailoverStory(ingests: 1)
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(10, .ready(1), .publish(1, .replay))
    story.at(20, .failed(1, .nameInUse), .open(2, ingest: 0))
    var late = FailoverStory(ingests: 1, publishedBefore: [0: FailoverStory.moment(-180_000)])
    late.at(0, .tick, .open(1, ingest: 0))
    late.at(0, .ready(1), .publish(1, .replay))
    late.at(0, .failed(1, .nameInUse), .open(2, ingest: 0))
  }

  @Test func `a session before a restart counts as ours`() {
    var story = FailoverStory(ingests: 1, publishedBefore: [0: FailoverStory.moment(-179_000)])
    story.at(0, .tick, .open(1, ingest: 0))
    story.at(0, .ready(1), .publish(1, .replay))
    story.at(0, .failed(1, .nameInUse))
    story.at(1000, .tick, .open(2, ingest: 0))
  }

  @Test func `inputs of connections that are no more change nothing`() {
    var story = FailoverStory.live()
    story.at(1000, .failed(1, .passing), .publish(2, .replay))
    for input: Failover.Input in [
      .ready(1), .publishing(1), .proven(1), .owing(1), .stalled(1), .paid(1), .ponged(1),
      .reconnectRequest(1), .failed(1, .passing), .told(ingest: 0, isLive: false), .ready(77),
    ] { story.at(1001, input) }
    #expect(story.failover.carrier == 2)
  }

  @Test func `what is said twice changes nothing the second time`() {
    var story = FailoverStory.live()
    for input: Failover.Input in [
      .ready(1), .ready(2), .publishing(1), .publishing(2), .paid(1), .paid(2), .ponged(1),
    ] { story.at(200, input) }
    story.at(5000, .owing(1), .ping(2))
    story.at(5001, .owing(1))
    story.at(5750, .stalled(1), .uplinkLost, .open(3, ingest: 1))
    story.at(5751, .stalled(1))
    story.at(6000, .paid(1), .uplinkBack, .drop(3))
    story.at(6001, .paid(1))
  }
}
