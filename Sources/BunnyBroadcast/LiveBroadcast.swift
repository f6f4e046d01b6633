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
    var fetching: Task<Void, Never>?
    /// The stream was found to be over while it was broadcast to.
    var isOver: BunnyLiveStreamStatus?
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

  public func run() async throws(BroadcastError) -> BroadcastTotals {
    var failure: BroadcastError?
    var totals = BroadcastTotals()
    do {
      totals = try await broadcast()
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
    let (broadcast, fetching) = state.withLock { state in
      if state.leaveReason == nil && state.endReason == nil { note(&state) }
      return (state.broadcast, state.fetching)
    }
    fetching?.cancel()
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
    let ingest = try Self.ingest(stream.primaryIngestUrl ?? Self.primaryIngest, key)
    let backup = try stream.backupIngestUrl.map { try Self.ingest($0, key) }
    let broadcast = Broadcast(configure(ingest, backup))
    let stopsAlready = state.withLock { state in
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

  /// Asks for the stream until it may be published to.
  ///
  /// - Returns: nil when the broadcast was ended meanwhile.
  private func fetch() async throws -> (BunnyLiveStream, key: String, needsStart: Bool)? {
    var backoff = Backoff()
    while !isEnding {
      var reason: String
      do {
        let stream = try await api.getLiveStream(
          libraryId: plan.libraryId, streamId: plan.streamId)
        switch Admission(stream) {
        case .refuse(let status): throw BroadcastError.streamOver(plan.streamId, status)
        case .again(let missing): reason = missing
        case .publish(let key, let needsStart, let warning):
          if let warning { hub.send(.notice(message: warning)) }
          return (stream, key, needsStart)
        }
      } catch let error as BunnyLiveStreamError {
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
    let waiting = Task { _ = try? await Task.sleep(for: duration) }
    let isEnding = state.withLock { state in
      state.fetching = waiting
      return state.leaveReason != nil || state.endReason != nil
    }
    if isEnding { waiting.cancel() }
    await waiting.value
  }

  /// What Bunny's own SDKs publish to when the API names no ingest.
  private static let primaryIngest = "rtmp://global.rtmp.mediadelivery.net/live"

  private static func ingest(_ url: String, _ key: String) throws(BroadcastError) -> Ingest {
    do {
      return try Ingest(url, streamName: key)
    } catch {
      throw .fault("Bunny's API names an ingest that cannot be used: \(error)")
    }
  }
}

// MARK: Leave is not end

extension LiveBroadcast {
  /// Seconds for which a stop is tried when the API does not answer.
  private static let stopPatience = 30.0

  /// Ends the stream if that was asked for explicitly; otherwise says that it is left as it is.
  private func takeLeave(after failure: BroadcastError?) async throws(BroadcastError) {
    let (endReason, leaveReason, wasFound) = state.withLock {
      ($0.endReason, $0.leaveReason, $0.broadcast != nil)
    }
    let endsByItself = failure == nil && leaveReason == nil
    guard endReason != nil || endsByItself, failure == nil else {
      if case .streamOver = failure { return }
      if wasFound { hub.send(.left(reason: leaveReason ?? failure?.description ?? "")) }
      return
    }
    guard wasFound || endReason != nil else { return }
    let began = MonotonicTime.now
    var backoff = Backoff()
    while true {
      do throws(BunnyLiveStreamError) {
        try await api.stopLiveStream(libraryId: plan.libraryId, streamId: plan.streamId)
        hub.send(.streamEnded)
        return
      } catch {
        let waited = Double(MonotonicTime.now - began) / 1e9
        guard !error.isPermanent, plan.retry == .always, waited < Self.stopPatience else {
          hub.send(.left(reason: "it could not be ended"))
          throw .api(error)
        }
        let wait = backoff.failed(chance: .random(in: 0...1))
        hub.send(.askingAgain(after: wait, reason: error.description))
        _ = try? await Task.sleep(for: wait)
      }
    }
  }
}

extension BunnyBroadcastEvent {
  /// Not one that only whoever runs the whole broadcast may send.
  fileprivate var isOfMedia: Bool {
    switch self {
    case .preparing, .stopped, .ended, .failed: false
    default: true
    }
  }
}
