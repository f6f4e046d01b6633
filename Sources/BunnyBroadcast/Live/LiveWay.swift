import BunnyStreamAPI
import BunnySystem
import Synchronization

// The way to an ingest and back, stream after stream.
extension LiveBroadcast {
  func broadcast() async throws {
    if let request = plan.creates { try await createFirst(request) }
    while isWanted {
      do {
        while try await broadcastOnce() {}
        return
      } catch let over as BroadcastError where over.isOver {
        state.withLock { $0.over = over }
        try await goOn(after: over)
      }
    }
  }

  /// Broadcasts to the stream as it is now.
  ///
  /// - Returns: Whether to do so again: what was known of it did not hold.
  /// - Throws: Also that the stream is over.
  private func broadcastOnce() async throws -> Bool {
    waits(for: .api)
    let store = try openStore()
    if goesOn(with: store?.record()) { return true }
    guard var opening = try await fetch(store?.record()) else { return false }
    (opening.isClaimed, opening.takesOver) = try await claim(
      opening, own: store?.record()?.publishing)
    if let needsStart = opening.needsStart {
      hub.send(
        .streamFound(
          title: opening.stream.title, status: opening.stream.status, resumes: !needsStart))
    }
    let own = store?.record()?.publishing
    let session = try begin(opening, store)
    let failure = await run(session, opening, own: own)
    if let over = state.withLock({ $0.over }) { throw over }
    guard let failure else { return false }
    guard case .ingest = failure as? BroadcastError, isWanted else { throw failure }
    if opening.needsStart == nil {  // never with --retry never
      state.withLock { $0.distrustsRecord = true }
      hub.send(
        .notice(message: "\(failure); that was only remembered, so Bunny's API is waited for"))
      return true
    }
    guard try await mayBeMended(session), plan.retry == .always else { throw failure }
    return true
  }

  /// The lock and the memory of the stream; nil: there is nowhere to keep them.
  private func openStore() throws -> (any StreamMemory)? {
    guard let folder = plan.stateFolder else { return nil }
    if let store = state.withLock({ $0.store }) { return store }
    do throws(StreamStore.Trouble) {
      let store = try world.store("\(folder)/streams", streamId)
      state.withLock { $0.store = store }
      return store
    } catch {
      switch error {
      case .held(let process): throw BroadcastError.streamHeld(streamId, process: process)
      case .unusable(let sentence):
        hub.send(.notice(message: sentence))
        return nil
      }
    }
  }

  /// The broadcast of media, ready to run.
  private func begin(_ opening: Opening, _ store: (any StreamMemory)?) throws -> LiveSession {
    let ingests = try LiveSession.Ingests(opening.stream, opening.key) {
      hub.send(.notice(message: $0))
    }
    let configuration = configure(ingests.primary, ingests.backup)
    let record = store.map { store in
      var record = StreamRecord(opening.stream, key: opening.key)
      let known = store.record()
      (record.publishing, record.successor) = (known?.publishing, known?.successor)
      record.isShown = opening.needsStart.map { !$0 } ?? opening.wasShown
      return LiveRecord(store, record, clock: state.withLock { $0.clock }, hub, world)
    }
    let (session, ending) = state.withLock { state in
      var configuration = configuration
      state.retire()
      if let duration = configuration.duration {
        let left = duration - .seconds(state.earlier.liveSeconds)
        configuration.duration = max(left, .milliseconds(1))
      }
      let broadcast = world.media(configuration, state.began ?? world.now())
      let session = LiveSession(broadcast, opening, ingests, record, hub, world)
      state.hasDuration = configuration.duration != nil
      (state.session, state.waiting) = (session, nil)
      (state.over, state.toldOver) = (nil, nil)
      if let isMuted = state.isMuted { broadcast.isMuted = isMuted }
      state.isMuted = broadcast.isMuted
      return (session, state.farewell.ending)
    }
    if let ending { session.broadcast.stop(reason: ending.reason) }
    return session
  }

  /// - Parameter own: when this machine published to the stream last, before.
  /// - Returns: Why media ended, when nobody asked for that.
  private func run(
    _ session: LiveSession, _ opening: Opening, own: StreamRecord.Publishing?
  ) async -> (any Error)? {
    state.withLock { $0.own = own }
    let events = session.broadcast.events()
    let conductor = Conductor(
      plan, streamId, api, world,
      readiness: Readiness(
        starts: opening.needsStart.map { $0 && plan.startsStream },
        retryAfter: opening.trouble?.retryAfter),
      trouble: opening.trouble, hub,
      .init(
        onStatus: { [weak self, session] status in
          session.told(status)
          self?.noteTime(of: status)
          self?.claimLate(session, status, own: own)
        },
        onStream: { [weak self, session] stream in
          session.told(stream)
          self?.state.withLock { $0.stream = stream }
          if stream.status == .running, session.isClaimed { self?.viewersSee(session) }
        },
        onFound: { [weak self, session] in
          guard let self, await claimLate(session, own: own) else { return false }
          if state.withLock({ $0.stream?.status }) == .running { viewersSee(session) }
          return true
        },
        onShown: { [weak self, session] in self?.viewersSee(session) },
        onEnd: { [weak self] end in
          if let self { endMedia(because: BroadcastError(end, of: streamId)) }
        },
        isCarried: { [session] in session.isCarried },
        isWanted: { [weak self] in
          self?.state.withLock { $0.farewell.ending == nil && $0.over == nil } ?? false
        }))
    // What is only remembered may be why no ingest accepts it.
    if opening.needsStart == nil { conductor.begin() }
    let forwarding = world.task {
      for await event in events {
        session.take(event)
        conductor.take(event)
      }
    }
    var failure: (any Error)?
    do { _ = try await session.broadcast.run() } catch { failure = error }
    await forwarding.value
    await conductor.stop()
    await session.end()
    let now = world.now()
    state.withLock { state in
      state.unstarted = session.shows.undone(
        conductor.trouble, isWanted: plan.startsStream, wasShown: opening.wasShown)
      guard session.broadcast.statistics.totals.connections > 0 else { return }
      state.published = .init(
        bootId: Boot.id, at: now, serverTime: state.clock?.time(at: now), hasLeft: false)
    }
    return failure
  }

  func noteTime(of status: BunnyLiveStreamIngestStatus) {
    guard let time = status.statusTime else { return }
    state.withLock { $0.clock = ServerClock(time, at: world.now()) }
  }

  /// What was published to before the API could say whose it is may be somebody else's.
  ///
  /// - Returns: Whether it is ours, as far as is known.
  private func claimLate(_ session: LiveSession, own: StreamRecord.Publishing?) async -> Bool {
    guard !session.isClaimed, session.isSettled, let status = await askStatus() else {
      return true
    }
    return claimLate(session, status, own: own)
  }

  @discardableResult
  private func claimLate(
    _ session: LiveSession, _ status: BunnyLiveStreamIngestStatus, own: StreamRecord.Publishing?
  ) -> Bool {
    guard !session.isClaimed, session.isSettled else { return true }
    if let taken = rival(of: session, status, own: own) {
      endMedia(because: taken)
      return false
    }
    session.isClaimed = true
    return true
  }

  /// That somebody else publishes to the stream, who is not to be taken over from.
  func rival(
    of session: LiveSession, _ status: BunnyLiveStreamIngestStatus,
    own: StreamRecord.Publishing?
  ) -> BroadcastError? {
    guard !plan.takesOver, session.isSettled, session.isBesides(status),
      case .taken(let lastPing) = PublisherClaim(status, own: own, bootId: Boot.id, at: world.now())
    else { return nil }
    return .streamTaken(streamId, lastPing: lastPing)
  }

  /// What was made for this title is in use, and the next start makes another one.
  private func viewersSee(_ session: LiveSession) {
    if session.isShown() { state.withLock { $0.creation = nil } }
  }

  /// The stream was found to be over, or somebody else's, while it was broadcast to.
  private func endMedia(because error: BroadcastError) {
    let broadcast: (any LiveMedia)? = state.withLock { state in
      // Who has asked for an end gets that one.
      guard state.farewell.ending == nil else { return nil }
      state.over = error
      return state.broadcast
    }
    broadcast?.stop(reason: error.sentence)
  }

  /// An ingest refuses, or hangs up, also because the stream has been ended, or has another key.
  ///
  /// - Returns: Whether the API names something else to publish to by now.
  private func mayBeMended(_ session: LiveSession) async throws -> Bool {
    var watch = StreamWatch()
    do {
      let stream = try await getStream(within: .seconds(5), while: Self.isUnasked)
      state.withLock { $0.stream = stream }
      if let end = watch.found(stream) { throw BroadcastError(end, of: streamId) }
      return !session.isAsTold(stream)
    } catch let error as BunnyLiveStreamError {
      if let end = watch.failed(error, ingest: .refuses, at: world.now()) {
        throw BroadcastError(end, of: streamId)
      }
      return false
    }
  }
}
