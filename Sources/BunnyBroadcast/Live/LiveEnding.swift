import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Synchronization

// Leave is not end.
extension LiveBroadcast {
  /// For how long a stop is tried when the API does not answer.
  private static let stopPatience = Duration.seconds(30)

  /// Ends the stream for good; ``stop(reason:)`` ends the tries.
  ///
  /// - Returns: Why it was not ended.
  func stopStream() async -> BroadcastError? {
    let deadline = world.now() + Self.stopPatience.nanoseconds
    var backoff = Backoff()
    while true {
      let left = Duration.nanoseconds(max(0, deadline - world.now()))
      let error: BroadcastError
      do {
        try await claimAtLast(within: left)
        try await whileWanted(Self.isToEnd) { [api, plan, streamId, world] in
          try await world.within(left) {
            try await api.stopLiveStream(libraryId: plan.libraryId, streamId: streamId)
          }
        }
        hasStopped()
        return nil
      } catch let failure {
        error = BroadcastError(failure)
      }
      if case .streamTaken = error {
        hub.send(.left(reason: "it was to be ended, and is somebody else's"))
        return error
      }
      switch await FailedStop(statusNow(), mayPass: error.mayPass) {
      case .ended:
        hasStopped()
        return nil
      case .notBegun:
        hub.send(.left(reason: "it has not begun, so there is nothing to end"))
        return nil
      case .open: break
      }
      let wait = backoff.failed(chance: world.chance(), retryAfter: error.retryAfter)
      let isLate = deadline - world.now() <= wait.nanoseconds
      let leaves = state.withLock { $0.farewell.ending?.leaves == true }
      guard !leaves, error.mayPass, plan.retry == .always, !isLate else {
        hub.send(.left(reason: "it was to be ended, and is not known to be: \(error)"))
        guard case .api(let error) = error else { return error }
        return .undone(.stop, streamId, error)
      }
      hub.send(.askingAgain(after: wait, reason: error.description))
      await pause(wait, while: Self.isToEnd)
    }
  }

  /// What was to be published to without knowing whose it was is not ended without asking; what never was, not
  /// without knowing.
  private func claimAtLast(within limit: Duration) async throws {
    let (session, own, isPublished) = state.withLock { ($0.session, $0.own, $0.published != nil) }
    guard let session, !session.isClaimed else { return }
    let (library, id) = (plan.libraryId, streamId)
    let limit = isPublished ? min(limit, .seconds(5)) : limit
    let status: BunnyLiveStreamIngestStatus
    do {
      status = try await whileWanted(Self.isToEnd) { [api, world] in
        try await world.within(limit) {
          try await api.ingestStatus(libraryId: library, streamId: id)
        }
      }
    } catch {
      guard isPublished else { throw error }
      return  // what we have sent is ours to end, though nobody tells whose it is
    }
    if let taken = rival(of: session, status, own: own) { throw taken }
    session.isClaimed = true
  }

  private func hasStopped() {
    // What is over is not remembered, its key least of all.
    state.withLock { $0.store }?.forget()
    hub.send(.streamEnded)
  }

  /// nil: the API does not tell.
  private func statusNow() async -> BunnyLiveStreamStatus? {
    try? await getStream(within: .seconds(5), while: Self.isToEnd).status
  }
}

// What another wish cancels.

extension LiveBroadcast {
  typealias Wish = @Sendable (Ending?) -> Bool
  private static let isToEnd: Wish = { $0?.leaves != true }
  /// Nobody has asked for an end.
  static let isUnasked: Wish = { $0 == nil }

  func getStream(
    within limit: Duration = .seconds(60), while isWanted: Wish
  ) async throws -> BunnyLiveStream {
    try await whileWanted(isWanted) { [api, plan, streamId, world] in
      try await world.within(limit) {
        try await api.getLiveStream(libraryId: plan.libraryId, streamId: streamId)
      }
    }
  }

  func pause(_ duration: Duration, while isWanted: Wish) async {
    _ = try? await whileWanted(isWanted) { [world] in try await world.sleep(duration) }
  }

  /// Does `work`, which is cancelled when what is asked of the broadcast changes.
  ///
  /// - Parameter isWanted: whether it is to be begun, by what has been asked until then.
  func whileWanted<Success: Sendable>(
    _ isWanted: Wish, _ work: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    let working = world.throwingTask(work)
    let isUnwanted = state.withLock { state in
      state.cancelWaiting = { working.cancel() }
      return !isWanted(state.farewell.ending)
    }
    if isUnwanted { working.cancel() }
    return try await withTaskCancellationHandler {
      try await working.value
    } onCancel: {
      working.cancel()
    }
  }
}
