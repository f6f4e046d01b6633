import BunnyRTMP
package import BunnyStreamAPI
import BunnySystem
import Synchronization

// A stream that is yet to be made.
extension LiveBroadcast {
  /// Makes the stream, once it is known that there is something to broadcast to it; or goes on with the one
  /// that an earlier start has made, if viewers have never seen it.
  func createFirst(_ request: BunnyLiveStreamCreateRequest) async throws {
    try await rehearse()
    let store = madeBefore(request.title)
    state.withLock { $0.creation = store }
    if let record = store?.record(), record.title == request.title, let id = record.successor {
      become(id, nil)
      let isUnused = try await isUnused()
      guard isWanted else { return }
      if isUnused {
        hub.send(
          .notice(message: "going on with \(id), made by an earlier start and never shown"))
        return
      }
      become("", nil)
    }
    try await create(request, inPlaceOf: store)
  }

  /// Remembers the stream that was made last under that title; nil: another process has one, or there is
  /// nowhere to.
  private func madeBefore(_ title: String) -> (any StreamMemory)? {
    guard let folder = plan.stateFolder else { return nil }
    let name = "made-\(LiveCreation.number(of: title, in: plan.libraryId))"
    do throws(StreamStore.Trouble) {
      return try world.store("\(folder)/streams", name)
    } catch {
      if case .unusable(let sentence) = error { hub.send(.notice(message: sentence)) }
      return nil
    }
  }

  /// Whether the stream is there, and viewers have never seen it; asks until that is known.
  private func isUnused() async throws -> Bool {
    var backoff = Backoff()
    while isWanted {
      do {
        return LiveCreation.isUnused(try await getStream(while: Self.isUnasked))
      } catch let error as BunnyLiveStreamError {
        if error.kind == .notFound { return false }
        guard isWanted else { break }
        if error.isPermanent || plan.retry == .never { throw BroadcastError.api(error) }
        let wait = backoff.failed(chance: world.chance(), retryAfter: error.retryAfter)
        hub.send(.askingAgain(after: wait, reason: error.description))
        await pause(wait, while: Self.isUnasked)
      }
    }
    return true
  }

  /// Opens what is going to be broadcast, and lets go of it.
  func rehearse() async throws {
    let ingest = try Ingest(named: Ingest.bunnyPrimary, "rehearsal")
    let configuration = configure(ingest, nil)
    try await whileWanted(Self.isUnasked) { [world] in try await world.rehearse(configuration) }
  }

  /// While a stream's time is awaited, somebody may still do something about a source that is not there.
  ///
  /// - Parameter seconds: what takes longer is nothing to wait for.
  func lookAhead(within seconds: Double) async {
    do { try await world.within(.seconds(seconds)) { try await self.rehearse() } } catch {
      guard isWanted, !(error is CancellationError) else { return }
      hub.send(.notice(message: "\(error); that would end the broadcast when the stream begins"))
    }
  }

  /// Makes a stream, which is the one to broadcast to from then on. A try whose answer was lost is looked
  /// for before the next one.
  ///
  /// - Parameter store: of the stream in whose place it is made.
  func create(
    _ request: BunnyLiveStreamCreateRequest, inPlaceOf store: (any StreamMemory)? = nil
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
        if let store { remember(id, titled: request.title, in: store) }
        become(id, stream)
        let now = world.now()
        state.withLock { $0.made = now }
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
  private func remember(_ successor: String, titled title: String, in store: any StreamMemory) {
    var record = store.record() ?? StreamRecord(key: "")
    record.title = record.title ?? title
    record.successor = successor
    do throws(StreamStore.Trouble) {
      try store.save(record)
    } catch {
      if case .unusable(let sentence) = error { hub.send(.notice(message: sentence)) }
    }
  }
}

/// What is decided about a stream that was made by an earlier start.
package enum LiveCreation {
  /// Viewers have never seen it, and it can still be shown to them.
  package static func isUnused(_ stream: BunnyLiveStream) -> Bool {
    switch Admission(stream) {
    case .publish(_, let needsStart, _): needsStart && stream.startedAt == nil
    case .again: true
    case .refuse: false
    }
  }

  /// Stands for a title in a file's name (FNV-1a, 64 bits).
  package static func number(of title: String, in library: Int) -> String {
    let hash = "\(library) \(title)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}
