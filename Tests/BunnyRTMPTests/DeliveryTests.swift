import BunnyRTMP
import BunnySystem
import Support
import Testing

/// A connection's bytes, told by the millisecond.
private struct Story {
  var delivery = Delivery(window: 4096)
  private var pinged: [UInt32] = []
  private var oldest: UInt32 { pinged.first ?? 0 }

  /// A peer that has answered the ping after `createStream`.
  static func answeringPings() -> Story {
    var story = Story()
    story.ping(endingAt: 20, at: -1000)
    story.wrote(20, at: -1000)
    story.pong(at: -999)
    return story
  }

  private func moment(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: .seconds(10) + .milliseconds(milliseconds))
  }

  mutating func wrote(_ total: Int64, at time: Int64) {
    delivery.wrote(upTo: total, at: moment(time))
  }
  mutating func arrived(_ total: Int64, at time: Int64) {
    delivery.arrived(upTo: total, at: moment(time))
  }
  mutating func acknowledged(_ total: Int64, at time: Int64) {
    delivery.acknowledged(upTo: total, at: moment(time))
  }
  mutating func ping(endingAt end: Int64, at time: Int64) {
    let stamp = delivery.newStamp()
    pinged.append(stamp)
    delivery.pinged(stamp, endingAt: end, at: moment(time))
  }
  /// The oldest ping is answered.
  @discardableResult mutating func pong(at time: Int64) -> Bool {
    let stamp = oldest
    if !pinged.isEmpty { pinged.removeFirst() }
    return delivery.ponged(stamp, at: moment(time))
  }

  func wantsPing(at time: Int64) -> Bool { delivery.wantsPing(at: moment(time)) }
  func nextLook(at time: Int64) -> Int64? {
    delivery.nextLook(at: moment(time)).map { ($0 - moment(0)) / .milliseconds(1) }
  }
  /// In milliseconds; nil when nothing is owed.
  var owingSince: Int64? {
    delivery.owingSince().map { ($0 - moment(0)) / .milliseconds(1) }
  }
  func owed(at time: Int64) -> Int64 { owingSince.map { time - $0 } ?? 0 }
}

@Suite struct DeliveryTests {
  @Test func `a peer that answers pings is pinged when the oldest unconfirmed byte is 250 ms old`()
  {
    var story = Story.answeringPings()
    #expect(story.delivery.confirmed == 20 && story.delivery.roundTrip == .milliseconds(1))
    #expect(story.nextLook(at: 0) == nil)
    story.wrote(1000, at: 0)
    story.wrote(2000, at: 200)
    #expect(story.nextLook(at: 0) == 250)
    #expect(!story.wantsPing(at: 249))
    #expect(story.wantsPing(at: 250))
    story.ping(endingAt: 2018, at: 250)
    story.wrote(2018, at: 250)
    #expect(!story.wantsPing(at: 300) && story.delivery.isPinging)
    #expect(story.owingSince == 250 && story.nextLook(at: 300) == 350)
    story.pong(at: 330)
    #expect(story.delivery.confirmed == 2018 && story.owingSince == nil)
    #expect(story.delivery.roundTrip == .milliseconds(80))
  }

  @Test func `a peer that has answered no ping is not pinged, and owes none`() {
    var story = Story()
    story.ping(endingAt: 20, at: 0)
    story.wrote(20, at: 0)
    story.arrived(20, at: 1)
    #expect(story.owingSince == nil && !story.wantsPing(at: 5000))
    #expect(!story.delivery.isAnswering && story.delivery.known == 20)
  }

  @Test func `an answer to nobody's ping, or to one twice, proves nothing`() {
    var story = Story.answeringPings()
    story.wrote(1000, at: 0)
    let again = story.delivery.ponged(1, at: .now)
    let never = story.delivery.ponged(77, at: .now)
    #expect(!again && !never && story.delivery.confirmed == 20)
  }

  @Test
  func `a frozen peer with a large buffer owes from the ping on, though its kernel takes all`() {
    var story = Story.answeringPings()
    for step in 1...100 {  // 20 KB each 50 ms, into a buffer of megabytes
      let (time, total) = (Int64(step) * 50, Int64(step) * 20_000)
      story.wrote(total, at: time)
      if time == 300 { story.ping(endingAt: total, at: time) }
      story.arrived(total, at: time)
    }
    #expect(story.owingSince == 300)
    #expect(story.delivery.arrived == 2_000_000 && story.delivery.known == 20)
  }

  @Test func `a frozen peer with a small buffer owes from the last byte that its kernel took`() {
    var story = Story.answeringPings()
    story.wrote(60_000, at: 0)
    story.arrived(50_000, at: 100)
    story.ping(endingAt: 60_018, at: 250)
    story.wrote(60_018, at: 250)
    story.arrived(55_000, at: 400)
    story.arrived(55_000, at: 900)
    #expect(story.owingSince == 400)
  }

  @Test func `a throttled line that makes progress is never stalled`() {
    var story = Story.answeringPings()
    story.wrote(400_000, at: 0)
    story.ping(endingAt: 400_018, at: 250)
    story.wrote(400_018, at: 250)
    for step in 1...100 {  // 4 KB each 100 ms: the ping arrives after ten seconds
      story.arrived(Int64(step) * 4000, at: Int64(step) * 100)
      #expect(story.owed(at: Int64(step) * 100 + 99) < 1500)
    }
    story.arrived(400_018, at: 10_100)
    #expect(story.owingSince == 10_100)
    story.arrived(400_018, at: 11_000)
    #expect(story.owingSince == 10_100)
  }

  @Test func `a peer that reads its full buffer slowly and acknowledges is never stalled`() {
    var story = Story.answeringPings()
    story.wrote(1_000_000, at: 0)
    story.ping(endingAt: 1_000_018, at: 250)
    story.wrote(1_000_018, at: 250)
    story.arrived(1_000_018, at: 300)
    for step in 1...100 {
      story.acknowledged(Int64(step) * 8000, at: Int64(step) * 1000)
      #expect(story.owingSince == Int64(step) * 1000)
    }
  }

  @Test func `a ping that was read, by what the peer acknowledges, is not owed any more`() {
    var story = Story.answeringPings()
    story.wrote(1000, at: 0)
    story.ping(endingAt: 1018, at: 250)
    story.wrote(5000, at: 260)
    story.acknowledged(4096, at: 270)
    #expect(story.owingSince == nil && !story.delivery.isPinging)
    // The next one follows in its time, and the answer to the first may still come.
    #expect(!story.wantsPing(at: 509) && story.wantsPing(at: 510))
    let isOurs = story.pong(at: 280)
    #expect(isOurs && story.delivery.confirmed == 4096)
  }

  @Test func `a static slate at 150 kbit per second for ten minutes raises no doubt`() {
    for acknowledges in [true, false] {
      var story = Story.answeringPings()
      var (total, pings, worst): (Int64, Int, Int64) = (20, 0, 0)
      for step in 1...12_000 {
        let time = Int64(step) * 50
        total += 937
        story.wrote(total, at: time)
        story.arrived(total, at: time)
        if acknowledges, step % 5 == 0 { story.acknowledged(total, at: time + 2) }
        if story.wantsPing(at: time) {
          total += 18
          story.ping(endingAt: total, at: time)
          story.wrote(total, at: time)
          story.pong(at: time + 5)
          pings += 1
        }
        worst = max(worst, story.owed(at: time + 49))
      }
      #expect(worst < 50)
      #expect(acknowledges ? pings == 0 : (1500...2500).contains(pings))
    }
  }

  @Test func `a peer that acknowledges owes nothing for a window, then from the byte beyond it`() {
    var story = Story()
    story.wrote(4096, at: 0)
    story.acknowledged(4096, at: 5)
    #expect(story.delivery.known == 4096)
    for step in 1...8 { story.wrote(4096 + Int64(step) * 1024, at: Int64(step) * 100) }
    #expect(story.owingSince == nil && story.nextLook(at: 800) == nil)
    story.wrote(13_000, at: 900)  // twice the step that was seen
    story.arrived(13_000, at: 950)
    #expect(story.nextLook(at: 950) == 1000)
    #expect(story.owingSince == 950)
    story.wrote(50_000, at: 1500)
    story.arrived(50_000, at: 1550)
    #expect(story.owingSince == 950)
    story.acknowledged(50_000, at: 1600)
    #expect(story.owingSince == nil)
  }

  @Test func `a peer that acknowledges in big steps is not doubted between them`() {
    var story = Story()
    var worst: Int64 = 0
    for step in 1...1200 {  // 2.5 Mbit/s, acknowledged each 2.5 MB, thus each 8 s
      let (time, total) = (Int64(step) * 50, Int64(step) * 15_625)
      story.wrote(total, at: time)
      story.arrived(total, at: time + 1)
      if step % 160 == 0 { story.acknowledged(total - 500, at: time + 2) }
      if step % 320 == 0 { story.acknowledged(total, at: time + 3) }  // and the odd small one
      worst = max(worst, story.owed(at: time + 49))
    }
    #expect(worst < 100)
    #expect(story.delivery.acknowledges && !story.delivery.answersPings)
  }

  @Test func `what a peer finds to read after standing still is soon no measure of its steps`() {
    var story = Story()
    story.wrote(4096, at: 0)
    story.acknowledged(4096, at: 5)
    story.wrote(2_000_000, at: 100)
    story.arrived(2_000_000, at: 110)
    story.acknowledged(2_000_000, at: 3000)
    for step in 1...3 {
      story.wrote(2_000_000 + Int64(step) * 5000, at: 3000 + Int64(step) * 10)
      story.acknowledged(2_000_000 + Int64(step) * 5000, at: 3001 + Int64(step) * 10)
    }
    story.wrote(2_030_000, at: 3100)
    story.arrived(2_030_000, at: 3110)
    #expect(story.owingSince == 3110)
  }

  @Test func `of a peer that does neither, its kernel's word counts, and its silence there`() {
    var story = Story()
    story.wrote(1000, at: 0)
    #expect(story.owingSince == 0 && story.nextLook(at: 0) == 50)
    story.arrived(600, at: 300)
    #expect(story.delivery.known == 600 && story.owingSince == 300)
    story.arrived(1000, at: 400)
    #expect(story.delivery.known == 1000 && story.owingSince == nil)
    #expect(story.nextLook(at: 400) == nil)
  }

  @Test func `a peer that claims what it was not sent is believed up to what was`() {
    var story = Story()
    story.wrote(1000, at: 0)
    story.arrived(5000, at: 10)
    story.wrote(1000, at: 20)
    story.arrived(9000, at: 500)
    story.acknowledged(1 << 40, at: 600)
    #expect(story.delivery.confirmed == 1000 && story.delivery.arrived == 1000)
    story.wrote(20_000, at: 700)
    #expect(story.owingSince == 700)
    // The same word again, or a smaller one, proves nothing new.
    story.acknowledged(1000, at: 2000)
    story.acknowledged(3, at: 2000)
    #expect(story.owingSince == 700)
  }

  @Test(arguments: 0..<UInt64(100))
  func `whatever happens, confirmed ≤ arrived ≤ written, and nothing is owed from the future`(
    seed: UInt64
  ) throws {
    var random = Dice(seed: seed)
    var delivery = Delivery(window: 4096)
    var (now, sent, known): (Int64, Int64, Int64) = (0, 0, 0)
    var stamps: [UInt32] = [99]
    for step in 0..<1000 {
      now += Int64.random(in: 0...30_000_000, using: &random)
      let time = MonotonicTime(nanoseconds: now)
      let total = Int64.random(in: -100...(sent + 5000), using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        sent += Int64.random(in: 0...3000, using: &random)
        delivery.wrote(upTo: sent, at: time)
      case 2: delivery.arrived(upTo: total, at: time)
      case 3 where seed % 3 != 0: delivery.acknowledged(upTo: total, at: time)
      case 4:
        let stamp = delivery.newStamp()
        stamps.append(stamp)
        delivery.pinged(stamp, endingAt: sent + 18, at: time)
      case 5 where seed % 4 != 0:
        delivery.ponged(stamps.randomElement(using: &random) ?? 0, at: time)
      default: break
      }
      // Looking is never due at once, again and again, when there is nothing to be done.
      let look = delivery.nextLook(at: time)
      let holds =
        0 <= delivery.confirmed && delivery.confirmed <= delivery.arrived
        && delivery.arrived <= delivery.written && delivery.written <= sent
        && (delivery.owingSince().map { $0 <= time } ?? true)
        && (look.map { $0 > time || delivery.wantsPing(at: time) } ?? true)
        && (!delivery.isAnswering || delivery.known >= known)
      try #require(holds, "seed \(seed), step \(step): \(delivery)")
      known = delivery.isAnswering ? delivery.known : 0
    }
  }
}
