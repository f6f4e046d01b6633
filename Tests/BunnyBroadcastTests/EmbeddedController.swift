import BunnyBroadcast
import BunnyCapture
import BunnyStreamAPI
import Support

/// A controller as a program has it, to an ingest and an API that a test has.
struct EmbeddedController {
  let ingest: ScriptedIngest
  let repository: ScriptedRepository
  let controller: BunnyBroadcastController
  let log = StateLog()

  /// - Parameter change: what is not as usual: a test picture of 320x180, and a tone.
  init(
    _ script: ScriptedRepository.Script = .init(),
    _ change: (inout BroadcastConfiguration) -> Void = { _ in }
  ) async throws {
    ingest = try ScriptedIngest()
    repository = ScriptedRepository(ingest, script)
    var configuration = BroadcastConfiguration.bunny(
      video: .test, audio: .tone, quality: FailoverTrial.quality)
    change(&configuration)
    var plan = LivePlan(libraryId: 1, streamId: "s")
    plan.stateFolder = nil  // nothing is remembered from test to test
    controller = BunnyBroadcastController(
      repository: repository, plan: plan, configuration: configuration)
    await log.follow(controller)
  }
}

/// Tells when all who hold it have gone.
final class Witness: Sendable {
  private let isGone: Watched<Bool>

  init(_ isGone: Watched<Bool>) { self.isGone = isGone }
  deinit { isGone.change { $0 = true } }
}

/// What the main actor is shown of a controller.
@MainActor final class StateLog: BunnyBroadcastControllerDelegate {
  nonisolated let states = Watched<[String]>([])
  nonisolated let records = Watched<[BunnyBroadcastRecord]>([])
  nonisolated let failures = Watched<[String]>([])

  nonisolated init() {}

  func follow(_ controller: BunnyBroadcastController) { controller.delegate = self }

  /// Waits until the state has been that.
  nonisolated func reaches(_ state: String, times: Int = 1) async throws {
    try await states.reach(state) { $0.count { $0 == state } >= times }
  }

  /// Waits until all of so many broadcasts has been told.
  nonisolated func isOver(times: Int = 1) async throws {
    try await records.reach("the end") { $0.count { $0.event.name == "ended" } >= times }
  }

  func broadcast(
    _ controller: BunnyBroadcastController, didChangeTo state: BunnyBroadcastState
  ) {
    states.change { $0.append(state.name) }
  }

  func broadcast(
    _ controller: BunnyBroadcastController, didReport record: BunnyBroadcastRecord
  ) {
    records.change { $0.append(record) }
  }

  func broadcast(_ controller: BunnyBroadcastController, didFailWith message: String) {
    failures.change { $0.append(message) }
  }
}

extension BunnyBroadcastEvent {
  /// The case's name.
  var name: String { String("\(self)".prefix { $0.isLetter }) }
}
