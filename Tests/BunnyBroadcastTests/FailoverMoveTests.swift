import BunnyBroadcast
import BunnySystem
import Testing

/// A planned change that goes wrong: the stream stays where it is as long as that is good.
extension FailoverChangeTests {
  @Test(arguments: [Failover.Failure.passing, .lasting, .nameInUse])
  func `a new session that is refused leaves the stream where it is`(how: Failover.Failure) {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5050, .failed(2, how), .resume(1), .open(3, ingest: 1))
    #expect(story.failover.carrier == 1)
    // It is not tried again, unless the server asks again, or ends the session.
    story.at(5060, .ready(3))
    story.at(5070, .reconnectRequest(1), .publish(3, .atKeyframe))
    story.at(5080, .publishing(3))
    story.at(5090, .failed(3, .passing), .resume(1))
    story.at(5100, .failed(1, .passing), .open(4, ingest: 0))
  }

  @Test func `so does one at the same server, which may not know us twice`() {
    var story = FailoverStory.single()
    story.at(5000, .reconnectRequest(1), .open(2, ingest: 0))
    story.at(5100, .ready(2), .publish(2, .atKeyframe))
    story.at(5110, .failed(2, .nameInUse), .resume(1))
    story.quiet(until: 9000)
    story.at(9000, .failed(1, .passing), .open(3, ingest: 0))
  }

  @Test func `one that is accepted, and dies before media has arrived over it, leaves it too`() {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5050, .publishing(2))
    story.at(6000, .failed(2, .passing), .resume(1), .open(3, ingest: 1))
    var asked = FailoverStory.live()
    asked.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    asked.at(5050, .reconnectRequest(2), .drop(2), .resume(1), .open(3, ingest: 1))
  }

  @Test func `one that falls silent is dropped, unless all is silent`() {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5050, .publishing(2))
    story.at(6800, .stalled(2), .drop(2), .resume(1), .open(3, ingest: 1))

    var frozen = FailoverStory.live()
    frozen.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    frozen.at(5050, .publishing(2))
    frozen.at(5800, .owing(1), .ping(2), .open(3, ingest: 1))
    frozen.at(6550, .stalled(1), .uplinkLost)
    frozen.at(6600, .stalled(2))
    frozen.at(7000, .paid(2))
    frozen.at(7010, .paid(1), .uplinkBack)
    frozen.at(7020, .arrived(2), .relieve(1), .drop(3), .open(4, ingest: 0))
  }

  @Test func `a server that breaks in the middle of the change is succeeded at once`() {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5020, .failed(1, .passing))
    #expect(story.failover.carrier == 2)
    story.at(5050, .publishing(2), .open(3, ingest: 0))
    story.at(5060, .arrived(2))
  }

  @Test func `one that freezes then is left for the new session as soon as that answers`() {
    var story = FailoverStory.live()
    story.at(5000, .reconnectRequest(1), .publish(2, .atKeyframe))
    story.at(5050, .publishing(2))
    story.at(5800, .owing(1), .ping(2), .open(3, ingest: 1))
    story.at(5810, .ponged(2))
    story.at(6550, .stalled(1), .drop(1), .drop(3), .open(4, ingest: 0))
    #expect(story.failover.carrier == 2)
  }
}

/// The stream has another key, or its ingests another address.
@Suite struct FailoverRenamingTests {
  @Test func `what stands by under the old key is connected anew, and the carrier goes on`() {
    var story = FailoverStory.live()
    story.at(5000, .renamed, .drop(2), .open(3, ingest: 1))
    #expect(story.failover.carryingIngest == 0)
  }

  @Test func `a wait for an ingest that refuses the old key is over at once`() {
    var story = FailoverStory()
    story.at(0, .tick, .open(1, ingest: 0), .open(2, ingest: 1))
    story.at(10, .ready(1), .publish(1, .replay))
    story.at(20, .publishing(1))
    story.at(30, .failed(2, .passing), .open(3, ingest: 1))
    story.at(40, .failed(3, .passing))
    story.at(50, .failed(1, .passing), .open(4, ingest: 0))
    story.at(60, .failed(4, .lasting))
    story.at(70, .renamed, .open(5, ingest: 0), .open(6, ingest: 1))
  }
}
