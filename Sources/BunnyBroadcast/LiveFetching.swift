import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import FoundationEssentials
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
    let wasPublishedTo = record?.publishing != nil || state.withLock { $0.published != nil }
    var rule = FetchRule(
      retries: plan.retry == .always, remembers: memory != nil, wasPublishedTo: wasPublishedTo,
      at: world.now())
    while isWanted {
      let (error, reason, step): (BunnyLiveStreamError, String, FetchRule.Step)
      do {
        let stream = try await getStream(
          within: rule.patience(at: world.now()), while: Self.isUnasked)
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
          if let left = await secondsToWait(for: stream) {
            await countDown(left, saidAbove: &saidAbove)
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
      case .ask(let wait):
        hub.send(.askingAgain(after: wait, reason: reason))
        await pause(wait, while: Self.isUnasked)
      case .makeSure(let wait): await pause(wait, while: Self.isUnasked)
      case .deleted: throw BroadcastError.streamDeleted(streamId)
      case .giveUp: throw BroadcastError.api(error)
      case .useMemory:
        hub.send(
          .notice(message: "\(error); publishing to where this machine published last, meanwhile"))
        return memory
      }
    }
    return nil
  }

  /// What may be published to while the API does not answer.
  private func trusted(_ record: StreamRecord?) -> Opening? {
    guard let record, record.publishing != nil, !record.key.reveal().isEmpty,
      plan.retry == .always, !state.withLock({ $0.distrustsRecord })
    else { return nil }
    let stream = record.stream(id: streamId)
    return Opening(stream: stream, key: record.key.reveal(), needsStart: nil)
  }

  // MARK: One publisher

  /// - Throws: That somebody else publishes to the stream.
  func claim(_ opening: Opening, own: StreamRecord.Publishing?) async throws {
    // Nobody publishes to a stream that was never published to.
    guard opening.needsStart != nil, opening.stream.status != .created,
      opening.stream.status != .scheduled, let status = await askStatus()
    else { return }
    let own = state.withLock { $0.published } ?? own
    guard
      case .taken(let lastPing) = PublisherClaim(status, own: own, bootId: Boot.id, at: world.now())
    else { return }
    let error = BroadcastError.streamTaken(streamId, lastPing: lastPing)
    guard plan.takesOver else { throw error }
    hub.send(.notice(message: "\(error.sentence); taking it over"))
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

  /// nil: its time has come, it has none, or that is not for us to wait for.
  private func secondsToWait(for stream: BunnyLiveStream) async -> Double? {
    guard plan.startsStream, !plan.startsNow, stream.scheduledStartTime != nil,
      stream.status != .running
    else { return nil }
    if state.withLock({ $0.clock == nil }) { _ = await askStatus() }
    let now = state.withLock { $0.clock }?.time(at: world.now()) ?? Date()
    return Countdown.seconds(to: stream, now: now)
  }

  private func countDown(_ left: Double, saidAbove: inout Double?) async {
    if left <= saidAbove ?? .infinity {
      hub.send(.awaitingStart(after: .seconds(left.rounded())))
      saidAbove = Countdown.mark(below: left)
    }
    await pause(
      .seconds(min(Countdown.look, max(0.05, left - (saidAbove ?? 0)))), while: Self.isUnasked)
  }
}
