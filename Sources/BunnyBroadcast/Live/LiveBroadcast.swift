public import BunnyRTMP
public import BunnyStreamAPI
import BunnySystem
import Synchronization

/// A broadcast to a live stream of Bunny's: fetches it, publishes, starts it when it is ready, and
/// watches over it.
///
/// Only an explicit end (``end(reason:)``, or the configured duration running out) stops the stream,
/// for a stopped stream can never run again. Everything else leaves it as it is, and the next
/// broadcast resumes it. Everything here may be called from any thread.
public final class LiveBroadcast: Broadcasting {
  struct State {
    /// The stream that is broadcast to now; empty while none is.
    var streamId: String
    /// As Bunny's API told of it last.
    var stream: BunnyLiveStream?
    var store: (any StreamMemory)?
    /// Since it is published to.
    var session: LiveSession?
    /// When this machine published to it before that.
    var own: StreamRecord.Publishing?
    /// Why nothing is sent; nil: something is.
    var waiting: Waiting? = .api
    /// What remembers a stream that was made and never shown.
    var creation: (any StreamMemory)?
    /// When a session of this process ended.
    var published: StreamRecord.Publishing?
    var clock: ServerClock?
    /// An ingest has refused what was only remembered.
    var distrustsRecord = false
    /// What was broadcast to streams that are over.
    var earlier = BroadcastTotals()
    /// nil: as it is configured.
    var isMuted: Bool?
    var farewell = Farewell()
    /// Ends what is waited for, when there is another wish.
    var cancelWaiting: (@Sendable () -> Void)?
    /// The stream is known to be over.
    var over: BroadcastError?
    /// When the stream was made by us.
    var made: MonotonicTime?
    /// As listeners were told, when something else is to follow.
    var toldOver: String?
    /// Why viewers never saw it, although they were to.
    var unstarted: BunnyLiveStreamError?
    /// A configured duration ends the stream too.
    var hasDuration = false
    var began: MonotonicTime?
    var isFinished = false

    var broadcast: (any LiveMedia)? { session?.broadcast }
    var totals: BroadcastTotals {
      broadcast.map { earlier + $0.statistics.totals } ?? earlier
    }

    /// Nothing is published any more to where it was.
    mutating func retire() {
      earlier = totals
      session = nil
    }
  }

  /// How often a broadcast that waits says so, as one that does not sends its statistics.
  private static let heartbeat = Duration.seconds(3)

  let plan: LivePlan
  let api: any LiveStreamRepository
  let configure: @Sendable (Ingest, Ingest?) -> BroadcastConfiguration
  let world: LiveWorld
  let hub = EventHub()
  let state: Mutex<State>

  /// - Parameters:
  ///   - plan: which stream, and what to do with it.
  ///   - api: Bunny's, or whatever stands in for it.
  ///   - configure: makes the broadcast's configuration of the stream's ingests.
  public convenience init(
    _ plan: LivePlan, api: any LiveStreamRepository,
    configure: @escaping @Sendable (_ primary: Ingest, _ backup: Ingest?) -> BroadcastConfiguration
  ) {
    self.init(plan, api: api, in: LiveWorld(), configure: configure)
  }

  package init(
    _ plan: LivePlan, api: any LiveStreamRepository, in world: LiveWorld,
    configure: @escaping @Sendable (_ primary: Ingest, _ backup: Ingest?) -> BroadcastConfiguration
  ) {
    self.plan = plan
    self.api = api
    self.world = world
    self.configure = configure
    state = Mutex(State(streamId: plan.streamId))
  }

  /// A stream of its own for each caller: what happens from now on, the newest 256 kept, finished
  /// after ``BunnyBroadcastEvent/ended(_:reason:)``.
  public func events() -> AsyncStream<BunnyBroadcastEvent> { hub.stream() }

  /// Broadcasts until ``stop(reason:)``, ``end(reason:)``, or for the configured duration. A task that
  /// is cancelled leaves the stream as it is. May be called once.
  public func run() async throws(BroadcastError) -> BroadcastTotals {
    state.withLock { $0.began = world.now() }
    let heart = world.throwingTask { [self] () async throws -> Void in
      while true {
        try await world.sleep(Self.heartbeat)
        if state.withLock({ $0.waiting != nil }) { hub.send(.statistics(statistics)) }
      }
    }
    let (failure, totals) = await withTaskCancellationHandler {
      await broadcastAndLeave()
    } onCancel: {
      stop(reason: "cancelled")
    }
    heart.cancel()
    _ = await heart.result
    let reason = state.withLock { state in
      state.isFinished = true
      (state.store, state.creation) = (nil, nil)  // another process may go on
      return state.farewell.ending?.reason ?? "its duration was over"
    }
    if let failure { hub.send(.failed(message: failure.description)) }
    hub.finish(with: [.stopped, .ended(totals, reason: failure?.description ?? reason)])
    if let failure { throw failure }
    return totals
  }

  /// Ends the broadcast and leaves the stream as it is: the next one resumes it. Also after
  /// ``end(reason:)``, as long as the API has not taken that.
  public func stop(reason: String = "asked to") { ask(.leave(reason)) }

  /// Ends the broadcast and the stream, for good.
  public func end(reason: String = "asked to") { ask(.end(reason)) }

  /// Whether silence is sent instead of sound.
  public var isMuted: Bool {
    get { state.withLock { $0.isMuted ?? false } }
    set {
      let broadcast = state.withLock { state in
        state.isMuted = newValue
        return state.broadcast
      }
      broadcast?.isMuted = newValue
    }
  }

  /// As ``Broadcast/rotateCamera()``; nothing while no media runs.
  public func rotateCamera() { state.withLock { $0.broadcast }?.rotateCamera() }

  /// How it does now; the totals are of all streams that it went on to.
  public var statistics: BroadcastStatistics {
    let (session, earlier, waiting, began) = state.withLock { state in
      (state.session, state.earlier, state.isFinished ? nil : state.waiting, state.began)
    }
    let media = session.map { $0.shows.seen($0.broadcast.statistics) } ?? BroadcastStatistics()
    var statistics = media
    if let began, let waiting { statistics = waiting.statistics(since: began, at: world.now()) }
    statistics.totals = earlier + media.totals
    return statistics
  }

  private func ask(_ ending: Ending) {
    let (changes, broadcast, cancelWaiting) = state.withLock { state in
      (state.farewell.ask(ending), state.broadcast, state.cancelWaiting)
    }
    guard changes else { return }
    cancelWaiting?()
    broadcast?.stop(reason: ending.reason)
  }

  private func broadcastAndLeave() async -> (failure: BroadcastError?, totals: BroadcastTotals) {
    var failure: BroadcastError?
    do {
      try await broadcast()
    } catch {
      failure = BroadcastError(error)
    }
    let (totals, step) = state.withLock { state in
      var step = state.farewell.step(
        failure: failure, wasFound: state.session != nil, hasDuration: state.hasDuration,
        isUnstarted: state.unstarted != nil)
      if state.over != nil || state.streamId.isEmpty { step = .nothing }
      if step == .stop { _ = state.farewell.ask(.end("its duration was over")) }
      return (state.totals, step)
    }
    switch step {
    case .nothing: break
    case .leave(let reason):
      hub.send(.left(reason: reason))
      if let error = state.withLock({ $0.unstarted }) {
        failure = failure ?? .undone(.start, streamId, error)
      }
    case .stop:
      if let stopFailure = await stopStream() { failure = failure ?? stopFailure }
    }
    return (failure, totals)
  }
}

extension LiveBroadcast {
  /// The stream that is broadcast to now.
  var streamId: String { state.withLock { $0.streamId } }

  /// Nobody has asked for an end.
  var isWanted: Bool { state.withLock { $0.farewell.ending == nil } }

  func waits(for waiting: Waiting) { state.withLock { $0.waiting = waiting } }
}
