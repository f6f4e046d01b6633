import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnyStreamAPI
import Support

/// A live broadcast as a library's user has it, to an ingest and an API that a test has.
struct EmbeddedBroadcast {
  let ingest: ScriptedIngest
  let repository: ScriptedRepository
  let broadcast: LiveBroadcast
  private let duration = Watched<Duration?>(nil)
  private let events: AsyncStream<BunnyBroadcastEvent>

  init(
    _ script: ScriptedRepository.Script = .init(), retry: BroadcastConfiguration.Retry = .always,
    _ change: (inout LivePlan) -> Void = { _ in }
  ) throws {
    ingest = try ScriptedIngest()
    repository = ScriptedRepository(ingest, script)
    var plan = LivePlan(libraryId: 1, streamId: "s")
    plan.retry = retry
    plan.stateFolder = nil  // nothing is remembered from test to test
    change(&plan)
    broadcast = LiveBroadcast(plan, api: repository) { [duration] primary, _ in
      var configuration = BroadcastConfiguration(
        ingest: primary, video: .test, audio: .tone, quality: .sd480)
      configuration.duration = duration.current
      return configuration
    }
    events = broadcast.events()
  }

  /// Begins, and returns when media flows.
  func start(_ duration: Duration? = nil) async throws -> Task<BroadcastTotals, any Error> {
    self.duration.change { $0 = duration }
    let running = Task { [broadcast] in try await broadcast.run() }
    try await ingest.waitUntil { $0.first.map { $0.media.count > 5 } ?? false }
    return running
  }

  /// All that was said, once it is over.
  func said() async -> [BunnyBroadcastEvent] { await events.reduce(into: []) { $0.append($1) } }

  /// Why the stream was left, each time that was said.
  func left() async -> [String] {
    await said().compactMap { if case .left(let reason) = $0 { reason } else { nil } }
  }
}
