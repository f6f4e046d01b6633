import BunnyStreamAPI
import BunnySystem
import Synchronization

/// Asks Bunny's API what ``Readiness`` says, from the moment an ingest has accepted the stream. Media
/// never waits for it.
final class Conductor: Sendable {
  /// Is told what the API answers.
  struct Listener: Sendable {
    /// About the ingests.
    let onStatus: @Sendable (BunnyLiveStreamIngestStatus) -> Void
    /// About the stream.
    let onStream: @Sendable (BunnyLiveStream) -> Void
    /// That what is published to from memory is there.
    ///
    /// - Returns: Whether it may be published to.
    let onFound: @Sendable () async -> Bool
    /// That viewers see the stream.
    let onShown: @Sendable () -> Void
    /// That the stream is over.
    let onEnd: @Sendable (StreamWatch.End) -> Void
    /// An ingest takes media.
    let isCarried: @Sendable () -> Bool
    /// Nobody has asked for an end.
    let isWanted: @Sendable () -> Bool
  }

  private let plan: LivePlan
  private let id: String
  private let api: any LiveStreamRepository
  private let world: LiveWorld
  private let readiness: Readiness
  private let hub: EventHub
  private let listener: Listener
  private let state = Mutex(State())

  private struct State {
    var conducting: Task<Void, Never>?
    var checking: Task<Void, Never>?
    /// One at a time asks for the stream.
    var looking: Task<Answer<BunnyLiveStream>, Never>?
    var isStopped = false
    var watch = StreamWatch()
    var clock: ServerClock?
    var startFailure: BunnyLiveStreamError?
    /// Why the API says nothing now.
    var trouble: BunnyLiveStreamError?
  }

  /// - Parameter trouble: why the API has said nothing so far.
  init(
    _ plan: LivePlan, _ id: String, _ api: any LiveStreamRepository, _ world: LiveWorld,
    readiness: Readiness, trouble: BunnyLiveStreamError?, _ hub: EventHub, _ listener: Listener
  ) {
    (self.plan, self.id, self.api, self.world) = (plan, id, api, world)
    (self.readiness, self.hub, self.listener) = (readiness, hub, listener)
    state.withLock { $0.trouble = trouble }
  }

  /// Why the stream was not started, when that was tried, or why the API does not let it be.
  var trouble: BunnyLiveStreamError? { state.withLock { $0.startFailure ?? $0.trouble } }

  /// Begins when an ingest accepts the stream; when one is lost or refuses, looks whether the stream
  /// is over, or has another key: a server ends a publish so.
  func take(_ event: BunnyBroadcastEvent) {
    switch event {
    case .started: begin()
    case .reconnecting:
      state.withLock { state in
        guard state.checking == nil, !state.isStopped else { return }
        state.checking = world.task { await self.check() }
      }
    default: break
    }
  }

  /// Begins, unless it has.
  func begin() {
    state.withLock { state in
      guard state.conducting == nil, !state.isStopped else { return }
      state.conducting = world.task { await self.conduct() }
    }
  }

  /// Asks nothing more; returns when nothing more will be said.
  func stop() async {
    let (looking, running) = state.withLock { state in
      state.isStopped = true
      return (state.looking, [state.conducting, state.checking].compactMap(\.self))
    }
    looking?.cancel()
    for task in running { task.cancel() }
    for task in running { await task.value }
  }

  private func conduct() async {
    let began = world.now()
    var readiness = readiness
    var step = readiness.first
    var (seen, asked) = (Seen(), 0)
    while !Task.isCancelled, !state.withLock({ $0.isStopped }) {
      switch step {
      case .find(let seconds, let longest):
        await pause(seconds, atMost: longest)
        guard !Task.isCancelled else { return }
        step = await find(&readiness, &seen)
      case .ask(let seconds), .watch(let seconds):
        await pause(seconds)
        guard !Task.isCancelled else { return }
        let status = await ask(&seen)
        asked += 1
        // Also one that is not ready may be over.
        if case .watch = step {
          await watch(status)
        } else if asked.isMultiple(of: 5) {
          _ = await look()
        }
        guard !Task.isCancelled else { return }
        let waited = Double(world.now() - began) / 1e9
        let isReady = (try? status.get())?.readyToStart
        let (next, saysIt) = readiness.answered(
          isReady: isReady, after: waited, retryAfter: status.failure?.retryAfter)
        if saysIt { hub.send(.awaitingReady(trouble: seen.trouble?.description)) }
        step = next
      case .start:
        guard listener.isWanted() else { return }
        step = await start(&readiness)
      }
    }
  }

  /// Up to a tenth more, so that a thousand kiosks do not ask in the same instant; never less, which a
  /// server may have forbidden, and no more than `longest`, when a stream's time comes.
  private func pause(_ seconds: Double, atMost longest: Double? = nil) async {
    guard seconds > 0 else { return }
    let spread = seconds * (1 + world.chance() / 10)
    _ = try? await world.sleep(.seconds(min(spread, longest ?? spread)))
  }

  // MARK: What is asked

  /// What the API said last.
  private struct Seen {
    var primaryLive: Bool?
    var backupLive: Bool?
    /// Why it says nothing now.
    var trouble: BunnyLiveStreamError?
  }

  private typealias Answer<Value> = Result<Value, BunnyLiveStreamError>

  /// Asks for the status, and says what has changed: also that the API has gone, or is back.
  private func ask(_ seen: inout Seen) async -> Answer<BunnyLiveStreamIngestStatus> {
    do throws(BunnyLiveStreamError) {
      let status = try await api.ingestStatus(libraryId: plan.libraryId, streamId: id)
      answered(&seen)
      if let time = status.statusTime {
        state.withLock { $0.clock = ServerClock(time, at: world.now()) }
      }
      listener.onStatus(status)
      if status.primaryLive != seen.primaryLive || status.backupLive != seen.backupLive {
        (seen.primaryLive, seen.backupLive) = (status.primaryLive, status.backupLive)
        hub.send(
          .ingestStatusChanged(primaryLive: status.primaryLive, backupLive: status.backupLive))
      }
      return .success(status)
    } catch {
      failed(error, &seen)
      return .failure(error)
    }
  }

  private func answered(_ seen: inout Seen) {
    if seen.trouble != nil { hub.send(.notice(message: "Bunny's API answers again")) }
    seen.trouble = nil
    state.withLock { $0.trouble = nil }
  }

  private func failed(_ error: BunnyLiveStreamError, _ seen: inout Seen) {
    guard !Task.isCancelled else { return }
    state.withLock { $0.trouble = error }
    guard error.kind != seen.trouble?.kind else { return }
    let deleted =
      error.kind == .notFound
      ? "; it counts as deleted when the ingest hangs up too, or nothing is found for a minute" : ""
    hub.send(.notice(message: "\(error)\(deleted); media flows on, and it is asked again"))
    seen.trouble = error
  }

  /// The stream that is published to from memory, as the API tells it.
  private func find(_ readiness: inout Readiness, _ seen: inout Seen) async -> Readiness.Step {
    switch await look() {
    case .failure(let error):
      failed(error, &seen)
      return readiness.notFound(retryAfter: error.retryAfter)
    case .success(let stream):
      answered(&seen)
      guard case .publish(_, let needsStart, _) = Admission(stream) else {
        return readiness.notFound()
      }
      var wait: Double?
      if !plan.startsNow, stream.scheduledStartTime != nil {
        if state.withLock({ $0.clock == nil }) { _ = await ask(&seen) }
        let now = state.withLock { $0.clock }?.time(at: world.now()) ?? world.date()
        wait = Countdown.seconds(to: stream, now: now)
      }
      let next = readiness.found(starts: needsStart && plan.startsStream, wait: wait)
      if case .find = next { return next }
      guard await listener.onFound() else { return readiness.notFound() }
      hub.send(.streamFound(title: stream.title, status: stream.status, resumes: !needsStart))
      return next
    }
  }

  /// The ingest status does not tell that the stream is over.
  private func watch(_ status: Answer<BunnyLiveStreamIngestStatus>) async {
    if state.withLock({ $0.watch.looks(after: status) }) { _ = await look() }
  }

  private func start(_ readiness: inout Readiness) async -> Readiness.Step {
    do throws(BunnyLiveStreamError) {
      try await api.startLiveStream(libraryId: plan.libraryId, streamId: id)
    } catch {
      // Somebody else may have started it, or this call's answer was lost.
      let stream = try? await look().get()
      guard stream?.status == .running else {
        if !Task.isCancelled {
          let last = state.withLock { state in
            defer { state.startFailure = error }
            return state.startFailure?.description
          }
          // A refusal for good is said once, and tried on: somebody may see to it.
          if !error.isPermanent {
            hub.send(.notice(message: "\(error); media flows on, and it is tried again"))
          } else if last != error.description {
            hub.send(.startRefused(reason: error.description))
          }
        }
        return readiness.startFailed(retryAfter: error.retryAfter)
      }
    }
    state.withLock { $0.startFailure = nil }
    hub.send(.running)
    listener.onShown()
    return readiness.started()
  }

  /// A connection may be lost for other reasons too: that the stream is not there has to be said twice.
  private func check() async {
    if case .failure(let error) = await look(), error.kind == .notFound {
      await pause(4)
      if !Task.isCancelled { _ = await look() }
    }
    state.withLock { $0.checking = nil }
  }

  /// Asks for the stream, unless that is being done, and tells what comes of it.
  private func look() async -> Answer<BunnyLiveStream> {
    let (looking, isStopped) = state.withLock { state in
      let looking = state.looking ?? world.task { await self.lookNow() }
      state.looking = looking
      return (looking, state.isStopped)
    }
    if isStopped { looking.cancel() }
    return await looking.value
  }

  private func lookNow() async -> Answer<BunnyLiveStream> {
    defer { state.withLock { $0.looking = nil } }
    do throws(BunnyLiveStreamError) {
      let stream = try await api.getLiveStream(libraryId: plan.libraryId, streamId: id)
      let end = state.withLock { $0.watch.found(stream) }
      guard !Task.isCancelled else { return .success(stream) }
      listener.onStream(stream)
      told(end)
      return .success(stream)
    } catch {
      let word: StreamWatch.IngestWord = listener.isCarried() ? .takes : .isLost
      let now = world.now()
      let end = state.withLock { $0.watch.failed(error, ingest: word, at: now) }
      if !Task.isCancelled { told(end) }
      return .failure(error)
    }
  }

  /// Nothing is asked about a stream that is over.
  private func told(_ end: StreamWatch.End?) {
    guard let end else { return }
    state.withLock { $0.isStopped = true }
    listener.onEnd(end)
  }
}

extension Result {
  /// Why there is no success.
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
