import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnyStreamAPI
import Support
import Synchronization
import Testing

/// A library that embeds a live broadcast: what ends the stream, and what leaves it.
@Suite(.serialized) struct LiveEndTests {
  /// A stream that runs, at an ingest that a test has.
  private final class Repository: LiveStreamRepository {
    private let ingest: String
    private let stops = Mutex(0)
    var stopCount: Int { stops.withLock { $0 } }

    init(_ ingest: ScriptedIngest) { self.ingest = "rtmp://127.0.0.1:\(ingest.port)/live" }

    func getLiveStream(
      libraryId: Int, streamId: String
    ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
      BunnyLiveStream(id: streamId, streamKey: "key", primaryIngestUrl: ingest, status: .running)
    }

    func ingestStatus(
      libraryId: Int, streamId: String
    ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
      BunnyLiveStreamIngestStatus(readyToStart: true, primaryLive: true, backupLive: false)
    }

    func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
      Issue.record("started")
    }

    func stopLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
      stops.withLock { $0 += 1 }
    }
  }

  private let ingest: ScriptedIngest
  private let repository: Repository

  init() throws {
    ingest = try ScriptedIngest()
    repository = Repository(ingest)
  }

  private func broadcast(_ duration: Duration? = nil) -> LiveBroadcast {
    LiveBroadcast(LivePlan(libraryId: 1, streamId: "s"), api: repository) { primary, _ in
      var configuration = BroadcastConfiguration(
        ingest: primary, video: .test, audio: .tone, quality: .sd480)
      configuration.duration = duration
      return configuration
    }
  }

  private func live() async throws {
    try await ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
  }

  @Test(arguments: [nil, Duration.seconds(60)])
  func `a task that is cancelled leaves the stream`(_ duration: Duration?) async throws {
    let broadcast = broadcast(duration)
    let events = broadcast.events()
    let running = Task { try await broadcast.run() }
    try await live()
    running.cancel()
    _ = try await running.value
    #expect(repository.stopCount == 0)
    var left: [String] = []
    for await case .left(let reason) in events { left.append(reason) }
    #expect(left == ["cancelled"])
  }

  @Test func `stop leaves the stream, although end comes later`() async throws {
    let broadcast = broadcast()
    let running = Task { try await broadcast.run() }
    try await live()
    broadcast.stop()
    broadcast.end()
    _ = try await running.value
    #expect(repository.stopCount == 0)
  }

  @Test func `end ends the stream once`() async throws {
    let broadcast = broadcast()
    let running = Task { try await broadcast.run() }
    try await live()
    broadcast.end()
    broadcast.end()
    _ = try await running.value
    #expect(repository.stopCount == 1)
  }

  @Test func `a duration that is over ends the stream once`() async throws {
    _ = try await broadcast(.seconds(1)).run()
    #expect(repository.stopCount == 1)
  }
}
