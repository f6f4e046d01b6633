import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Support
import Testing

/// What a live broadcast asks of Bunny's API, and what it makes of the answers.
@Suite struct ConductorTests {
  private static let failing = BunnyLiveStreamError(kind: .server, statusCode: 503)
  private static let forbidden = BunnyLiveStreamError(kind: .unauthorized, statusCode: 401)

  private func script(
    _ change: (inout ScriptedRepository.Script) -> Void
  ) -> ScriptedRepository.Script {
    var script = ScriptedRepository.Script()
    script.status = [.created]
    change(&script)
    return script
  }

  private func notices(_ events: [BunnyBroadcastEvent]) -> [String] {
    events.compactMap { if case .notice(let message) = $0 { message } else { nil } }
  }

  private func runs(_ events: [BunnyBroadcastEvent]) -> Int {
    events.count { if case .running = $0 { true } else { false } }
  }

  @Test func `it asks every second until the stream is ready, then every five`() async throws {
    let live = try EmbeddedBroadcast(
      script { $0.ready = [.success(false), .success(false), .success(true)] })
    let running = try await live.start()
    try await live.repository.waitFor("status", times: 5)
    live.broadcast.stop()
    _ = try await running.value
    let times = live.repository.calls.filter { $0.name == "status" }.map(\.at)
    let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) / 1e9 }
    for (gap, wanted) in zip(gaps, [1.0, 1, 5, 5]) {
      #expect(gap >= 0.9 * wanted && gap < 1.1 * wanted + 1.5)
    }
    #expect(
      live.repository.calls.map(\.name).prefix(5) == ["get", "status", "status", "status", "start"])
    #expect(runs(await live.said()) == 1)
  }

  @Test func `a start that fails is made again, and media flows on`() async throws {
    let live = try EmbeddedBroadcast(script { $0.starts = [Self.failing, Self.failing, nil] })
    let running = try await live.start()
    try await live.repository.waitFor("start", times: 3)
    live.broadcast.stop()
    _ = try await running.value
    let events = await live.said()
    #expect(runs(events) == 1)
    #expect(notices(events).count { $0.hasSuffix("; media flows on, and it is tried again") } == 2)
    #expect(!events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test func `a start that is refused for good is said once, and tried on`() async throws {
    let live = try EmbeddedBroadcast(script { $0.starts = [Self.forbidden, Self.forbidden, nil] })
    let running = try await live.start()
    try await live.repository.waitFor("start", times: 3)
    live.broadcast.stop()
    _ = try await running.value
    let refused = await live.said().count { if case .startRefused = $0 { true } else { false } }
    #expect(refused == 1)
  }

  @Test(arguments: [true, false])
  func `a stream whose time comes while the API is away is published to, and shown later`(
    _ isBack: Bool
  ) async throws {
    let live = try EmbeddedBroadcast(
      script {
        ($0.beginsAfter, $0.statusAfterStart) = (4, .running)
        ($0.trouble, $0.tellsBefore) = (Self.failing, 1)
      })
    let running = Task { [broadcast = live.broadcast] in try await broadcast.run() }
    try await live.ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    #expect(live.repository.count("start") == 0)
    if isBack {
      live.repository.change { ($0.trouble, $0.beginsAfter) = (nil, nil) }
      try await live.repository.waitFor("start")
      live.broadcast.stop()
      _ = try await running.value
    } else {
      live.broadcast.stop()
      let error = await #expect(throws: BroadcastError.self) { try await running.value }
      #expect(
        error?.description.hasSuffix("`bunny-broadcast streams start s` does it later") == true)
    }
    let events = await live.said()
    #expect(
      notices(events).count { $0.contains("the stream's time has come: publishing as was told") }
        == 1)
    #expect(runs(events) == (isBack ? 1 : 0))
  }

  @Test func `a start whose answer was lost is not made again`() async throws {
    let live = try EmbeddedBroadcast(
      script {
        $0.statusAfterStart = .running
        $0.starts = [BunnyLiveStreamError(kind: .transport, message: "lost")]
      })
    let running = try await live.start()
    try await live.repository.waitFor("status", times: 2)
    live.broadcast.stop()
    _ = try await running.value
    #expect(live.repository.count("start") == 1)
    #expect(runs(await live.said()) == 1)
  }

  @Test func `a stream that has ended before it was started ends the broadcast`() async throws {
    let live = try EmbeddedBroadcast(
      script {
        $0.statusAfterStart = .ended
        $0.starts = [BunnyLiveStreamError(kind: .invalidRequest, statusCode: 400)]
      })
    let error = await #expect(throws: BroadcastError.self) { _ = try await live.broadcast.run() }
    guard case .streamOver("s", .ended) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(live.repository.count("start") == 1 && live.repository.count("stop") == 0)
  }

  @Test func `an API that stops answering is said once, and once that it is back`() async throws {
    let live = try EmbeddedBroadcast(
      script {
        $0.ready =
          [.success(false), .failure(Self.forbidden), .failure(Self.forbidden)]
          + [.success(true)]
      })
    let running = try await live.start()
    try await live.repository.waitFor("start")
    live.broadcast.stop()
    _ = try await running.value
    let notices = notices(await live.said())
    #expect(notices.count { $0.contains("the access key was refused (HTTP 401)") } == 1)
    #expect(notices.count { $0 == "Bunny's API answers again" } == 1)
  }

  @Test func `a backup ingest that cannot be used is said, and does without`() async throws {
    let live = try EmbeddedBroadcast(script { $0.backupURL = "gopher://backup" })
    let running = try await live.start()
    live.broadcast.stop()
    _ = try await running.value
    #expect(notices(await live.said()).count { $0.hasPrefix("there is no backup ingest: ") } == 1)
  }

  @Test func `a key that is missing is asked for, although nothing else is tried again`()
    async throws
  {
    let live = try EmbeddedBroadcast(script { $0.key = nil }, retry: .never)
    let running = Task { [broadcast = live.broadcast] in try await broadcast.run() }
    try await live.repository.waitFor("get", times: 2)
    live.repository.change { $0.key = "key" }
    try await live.ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    live.broadcast.stop()
    _ = try await running.value
  }

  @Test func `what was muted before the stream was found is as it was set last`() async throws {
    let live = try EmbeddedBroadcast(script { $0.key = nil })
    let running = Task { [broadcast = live.broadcast] in try await broadcast.run() }
    live.broadcast.isMuted = true
    try await live.repository.waitFor("get")
    #expect(live.broadcast.isMuted)
    #expect(live.broadcast.statistics.state == "waiting")
    live.broadcast.isMuted = false
    live.repository.change { $0.key = "key" }
    try await live.ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    #expect(!live.broadcast.isMuted)
    live.broadcast.stop()
    _ = try await running.value
    #expect(live.broadcast.statistics.state == "idle")
  }
}
