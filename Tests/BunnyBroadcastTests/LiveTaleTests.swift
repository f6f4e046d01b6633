import BunnyBroadcast
import BunnyCapture
import BunnyStreamAPI
import BunnySystem
import Foundation
import Synchronization
import Testing

/// A live broadcast in a ``VirtualWorld`` in which nothing happens by chance; it was broadcast to before.
private final class LiveTale: Sendable {
  let world = VirtualWorld(seed: 1)
  let bunny: VirtualBunny
  let broadcast: LiveBroadcast
  private let events = Mutex<[BunnyBroadcastEvent]>([])

  init() {
    var plan = LivePlan(libraryId: 1, streamId: "s")
    plan.stateFolder = "memory"
    bunny = VirtualBunny(world, plan, faults: 0, latency: .zero)
    broadcast = LiveBroadcast(plan, api: bunny, in: bunny.live) { primary, backup in
      var configuration = BroadcastConfiguration.bunny(video: .test, audio: .silence)
      (configuration.ingest, configuration.backup) = (primary, backup)
      return configuration
    }
    var record = StreamRecord(key: "s-0")
    (record.primaryIngest, record.backupIngest) = ("rtmp://a/live", "rtmp://b/live")
    record.publishing = .init(bootId: "b", at: world.now, serverTime: nil, hasLeft: true)
    world.memory.remember(record, of: "s")
  }

  func begin() {
    let stream = broadcast.events()
    world.task { [self] in
      for await event in stream { events.withLock { $0.append(event) } }
    }
    world.task { [broadcast] in _ = try? await broadcast.run() }
  }

  /// What was told, in a word each.
  var told: [String] { events.withLock { $0.map(\.name) } }
  var left: [String] {
    events.withLock { events in
      events.compactMap { if case .left(let reason) = $0 { reason } else { nil } }
    }
  }
  var isCarried: Bool { !bunny.isQuiet() }
  /// Of all calls.
  var calls: Int {
    ["get", "status", "start", "stop", "create", "list"].map(bunny.count).reduce(0, +)
  }
}

/// Moments that matter, one by one.
struct LiveTaleTests {
  private static let down = BunnyLiveStreamError(kind: .server, statusCode: 500)
  private static func busy(for seconds: Int) -> BunnyLiveStreamError {
    var error = BunnyLiveStreamError(kind: .server, statusCode: 503)
    error.retryAfter = .seconds(seconds)
    return error
  }

  private let tale = LiveTale()

  @Test(arguments: [true, false])
  func `what we have sent is ended although nobody tells whose it is, and nothing else is`(
    _ isSent: Bool
  ) {
    for call in ["get", "status"] { tale.bunny.fails(call, Self.down) }
    if !isSent { tale.bunny.ingestsGoDown(for: .seconds(1000)) }
    tale.bunny.mayStop(isSent)
    tale.begin()
    tale.world.pass(.seconds(20))
    #expect(tale.isCarried == isSent)
    tale.broadcast.end()
    tale.world.pass(.seconds(60))
    #expect(tale.bunny.count("stop") == (isSent ? 1 : 0))
    #expect(tale.told.contains("streamEnded") == isSent && tale.told.last == "ended")
    #expect(tale.left.count { $0.hasPrefix("it was to be ended, and is not") } == (isSent ? 0 : 1))
    #expect(tale.bunny.wrongs == [])
  }

  @Test func `what we have sent is asked about before it is ended, and somebody else's is left`() {
    for call in ["get", "status"] { tale.bunny.fails(call, Self.down) }
    tale.begin()
    tale.world.pass(.seconds(20))
    #expect(tale.isCarried)
    tale.bunny.strangerIsAtBackup()
    tale.bunny.fails("status", nil)
    tale.broadcast.end()
    tale.world.pass(.seconds(60))
    #expect(tale.bunny.count("status") == 1 && tale.bunny.count("stop") == 0)
    #expect(tale.left == ["it was to be ended, and is somebody else's"])
    #expect(tale.told.last == "ended" && tale.bunny.wrongs == [])
  }

  @Test func `a server that wants to be left alone is, while what is remembered is on air`() {
    tale.bunny.fails("get", Self.busy(for: 60))
    tale.begin()
    tale.world.pass(.seconds(59))
    #expect(tale.isCarried && tale.calls == 1)
    tale.bunny.fails("get", nil)
    tale.world.pass(.seconds(8))
    #expect(tale.bunny.count("get") > 1 && tale.told.contains("running"))
    tale.broadcast.stop()
    tale.world.pass(.seconds(10))
    #expect(tale.told.last == "ended" && tale.bunny.wrongs == [])
  }

  @Test func `a stream's time comes although the server wants to be left alone beyond it`() {
    let begins = tale.world.date + 40
    tale.bunny.change { $0.begins = begins }
    tale.begin()
    tale.world.pass(.seconds(35.5))
    tale.bunny.fails("get", Self.busy(for: 300))
    tale.world.pass(.seconds(1))
    let calls = tale.calls
    tale.world.pass(.seconds(3))
    #expect(!tale.isCarried)
    tale.world.pass(.seconds(3))
    #expect(tale.isCarried)
    tale.world.pass(.seconds(250))
    #expect(tale.calls == calls)
    tale.bunny.fails("get", nil)
    tale.world.pass(.seconds(100))
    #expect(tale.calls > calls && tale.told.contains("running") && tale.bunny.wrongs == [])
  }

  @Test func `what is on air from memory is started at its time, to the moment`() {
    let begins = tale.world.date + 95
    tale.bunny.change { $0.begins = begins }
    tale.bunny.fails("get", Self.down)
    tale.begin()
    tale.world.pass(.seconds(12))
    tale.bunny.fails("get", nil)
    tale.world.pass(.seconds(82.9))
    #expect(tale.isCarried && tale.bunny.count("start") == 0)
    tale.world.pass(.seconds(0.2))
    #expect(tale.bunny.count("start") == 1 && tale.told.contains("running"))
    #expect(tale.bunny.wrongs == [])
  }
}
