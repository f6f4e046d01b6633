import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Synchronization

// What comes before the first publish.
extension LiveBroadcast {
  /// How long the API may take where its answer can be done without.
  private static let shortPatience = Duration.seconds(5)

  /// Asks for the stream until it may be published to, and is to be.
  ///
  /// - Parameter record: what is remembered of it.
  /// - Returns: nil when the broadcast was ended meanwhile.
  /// - Throws: Also that the stream is over.
  func fetch(_ record: StreamRecord?) async throws -> Opening? {
    var saidAbove: Double?  // seconds to its time, when that is said next
    let memory = trusted(record)
    var told: Opening?  // of a stream whose time is awaited
    let wasPublishedTo = record?.publishing != nil || state.withLock { $0.published != nil }
    var rule = FetchRule(
      retries: plan.retry == .always, remembers: memory != nil, wasPublishedTo: wasPublishedTo,
      sureAfter: plan.onEnded == .create ? StreamWatch.longPause : StreamWatch.leastPause,
      at: world.now())
    while isWanted {
      let (error, reason, step): (BunnyLiveStreamError, String, FetchRule.Step)
      var limit = rule.patience(at: world.now())
      if let told {
        // Not beyond its time.
        limit = min(limit, .seconds(max(5, secondsToWait(for: told.stream) ?? 0)))
      }
      do {
        let stream = try await getStream(within: limit, while: Self.isUnasked)
        state.withLock { $0.stream = stream }
        switch Admission(stream) {
        case .refuse(let status): throw BroadcastError.streamOver(streamId, status)
        case .again(let missing):
          error = BunnyLiveStreamError(
            kind: .invalidResponse, message: missing,
            attempt: "publish to the live stream \(streamId)")
          reason = missing
          step = rule.isIncomplete(at: world.now(), chance: world.chance())
        case .publish(let key, let needsStart, let warning):
          await learnTime(for: stream)
          if let left = secondsToWait(for: stream) {
            told = Opening(stream: stream, key: key, needsStart: nil)
            await countDown(left, to: stream, saidAbove: &saidAbove)
            rule.isEarly()
            continue
          }
          if let warning { hub.send(.notice(message: warning)) }
          return Opening(stream: stream, key: key, needsStart: needsStart)
        }
      } catch let failure as BunnyLiveStreamError {
        (error, reason) = (failure, failure.description)
        let isKnown = state.withLock { $0.stream != nil }
        step = rule.failed(failure, isKnown: isKnown, at: world.now(), chance: world.chance())
      }
      guard isWanted else { break }
      switch step {
      case .ask(var wait):
        if let told {
          let left = Duration.seconds(secondsToWait(for: told.stream) ?? 0)
          let quiet = min(error.retryAfter ?? .zero, Backoff.longest)
          guard left > .zero, quiet <= left else { return await open(told, in: left, error) }
          wait = min(wait, left)
        }
        waits(for: Waiting("Bunny's API: \(reason)"))
        hub.send(.askingAgain(after: wait, reason: reason))
        await pause(wait, while: Self.isUnasked)
      case .makeSure(let wait): await pause(wait, while: Self.isUnasked)
      case .deleted: throw BroadcastError.streamDeleted(streamId)
      case .giveUp: throw BroadcastError.api(error)
      case .useMemory:
        guard var memory else { throw BroadcastError.api(error) }
        hub.send(
          .notice(message: "\(error); publishing to where this machine published last, meanwhile"))
        memory.trouble = error
        return memory
      }
    }
    return nil
  }

  /// What the API told of last, when its time has come; nil: the broadcast was ended meanwhile.
  ///
  /// - Parameter error: why the API is not asked again until then.
  private func open(
    _ told: Opening, in left: Duration, _ error: BunnyLiveStreamError
  ) async -> Opening? {
    await pause(left, while: Self.isUnasked)
    guard isWanted else { return nil }
    hub.send(
      .notice(message: "\(error); the stream's time has come: publishing as was told last"))
    var told = told
    told.trouble = error
    told.trouble?.retryAfter = error.retryAfter.map { max(.zero, $0 - left) }
    return told
  }

  /// What may be published to while the API does not answer.
  private func trusted(_ record: StreamRecord?) -> Opening? {
    guard let record, record.publishing != nil, !record.key.reveal().isEmpty,
      plan.retry == .always, !state.withLock({ $0.distrustsRecord })
    else { return nil }
    let (stream, key) = (record.stream(id: streamId), record.key.reveal())
    // An address that is none, as in a file that was damaged.
    guard (try? LiveSession.Ingests(stream, key)) != nil else { return nil }
    return Opening(
      stream: stream, key: key, needsStart: nil, wasShown: record.isShown != false)
  }

  // MARK: One publisher

  /// - Returns: Whether the API could say that nobody else does, and whether somebody is taken over from.
  /// - Throws: That somebody else publishes to the stream.
  func claim(
    _ opening: Opening, own: StreamRecord.Publishing?
  ) async throws -> (isClaimed: Bool, takesOver: Bool) {
    guard opening.needsStart != nil else { return (false, false) }
    // Nobody publishes to a stream that was never published to.
    if [.created, .scheduled].contains(opening.stream.status) { return (true, false) }
    guard let status = await askStatus() else { return (false, false) }
    let own = state.withLock { $0.published } ?? own
    guard
      case .taken(let lastPing) = PublisherClaim(status, own: own, bootId: Boot.id, at: world.now())
    else { return (true, false) }
    let error = BroadcastError.streamTaken(streamId, lastPing: lastPing)
    guard plan.takesOver else { throw error }
    hub.send(.notice(message: "\(error.sentence); taking it over"))
    return (true, true)
  }

  /// nil when the API does not answer: that is no reason to stay off air.
  func askStatus() async -> BunnyLiveStreamIngestStatus? {
    let (library, id) = (plan.libraryId, streamId)
    let status = try? await whileWanted(Self.isUnasked) { [api, world] in
      try await world.within(Self.shortPatience) {
        try await api.ingestStatus(libraryId: library, streamId: id)
      }
    }
    if let status { noteTime(of: status) }
    return status
  }

  // MARK: A scheduled stream

  private func waitsForTime(of stream: BunnyLiveStream) -> Bool {
    plan.startsStream && !plan.startsNow && stream.scheduledStartTime != nil
      && stream.status != .running
  }

  /// Has the server tell what its clock shows, if that matters and is not known.
  private func learnTime(for stream: BunnyLiveStream) async {
    guard waitsForTime(of: stream), state.withLock({ $0.clock == nil }) else { return }
    _ = await askStatus()
  }

  /// nil: its time has come, it has none, or that is not for us to wait for.
  private func secondsToWait(for stream: BunnyLiveStream) -> Double? {
    guard waitsForTime(of: stream) else { return nil }
    let now = state.withLock { $0.clock }?.time(at: world.now()) ?? world.date()
    return Countdown.seconds(to: stream, now: now)
  }

  private func countDown(
    _ left: Double, to stream: BunnyLiveStream, saidAbove: inout Double?
  ) async {
    let date = stream.scheduledStartTime ?? world.date()
    waits(for: Waiting("the stream's time", until: (date, world.now() + .seconds(left))))
    let isFirst = saidAbove == nil
    if left <= saidAbove ?? .infinity {
      hub.send(.awaitingStart(at: date, after: .seconds(left.rounded())))
      saidAbove = Countdown.mark(below: left)
    }
    if isFirst { await lookAhead(within: min(10, left)) }
    await pause(
      .seconds(min(Countdown.look, max(0.05, left - (saidAbove ?? 0)))), while: Self.isUnasked)
  }
}
