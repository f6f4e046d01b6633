import BunnyStreamAPI
import BunnySystem
import FoundationEssentials
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
    if isNews { hub.send(.streamOver(reason: over.sentence)) }
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
      : BunnyLiveStreamCreateRequest(like: stream, now: Date())
    try await create(request, inPlaceOf: store)
  }

  /// Makes a stream, which is the one to broadcast to from then on. A try whose answer was lost is looked
  /// for before the next one.
  ///
  /// - Parameter store: of the stream in whose place it is made.
  func create(
    _ request: BunnyLiveStreamCreateRequest, inPlaceOf store: StreamStore? = nil
  ) async throws {
    var backoff = Backoff()
    var known: Set<String>?
    while isWanted {
      do {
        let ids = try await streams(titled: request.title)
        let stream: BunnyLiveStream
        if let known, let found = ids.first(where: { !known.contains($0.id ?? "") }) {
          stream = found
        } else {
          known = Set(ids.compactMap(\.id))
          let library = plan.libraryId
          stream = try await whileWanted(Self.isUnasked) { [api, world] in
            try await world.within(.seconds(60)) {
              try await api.createLiveStream(libraryId: library, request: request)
            }
          }
        }
        guard let id = stream.id, !id.isEmpty else {
          throw BunnyLiveStreamError(
            kind: .invalidResponse, message: "it has no GUID", attempt: "make a live stream")
        }
        if let store { remember(id, in: store) }
        become(id, stream)
        state.withLock { $0.made = world.now() }
        hub.send(.streamCreated(id: id, title: stream.title ?? request.title))
        return
      } catch let error as BunnyLiveStreamError {
        guard isWanted else { return }
        if error.isPermanent || plan.retry == .never { throw BroadcastError.api(error) }
        let wait = backoff.failed(chance: world.chance(), retryAfter: error.retryAfter)
        hub.send(.askingAgain(after: wait, reason: error.description))
        await pause(wait, while: Self.isUnasked)
      }
    }
  }

  /// The newest hundred of that title.
  private func streams(titled title: String) async throws -> [BunnyLiveStream] {
    let library = plan.libraryId
    let page = try await whileWanted(Self.isUnasked) { [api, world] in
      try await world.within(.seconds(60)) {
        try await api.listLiveStreams(
          libraryId: library, page: nil, itemsPerPage: 100, search: title, orderBy: "date")
      }
    }
    return page.items.filter { $0.title == title }
  }

  /// So that a process that is started with the old GUID goes on with the new one.
  private func remember(_ successor: String, in store: StreamStore) {
    var record = store.record() ?? StreamRecord(key: "")
    record.successor = successor
    do throws(StreamStore.Trouble) {
      try store.save(record)
    } catch {
      if case .unusable(let sentence) = error { hub.send(.notice(message: sentence)) }
    }
  }

  private func become(_ id: String, _ stream: BunnyLiveStream?) {
    state.withLock { state in
      (state.streamId, state.stream, state.store) = (id, stream, nil)
      (state.published, state.over, state.toldOver) = (nil, nil, nil)
      state.distrustsRecord = false
    }
  }
}
