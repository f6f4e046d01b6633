import BunnyBroadcast
import BunnyStreamAPI
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
