import BunnyStreamAPI
import BunnySystem
import Synchronization

/// Asks Bunny's API what ``Readiness`` says, from the moment an ingest has accepted the stream. Media
/// never waits for it.
final class Conductor: Sendable {
  private let plan: LivePlan
  private let api: any LiveStreamRepository
  private let readiness: Readiness
  private let hub: EventHub
  private let onOver: @Sendable (BunnyLiveStreamStatus) -> Void
  private let tasks = Mutex(Tasks())

  private struct Tasks {
    var conducting: Task<Void, Never>?
    var checking: Task<Void, Never>?
    var isStopped = false
  }

  /// - Parameter onOver: is told when the stream is found to be over.
  init(
    _ plan: LivePlan, _ api: any LiveStreamRepository, readiness: Readiness, _ hub: EventHub,
    onOver: @escaping @Sendable (BunnyLiveStreamStatus) -> Void
  ) {
    self.plan = plan
    self.api = api
    self.readiness = readiness
    self.hub = hub
    self.onOver = onOver
  }

  /// Begins when an ingest accepts the stream; when one is lost or refuses, looks whether the stream
  /// is over: a server ends a publish so.
  func take(_ event: BunnyBroadcastEvent) {
    switch event {
    case .started:
      tasks.withLock { tasks in
        guard tasks.conducting == nil, !tasks.isStopped else { return }
        tasks.conducting = Task { await self.conduct() }
      }
    case .reconnecting:
      tasks.withLock { tasks in
        guard tasks.checking == nil, !tasks.isStopped else { return }
        tasks.checking = Task { await self.check() }
      }
    default: break
    }
  }

  func stop() {
    let running = tasks.withLock { tasks in
      tasks.isStopped = true
      return [tasks.conducting, tasks.checking]
    }
    for task in running { task?.cancel() }
  }

  private func conduct() async {
    let began = MonotonicTime.now
    var readiness = readiness
    var step = readiness.first
    var seen: (Bool?, Bool?) = (nil, nil)
    while !Task.isCancelled {
      switch step {
      case .ask(let seconds), .watch(let seconds):
        if seconds > 0 { _ = try? await Task.sleep(for: .seconds(seconds)) }
        guard !Task.isCancelled else { return }
        let status = try? await api.ingestStatus(
          libraryId: plan.libraryId, streamId: plan.streamId)
        if let status { report(status, &seen) }
        let waited = Double(MonotonicTime.now - began) / 1e9
        let (next, saysIt) = readiness.answered(isReady: status?.readyToStart, after: waited)
        if saysIt { hub.send(.awaitingReady(apiAnswers: status != nil)) }
        step = next
      case .start: step = await start(&readiness)
      }
    }
  }

  private func start(_ readiness: inout Readiness) async -> Readiness.Step {
    do throws(BunnyLiveStreamError) {
      try await api.startLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
    } catch {
      // Somebody else may have started it, or this call's answer was lost.
      let stream = try? await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
      guard stream?.status == .running else {
        if !Task.isCancelled {
          hub.send(.notice(message: "\(error); media flows on, and it is tried again"))
        }
        return readiness.startFailed()
      }
    }
    hub.send(.running)
    return readiness.started()
  }

  private func report(_ status: BunnyLiveStreamIngestStatus, _ seen: inout (Bool?, Bool?)) {
    guard status.primaryLive != seen.0 || status.backupLive != seen.1 else { return }
    seen = (status.primaryLive, status.backupLive)
    hub.send(
      .ingestStatusChanged(primaryLive: status.primaryLive, backupLive: status.backupLive))
  }

  private func check() async {
    let stream = try? await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
    if let stream, case .refuse(let status) = Admission(stream) { onOver(status) }
    tasks.withLock { $0.checking = nil }
  }
}
