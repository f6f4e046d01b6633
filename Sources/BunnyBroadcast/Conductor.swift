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
  private let onStatus: @Sendable (BunnyLiveStreamIngestStatus) -> Void
  private let tasks = Mutex(Tasks())

  private struct Tasks {
    var conducting: Task<Void, Never>?
    var checking: Task<Void, Never>?
    var isStopped = false
  }

  /// - Parameters:
  ///   - onStatus: is told each answer about the ingests.
  ///   - onOver: is told when the stream is found to be over.
  init(
    _ plan: LivePlan, _ api: any LiveStreamRepository, readiness: Readiness, _ hub: EventHub,
    onStatus: @escaping @Sendable (BunnyLiveStreamIngestStatus) -> Void,
    onOver: @escaping @Sendable (BunnyLiveStreamStatus) -> Void
  ) {
    self.onStatus = onStatus
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

  /// Asks nothing more; returns when nothing more will be said.
  func stop() async {
    let running = tasks.withLock { tasks in
      tasks.isStopped = true
      return [tasks.conducting, tasks.checking].compactMap(\.self)
    }
    for task in running { task.cancel() }
    for task in running { await task.value }
  }

  private func conduct() async {
    let began = MonotonicTime.now
    var readiness = readiness
    var step = readiness.first
    var seen = Seen()
    while !Task.isCancelled {
      switch step {
      case .ask(let seconds), .watch(let seconds):
        if seconds > 0 { _ = try? await Task.sleep(for: .seconds(seconds)) }
        guard !Task.isCancelled else { return }
        let status = await ask(&seen)
        guard !Task.isCancelled else { return }
        let waited = Double(MonotonicTime.now - began) / 1e9
        let (next, saysIt) = readiness.answered(isReady: status?.readyToStart, after: waited)
        if saysIt { hub.send(.awaitingReady(trouble: seen.trouble?.description)) }
        step = next
      case .start: step = await start(&readiness)
      }
    }
  }

  /// What the API said last.
  private struct Seen {
    var primaryLive: Bool?
    var backupLive: Bool?
    /// Why it says nothing now.
    var trouble: BunnyLiveStreamError?
  }

  /// Asks for the status, and says what has changed: also that the API has gone, or is back.
  private func ask(_ seen: inout Seen) async -> BunnyLiveStreamIngestStatus? {
    do throws(BunnyLiveStreamError) {
      let status = try await api.ingestStatus(libraryId: plan.libraryId, streamId: plan.streamId)
      if seen.trouble != nil { hub.send(.notice(message: "Bunny's API answers again")) }
      seen.trouble = nil
      onStatus(status)
      if status.primaryLive != seen.primaryLive || status.backupLive != seen.backupLive {
        (seen.primaryLive, seen.backupLive) = (status.primaryLive, status.backupLive)
        hub.send(
          .ingestStatusChanged(primaryLive: status.primaryLive, backupLive: status.backupLive))
      }
      return status
    } catch {
      if !Task.isCancelled, error.kind != seen.trouble?.kind {
        hub.send(.notice(message: "\(error); media flows on, and it is asked again"))
        seen.trouble = error
      }
      return nil
    }
  }

  private func start(_ readiness: inout Readiness) async -> Readiness.Step {
    do throws(BunnyLiveStreamError) {
      try await api.startLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
    } catch {
      // Somebody else may have started it, or this call's answer was lost.
      let stream = try? await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
      if let stream, case .refuse(let status) = Admission(stream) { onOver(status) }
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

  private func check() async {
    let stream = try? await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
    if let stream, case .refuse(let status) = Admission(stream) { onOver(status) }
    tasks.withLock { $0.checking = nil }
  }
}
