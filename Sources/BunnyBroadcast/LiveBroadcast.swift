public import BunnyRTMP
public import BunnyStreamAPI
import BunnySystem
import Synchronization

/// What is decided before a broadcast to a live stream of Bunny's begins.
public struct LivePlan: Sendable {
  /// The video library's id.
  public var libraryId: Int
  /// The stream's GUID.
  public var streamId: String
  /// Show the stream to viewers once it is ready; false leaves that to somebody else.
  public var startsStream = true
  /// What to do about a call that may succeed later.
  public var retry = BroadcastConfiguration.Retry.always

  public init(libraryId: Int, streamId: String) {
    self.libraryId = libraryId
    self.streamId = streamId
  }
}

/// A broadcast to a live stream of Bunny's: fetches it, publishes, starts it when it is ready, and
/// watches over it.
///
/// Only an explicit end (``end(reason:)``, or the configured duration running out) stops the stream,
/// for a stopped stream can never run again. Everything else leaves it as it is, and the next
/// broadcast resumes it. Everything here may be called from any thread.
public final class LiveBroadcast: Broadcasting {
  private struct State {
    var broadcast: Broadcast?
    var isMuted = false
    var leaveReason: String?
    var endReason: String?
    /// Ends what is waited for before there is a broadcast.
    var cancelFetching: (@Sendable () -> Void)?
    /// The stream was found to be over while it was broadcast to.
    var isOver: BunnyLiveStreamStatus?
    /// A configured duration ends the stream too.
    var hasDuration = false
  }

  private let plan: LivePlan
  private let api: any LiveStreamRepository
  private let configure: @Sendable (Ingest, Ingest?) -> BroadcastConfiguration
  private let hub = EventHub()
  private let state = Mutex(State())
  private let began = MonotonicTime.now

  /// - Parameter configure: makes the broadcast's configuration of the stream's ingests.
  public init(
    _ plan: LivePlan, api: any LiveStreamRepository,
    configure: @escaping @Sendable (_ primary: Ingest, _ backup: Ingest?) -> BroadcastConfiguration
  ) {
    self.plan = plan
    self.api = api
    self.configure = configure
  }

  public func events() -> AsyncStream<BunnyBroadcastEvent> { hub.stream() }

  /// Broadcasts until ``stop(reason:)``, ``end(reason:)``, or for the configured duration. A task that
  /// is cancelled leaves the stream as it is. May be called once.
  public func run() async throws(BroadcastError) -> BroadcastTotals {
    var failure: BroadcastError?
    var totals = BroadcastTotals()
    do {
      totals = try await withTaskCancellationHandler {
        try await broadcast()
      } onCancel: {
        stop(reason: "cancelled")
      }
    } catch {
      failure = BroadcastError(error)
      totals = state.withLock { $0.broadcast }?.statistics.totals ?? totals
    }
    do {
      try await takeLeave(after: failure)
    } catch {
      failure = failure ?? error
    }
    let reason = state.withLock { $0.endReason ?? $0.leaveReason } ?? "its duration was over"
    if let failure { hub.send(.failed(message: failure.description)) }
    hub.finish(with: [.stopped, .ended(totals, reason: failure?.description ?? reason)])
    if let failure { throw failure }
    return totals
  }

  /// Ends the broadcast and leaves the stream as it is: the next one resumes it.
  public func stop(reason: String = "asked to") {
    stop(reason) { $0.leaveReason = reason }
  }

  /// Ends the broadcast and the stream, for good.
  public func end(reason: String = "asked to") {
    stop(reason) { $0.endReason = reason }
  }

  public var isMuted: Bool {
    get { state.withLock { $0.isMuted } }
    set {
      let broadcast = state.withLock { state in
        state.isMuted = newValue
        return state.broadcast
      }
      broadcast?.isMuted = newValue
    }
  }

  public var statistics: BroadcastStatistics {
    if let broadcast = state.withLock({ $0.broadcast }) { return broadcast.statistics }
    var statistics = BroadcastStatistics()
    statistics.state = BunnyBroadcastState.preparing.rawValue
    statistics.elapsedSeconds = Double(MonotonicTime.now - began) / 1e9
    return statistics
  }

  /// The first reason stands.
  private func stop(_ reason: String, _ note: (inout State) -> Void) {
    let (broadcast, cancelFetching) = state.withLock { state in
      if state.leaveReason == nil && state.endReason == nil { note(&state) }
      return (state.broadcast, state.cancelFetching)
    }
    cancelFetching?()
    broadcast?.stop(reason: reason)
  }

  private var isEnding: Bool {
    state.withLock { $0.leaveReason != nil || $0.endReason != nil }
  }
}

// MARK: The way to an ingest and back

extension LiveBroadcast {
  private func broadcast() async throws -> BroadcastTotals {
    hub.send(.preparing)
    guard let (stream, key, needsStart) = try await fetch() else { return BroadcastTotals() }
    hub.send(
      .streamFound(title: stream.title, status: stream.status, resumes: !needsStart))
    let ingest = try Ingest(named: stream.primaryIngestUrl ?? Ingest.bunnyPrimary, key)
    let backup = try stream.backupIngestUrl.map { try Ingest(named: $0, key) }
    let configuration = configure(ingest, backup)
    let broadcast = Broadcast(configuration)
    let stopsAlready = state.withLock { state in
      state.hasDuration = configuration.duration != nil
      state.broadcast = broadcast
      if state.isMuted { broadcast.isMuted = true }
      state.isMuted = broadcast.isMuted
      return state.leaveReason ?? state.endReason
    }
    if let stopsAlready { broadcast.stop(reason: stopsAlready) }
    let events = broadcast.events()
    let conductor = Conductor(
      plan, api, readiness: Readiness(starts: needsStart && plan.startsStream), hub
    ) { [weak self] status in self?.isOver(status) }
    let forwarding = Task { [hub] in
      for await event in events {
        conductor.take(event)
        if event.isOfMedia { hub.send(event) }
      }
    }
    defer { conductor.stop() }
    do {
      let totals = try await broadcast.run()
      await forwarding.value
      try throwIfOver()
      return totals
    } catch {
      await forwarding.value
      if case .ingest = error { await lookWhetherOver() }
      try throwIfOver()
      throw error
    }
  }

  private func throwIfOver() throws(BroadcastError) {
    if let status = state.withLock({ $0.isOver }) {
      throw .streamOver(plan.streamId, status)
    }
  }

  /// Somebody ended the stream while it was broadcast to.
  private func isOver(_ status: BunnyLiveStreamStatus) {
    let broadcast = state.withLock { state in
      state.isOver = status
      return state.broadcast
    }
    broadcast?.stop(reason: "the stream has ended")
  }

  /// An ingest refuses, or hangs up, also because the stream has been ended.
  private func lookWhetherOver() async {
    let stream = try? await whileWanted { [api, plan] in
      try await within(.seconds(5)) {
        try await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
      }
    }
    if let stream, case .refuse(let status) = Admission(stream) { isOver(status) }
  }

  /// Asks for the stream until it may be published to.
  ///
  /// - Returns: nil when the broadcast was ended meanwhile.
  private func fetch() async throws -> (BunnyLiveStream, key: String, needsStart: Bool)? {
    var backoff = Backoff()
    while !isEnding {
      var reason: String
      do {
        let stream = try await whileWanted { [api, plan] in
          try await api.getLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
        }
        switch Admission(stream) {
        case .refuse(let status): throw BroadcastError.streamOver(plan.streamId, status)
        case .again(let missing): reason = missing
        case .publish(let key, let needsStart, let warning):
          if let warning { hub.send(.notice(message: warning)) }
          return (stream, key, needsStart)
        }
      } catch let error as BunnyLiveStreamError {
        if isEnding { break }
        if error.isPermanent || plan.retry == .never { throw BroadcastError.api(error) }
        reason = error.description
      }
      let wait = backoff.failed(chance: .random(in: 0...1))
      hub.send(.askingAgain(after: wait, reason: reason))
      await pause(wait)
    }
    return nil
  }

  /// Waits; ``stop(reason:)`` ends it.
  private func pause(_ duration: Duration) async {
    _ = try? await whileWanted { try await Task.sleep(for: duration) }
  }

  /// Does `work`, which ``stop(reason:)`` cancels.
  private func whileWanted<Success: Sendable>(
    _ work: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    let working = Task { try await work() }
    let isUnwanted = state.withLock { state in
      state.cancelFetching = { working.cancel() }
      return state.leaveReason != nil || state.endReason != nil
    }
    if isUnwanted { working.cancel() }
    return try await working.value
  }
}

// MARK: Leave is not end

extension LiveBroadcast {
  /// For how long a stop is tried when the API does not answer.
  private static let stopPatience = Duration.seconds(30)

  /// Ends the stream if that was asked for explicitly; otherwise says that it is left as it is.
  private func takeLeave(after failure: BroadcastError?) async throws(BroadcastError) {
    let (endReason, leaveReason, wasFound, hasDuration) = state.withLock {
      ($0.endReason, $0.leaveReason, $0.broadcast != nil, $0.hasDuration)
    }
    if case .streamOver = failure { return }
    let isAsked = endReason != nil && (wasFound || failure == nil)
    let isDurationOver =
      hasDuration && failure == nil && leaveReason == nil && !Task.isCancelled
    guard isAsked || isDurationOver else {
      let reason = leaveReason ?? failure?.description ?? "its media ended"
      if wasFound { hub.send(.left(reason: reason)) }
      return
    }
    let began = MonotonicTime.now
    var backoff = Backoff()
    while true {
      let waited = Duration.nanoseconds(MonotonicTime.now - began)
      do {
        try await within(Self.stopPatience - waited) { [api, plan] in
          try await api.stopLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
        }
        hub.send(.streamEnded)
        return
      } catch {
        let wait = backoff.failed(chance: .random(in: 0...1))
        let isLate = Duration.nanoseconds(MonotonicTime.now - began) + wait >= Self.stopPatience
        let error = BroadcastError(error)
        guard error.mayPass, plan.retry == .always, !isLate else {
          hub.send(.left(reason: "it could not be ended"))
          throw error
        }
        hub.send(.askingAgain(after: wait, reason: error.description))
        _ = try? await Task.sleep(for: wait)
      }
    }
  }
}
