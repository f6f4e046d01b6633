import BunnyStreamAPI
import BunnySystem
import Synchronization

// What follows a stream that is over.
extension LiveBroadcast {
  /// A stream that was over sooner is not followed by another one at once: the next might be as well.
  private static let leastLife = Int64.seconds(60)

  /// - Throws: `over`, unless something else is to be done about it.
  func goOn(after over: BroadcastError) async throws {
    guard plan.onEnded != .exit else { throw over }
    guard isWanted else { return }
    let isNews = state.withLock { state in
      defer { state.toldOver = over.description }
      return state.toldOver != over.description
    }
    let wait = "a stream of that id that can be published to, asked for again every 30 s"
    if isNews {
      let reason = plan.onEnded == .wait ? "\(over.sentence); waiting for \(wait)" : over.sentence
      hub.send(.streamOver(reason: reason))
    }
    waits(for: Waiting(plan.onEnded == .wait ? wait : "another stream"))
    switch plan.onEnded {
    case .exit: break
    case .wait: await pause(plan.lookPause, while: Self.isUnasked)
    case .create: try await succeed(after: over)
    }
  }

  /// Goes on with the stream that an earlier process has made in this one's place, which Bunny's API need
  /// not be asked about: this one is over for good.
  ///
  /// - Returns: Whether there is one.
  func goesOn(with record: StreamRecord?) -> Bool {
    guard plan.onEnded == .create, let successor = record?.successor else { return false }
    hub.send(
      .notice(message: "going on with \(successor), which was made in the place of \(streamId)"))
    become(successor, nil)
    return true
  }

  /// Goes on with a stream that is made in this one's place.
  private func succeed(after over: BroadcastError) async throws {
    let (store, last) = state.withLock { ($0.store, $0.stream) }
    let now = world.now()
    let isStorm = state.withLock { $0.made.map { now - $0 < Self.leastLife } ?? false }
    if isStorm { await pause(plan.lookPause, while: Self.isUnasked) }
    guard let stream = last ?? store?.record()?.stream(id: streamId) else { throw over }
    // Of one that is only remembered the flags are not known.
    let request =
      last == nil
      ? BunnyLiveStreamCreateRequest(title: stream.title ?? "Live stream")
      : BunnyLiveStreamCreateRequest(like: stream, now: world.date())
    try await create(request, inPlaceOf: store)
  }

  func become(_ id: String, _ stream: BunnyLiveStream?) {
    state.withLock { state in
      state.retire()
      (state.streamId, state.stream, state.store) = (id, stream, nil)
      (state.published, state.over, state.toldOver) = (nil, nil, nil)
      (state.own, state.unstarted) = (nil, nil)
      state.distrustsRecord = false
    }
  }
}
