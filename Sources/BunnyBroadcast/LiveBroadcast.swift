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
  struct State {
    /// Since the stream was found.
    var broadcast: Broadcast?
    /// nil: as it is configured.
    var isMuted: Bool?
    var farewell = Farewell()
    /// Ends what is waited for, when there is another wish.
    var cancelWaiting: (@Sendable () -> Void)?
    /// The stream was found to be over while it was broadcast to.
    var foundOver: BunnyLiveStreamStatus?
    /// A configured duration ends the stream too.
    var hasDuration = false
    var began: MonotonicTime?
    var isFinished = false
  }

  let plan: LivePlan
  let api: any LiveStreamRepository
  private let configure: @Sendable (Ingest, Ingest?) -> BroadcastConfiguration
  let hub = EventHub()
  let state = Mutex(State())

  /// - Parameters:
  ///   - plan: which stream, and what to do with it.
  ///   - api: Bunny's, or whatever stands in for it.
  ///   - configure: makes the broadcast's configuration of the stream's ingests.
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
    state.withLock { $0.began = .now }
    let (failure, totals) = await withTaskCancellationHandler {
      await broadcastAndLeave()
    } onCancel: {
      stop(reason: "cancelled")
    }
    let reason = state.withLock { state in
      state.isFinished = true
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

  public func rotateCamera() { state.withLock { $0.broadcast }?.rotateCamera() }

  public var statistics: BroadcastStatistics {
    let (broadcast, began, isFinished) = state.withLock { ($0.broadcast, $0.began, $0.isFinished) }
    if let broadcast { return broadcast.statistics }
    var statistics = BroadcastStatistics()
    guard let began, !isFinished else { return statistics }
    statistics.state = MediaState.preparing.rawValue
    statistics.elapsedSeconds = Double(MonotonicTime.now - began) / 1e9
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
    let totals = state.withLock { $0.broadcast }?.statistics.totals ?? BroadcastTotals()
    let step = state.withLock { state in
      let step = state.farewell.step(
        failure: failure, wasFound: state.broadcast != nil, hasDuration: state.hasDuration)
      if step == .stop { _ = state.farewell.ask(.end("its duration was over")) }
      return step
    }
    switch step {
    case .nothing: break
    case .leave(let reason): hub.send(.left(reason: reason))
    case .stop:
      if let stopFailure = await stopStream() { failure = failure ?? stopFailure }
    }
    return (failure, totals)
  }
}

// MARK: The way to an ingest and back

extension LiveBroadcast {
  /// For how long a stream that was just created may have no key, however little is tried again.
  private static let keyPatience = Duration.seconds(30)

  private func broadcast() async throws {
    guard let (stream, key, needsStart) = try await fetch() else { return }
    hub.send(
      .streamFound(title: stream.title, status: stream.status, resumes: !needsStart))
    let broadcast = try begin(stream, key)
    let events = broadcast.events()
    let conductor = Conductor(
      plan, api, readiness: Readiness(starts: needsStart && plan.startsStream), hub,
      onStatus: { [weak broadcast] status in
        broadcast?.told(primaryIsLive: status.primaryLive, backupIsLive: status.backupLive)
      },
      onOver: { [weak self] status in self?.endMedia(streamIs: status) })
    let forwarding = Task { [hub] in
      for await event in events {
        if event.isOfMedia { hub.send(event) }
        conductor.take(event)
      }
    }
    var failure: (any Error)?
    do {
      _ = try await broadcast.run()
    } catch {
      failure = error
    }
    await forwarding.value
    await conductor.stop()
    if case .ingest = failure as? BroadcastError { await lookWhetherOver() }
    if let status = state.withLock({ $0.foundOver }) {
      throw BroadcastError.streamOver(plan.streamId, status)
    }
    if let failure { throw failure }
  }

  /// The broadcast of media, ready to run.
  private func begin(_ stream: BunnyLiveStream, _ key: String) throws -> Broadcast {
    let ingest = try Ingest(named: stream.primaryIngestUrl ?? Ingest.bunnyPrimary, key)
    var backup: Ingest?
    do {
      backup = try stream.backupIngestUrl.map { try Ingest(named: $0, key) }
    } catch {
      hub.send(.notice(message: "there is no backup ingest: \(error)"))
    }
    let configuration = configure(ingest, backup)
    let (broadcast, ending) = state.withLock { state in
      let broadcast = Broadcast(configuration, began: state.began ?? .now)
      state.hasDuration = configuration.duration != nil
      state.broadcast = broadcast
      if let isMuted = state.isMuted { broadcast.isMuted = isMuted }
      state.isMuted = broadcast.isMuted
      return (broadcast, state.farewell.ending)
    }
    if let ending { broadcast.stop(reason: ending.reason) }
    return broadcast
  }

  /// Somebody ended the stream while it was broadcast to.
  private func endMedia(streamIs status: BunnyLiveStreamStatus) {
    let broadcast = state.withLock { state in
      state.foundOver = status
      return state.broadcast
    }
    broadcast?.stop(reason: "the stream has ended")
  }

  /// An ingest refuses, or hangs up, also because the stream has been ended.
  private func lookWhetherOver() async {
    let stream = try? await getStream(within: .seconds(5)) { $0 == nil }
    if let stream, case .refuse(let status) = Admission(stream) { endMedia(streamIs: status) }
  }

  /// Asks for the stream until it may be published to.
  ///
  /// - Returns: nil when the broadcast was ended meanwhile.
  private func fetch() async throws -> (BunnyLiveStream, key: String, needsStart: Bool)? {
    let keyDeadline = MonotonicTime.now + Self.keyPatience.nanoseconds
    var backoff = Backoff()
    while state.withLock({ $0.farewell.ending == nil }) {
      let (error, reason): (BunnyLiveStreamError, String)
      var retries = plan.retry == .always
      do {
        let stream = try await getStream { $0 == nil }
        switch Admission(stream) {
        case .refuse(let status): throw BroadcastError.streamOver(plan.streamId, status)
        case .again(let missing):
          error = BunnyLiveStreamError(
            kind: .invalidResponse, message: missing,
            attempt: "publish to the live stream \(plan.streamId)")
          reason = missing
          retries = retries || .now < keyDeadline
        case .publish(let key, let needsStart, let warning):
          if let warning { hub.send(.notice(message: warning)) }
          return (stream, key, needsStart)
        }
      } catch let failure as BunnyLiveStreamError {
        (error, reason) = (failure, failure.description)
      }
      if state.withLock({ $0.farewell.ending != nil }) { break }
      if error.isPermanent || !retries { throw BroadcastError.api(error) }
      let wait = backoff.failed(chance: .random(in: 0...1))
      hub.send(.askingAgain(after: wait, reason: reason))
      await pause(wait) { $0 == nil }
    }
    return nil
  }
}
