import BunnySandbox
import BunnySystem
import Testing

struct LiveStateTests {
  private var live = LiveState(readyAfter: .seconds(1))

  @Test func `an encoder makes the stream a preview, start runs it, stop ends it`() {
    var live = live
    #expect(live.status == .created)
    #expect(live.publishes("1", on: .primary) == true)
    #expect(live.status == .preview)
    #expect(live.start(at: second(1)) == .done)
    #expect(live.status == .running)
    #expect(live.stop(at: second(9.5)) == .done)
    #expect(live.status == .ended)
    #expect(live.duration(at: second(20)) == 8)
  }

  @Test func `start is refused before an encoder is there`() {
    var live = live
    #expect(
      live.start(at: second(1))
        == .refused("The live stream cannot be started: no encoder is publishing to it."))
    #expect(live.status == .created && live.duration(at: second(2)) == nil)
  }

  @Test func `what is done already fails inside a 200`() {
    var live = live
    _ = live.publishes("1", on: .primary)
    _ = live.start(at: second(1))
    #expect(live.start(at: second(2)) == .failed("The live stream is running already."))
    _ = live.stop(at: second(3))
    #expect(live.stop(at: second(4)) == .failed("The live stream has ended already."))
    #expect(live.duration(at: second(9)) == 2)
  }

  @Test func `an ended stream takes no encoder and cannot be started`() {
    var live = live
    _ = live.publishes("1", on: .primary)
    _ = live.stop(at: second(1))
    #expect(live.publishes("2", on: .backup) == false)
    #expect(
      live.start(at: second(2)) == .refused("The live stream cannot be started: it has ended."))
  }

  @Test func `an ingest is live while an encoder is there and media flows`() {
    var live = live
    live.mediaCame(on: .primary, at: second(0))
    #expect(!live.isLive(.primary, at: second(0)))
    _ = live.publishes("1", on: .primary)
    #expect(live.isLive(.primary, at: second(0)) && live.isLive(.primary, at: second(2)))
    #expect(!live.isLive(.primary, at: second(2.1)))
    live.mediaCame(on: .primary, at: second(3))
    #expect(live.isLive(.primary, at: second(3)) && !live.isLive(.backup, at: second(3)))
    live.died(.primary)
    #expect(!live.isLive(.primary, at: second(3)))
  }

  @Test func `a refused second encoder that leaves takes nothing away`() {
    var live = live
    _ = live.publishes("1", on: .backup)
    live.mediaCame(on: .backup, at: second(1))
    #expect(live.leaves("2", .backup) == false)
    #expect(live.isLive(.backup, at: second(1)))
    #expect(live.leaves("1", .backup) == true)
    #expect(!live.isLive(.backup, at: second(1)))
  }

  @Test func `it is ready once media has flowed for a while, and not after a pause`() {
    var live = live
    _ = live.publishes("1", on: .primary)
    for time in stride(from: 0, through: 0.9, by: 0.1) {
      live.mediaCame(on: .primary, at: second(time))
    }
    #expect(!live.isReady(at: second(0.9)))
    #expect(live.isReady(at: second(1)))
    live.mediaCame(on: .primary, at: second(5))
    #expect(!live.isReady(at: second(5.5)))
    #expect(live.isReady(at: second(6)))
    live.force(.error, at: second(6))
    #expect(!live.isReady(at: second(6)))
  }

  @Test func `the last ping is the younger of the two ingests'`() {
    var live = live
    #expect(live.lastPingAgo(at: second(1)) == nil)
    live.mediaCame(on: .primary, at: second(1))
    live.mediaCame(on: .backup, at: second(2))
    #expect(live.lastPingAgo(at: second(2.85)) == 850)
  }
}

func second(_ seconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: .seconds(1000) + .seconds(seconds))
}
