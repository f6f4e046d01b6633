import BunnyBroadcast
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Support
import Testing

/// A library that embeds a live broadcast: what follows a stream that is over.
@Suite(.serialized) struct LiveGoingOnTests {
  @Test func `a broadcast that waits goes on when the stream can be published to again`()
    async throws
  {
    let live = try EmbeddedBroadcast { plan in
      (plan.onEnded, plan.lookPause) = (.wait, .milliseconds(100))
    }
    let running = try await live.start()
    live.repository.change { $0.status = [.ended] }
    live.ingest.command(.close)
    let asked = live.repository.count("get")
    try await live.repository.waitFor("get", times: asked + 4)
    live.repository.change { $0.status = [.created] }
    try await live.ingest.waitUntil { $0.last.map { $0.media.count > 5 } ?? false && $0.count > 1 }
    live.broadcast.stop()
    let totals = try await running.value
    #expect(totals.connections == 2)
    let said = await live.said()
    #expect(said.count { if case .streamOver = $0 { true } else { false } } == 1)
    #expect(live.repository.count("stop") == 0)
  }

  @Test func `a successor that cannot be made while the API is away is made once it answers`()
    async throws
  {
    let live = try EmbeddedBroadcast { $0.onEnded = .create }
    let running = try await live.start()
    let away = BunnyLiveStreamError(kind: .transport, message: "unreachable")
    live.repository.change { script in
      script.over = ["s"]
      (script.lists, script.creates) = ([away, away, nil], [away, nil])
    }
    live.ingest.command(.close)
    try await live.repository.waitFor("create", times: 2)
    try await live.repository.waitFor("get", times: live.repository.count("get") + 1)
    live.broadcast.stop()
    _ = try await running.value
    #expect(live.repository.count("create") == 2)
    let said = await live.said().map(\.name)
    #expect(said.count { $0 == "streamOver" } == 1 && said.count { $0 == "streamCreated" } == 1)
    #expect(said.count { $0 == "askingAgain" } == 3, "\(said)")
  }

  @Test func `a successor that an earlier process made is gone on with although the API is away`()
    async throws
  {
    let folder = try TemporaryDirectory()
    let live = try EmbeddedBroadcast { plan in
      (plan.onEnded, plan.stateFolder) = (.create, folder.path)
    }
    var (old, new) = (StreamRecord(key: "old"), StreamRecord(key: "new"))
    (old.primaryIngest, new.primaryIngest) = (live.repository.ingest, live.repository.ingest)
    old.publishing = .init(bootId: "b", at: .now, serverTime: nil, hasLeft: true)
    (new.publishing, old.successor) = (old.publishing, "s2")
    for (id, record) in [("s", old), ("s2", new)] {
      try StreamStore(folder: folder.file("streams"), streamId: id).save(record)
    }
    live.repository.change {
      $0.gets = [BunnyLiveStreamError(kind: .transport, message: "unreachable")]
    }
    let running = try await live.start()
    let asked = live.ingest.visits.first?.commands.flatMap(\.arguments) ?? []
    #expect(asked.contains(.string("new")) && !asked.contains(.string("old")))
    live.broadcast.stop()
    _ = try await running.value
    let notices = await live.said().compactMap { event in
      if case .notice(let message) = event { message } else { nil }
    }
    #expect(notices.first == "going on with s2, which was made in the place of s")
    #expect(notices.contains { $0.hasSuffix("where this machine published last, meanwhile") })
    let times = live.repository.calls.filter { $0.name == "get" }.prefix(6).map(\.at)
    #expect(times.count >= 5 && times[4] - times[0] > .seconds(3), "five seconds are given")
  }

  @Test func `a broadcast that waits for a stream that is over can be ended`() async throws {
    let live = try EmbeddedBroadcast { $0.onEnded = .wait }
    live.repository.change { $0.status = [.error] }
    let running = Task { [broadcast = live.broadcast] in try await broadcast.run() }
    try await live.repository.waitFor("get")
    live.broadcast.end()
    _ = try await running.value
    #expect(await live.left() == [])
    #expect(live.repository.count("stop") == 0)
  }

  @Test func `who publishes elsewhere is not fought, and told`() async throws {
    let live = try EmbeddedBroadcast()
    live.repository.change { $0.lastPingAgo = 800 }
    let error = await #expect(throws: BroadcastError.self) { try await live.broadcast.run() }
    #expect(
      error?.description
        == "somebody else publishes to the live stream s: an ingest heard of them 0.8 s ago; end "
        + "that broadcast, or give --takeover")
    #expect(live.ingest.visits.isEmpty)
    #expect(await live.left() == [])
  }

  @Test func `a session of this process is not somebody else's`() async throws {
    let live = try EmbeddedBroadcast { plan in
      (plan.onEnded, plan.lookPause) = (.wait, .milliseconds(100))
    }
    let running = try await live.start()
    live.repository.change { script in
      script.status = [.ended, .running]
      script.lastPingAgo = 100
    }
    live.ingest.command(.close)
    try await live.ingest.waitUntil { $0.last.map { $0.media.count > 5 } ?? false && $0.count > 1 }
    live.broadcast.stop()
    _ = try await running.value
  }
}
