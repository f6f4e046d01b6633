import BunnyStreamAPI
import BunnySystem

/// Keeps a stream's record up to date while it is broadcast to: whenever something changes, and every ten
/// seconds.
final class LiveRecord: Sendable {
  private static let pace = Duration.seconds(10)

  private struct State: Sendable {
    /// nil: all is written, and the lock is given back.
    var store: (any StreamMemory)?
    var record: StreamRecord
    var clock: ServerClock?
    /// An ingest has the stream.
    var isPublishing = false
    /// One had it.
    var hasPublished = false
    var isOver = false
    /// Something has changed since it was written.
    var isDue = false
    /// Somebody writes, and will look again.
    var isWriting = false
    var hasComplained = false
    /// Has it written every ten seconds.
    var beat: Task<Void, any Error>?
  }

  /// How long the end waits for what is written last: a card that is dying hangs.
  private static let patience = Duration.seconds(5)

  private let state: Decider<State>
  private let hub: EventHub
  private let world: LiveWorld
  private let over = Promise<Void>()

  init(
    _ store: any StreamMemory, _ record: StreamRecord, clock: ServerClock?, _ hub: EventHub,
    _ world: LiveWorld
  ) {
    (self.hub, self.world) = (hub, world)
    state = Decider(State(store: store, record: record, clock: clock))
    let beat = world.throwingTask { [weak self] () async throws -> Void in
      while true {
        try await world.sleep(Self.pace)
        guard let self else { return }
        beats()
      }
    }
    state.withLock { $0.beat = beat }
    change { _ in }
  }

  /// Writes the leave-taking, and returns when that is done, or takes too long.
  func end() async {
    state.withLock { $0.beat }?.cancel()
    change { $0.isOver = true }
    let alarm = world.throwingTask { [over, hub, world] in
      try await world.sleep(Self.patience)
      hub.send(
        .notice(
          message: "what is remembered of the stream is not written after 5 s; look at the disk"))
      over.keep(())
    }
    await over.value
    alarm.cancel()
  }

  private func beats() {
    if state.withLock({ $0.isPublishing }) { change { _ in } }
  }

  /// - Parameter has: an ingest has the stream.
  func isPublishing(_ has: Bool) {
    guard has else { return state.withLock { $0.isPublishing = false } }
    change { state in
      state.isPublishing = true
      state.hasPublished = true
    }
  }

  func told(_ status: BunnyLiveStreamIngestStatus) {
    guard let time = status.statusTime else { return }
    let now = world.now()
    let isFirst = state.withLock { state in
      defer { state.clock = ServerClock(time, at: now) }
      return state.clock == nil
    }
    if isFirst { change { _ in } }
  }

  /// Viewers see the stream.
  func isShown() {
    change { $0.record.isShown = true }
  }

  /// Other ingests or another key.
  func changed(_ record: StreamRecord) {
    change { state in
      var record = record
      (record.publishing, record.isShown) = (state.record.publishing, state.record.isShown)
      state.record = record
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.decide { state, deeds in
      body(&state)
      state.isDue = true
      guard !state.isWriting else { return }
      state.isWriting = true
      deeds.append { [self] in _ = world.task { await self.write() } }
    }
  }

  /// One after the other: the newest is written last.
  private func write() async {
    while let record = due() {
      await world.block { [self] in save(record) }
    }
    if state.withLock({ $0.store == nil }) { over.keep(()) }
  }

  /// What is to be written; nil: nothing, and nobody writes any more.
  private func due() -> StreamRecord? {
    let now = world.now()
    return state.withLock { state in
      guard state.isDue, state.store != nil else {
        state.isWriting = false
        if state.isOver { state.store = nil }
        return nil
      }
      state.isDue = false
      if state.isPublishing || state.isOver && state.hasPublished {
        state.record.publishing = .init(
          bootId: Boot.id, at: now, serverTime: state.clock?.time(at: now), hasLeft: state.isOver)
      }
      return state.record
    }
  }

  /// Nobody else holds on to the store, whose lock is free once it is let go of.
  private func save(_ record: StreamRecord) {
    guard let store = state.withLock({ $0.store }) else { return }
    do throws(StreamStore.Trouble) {
      try store.save(record)
    } catch {
      let isNews = state.withLock { state in
        defer { state.hasComplained = true }
        return !state.hasComplained
      }
      if isNews, case .unusable(let sentence) = error { hub.send(.notice(message: sentence)) }
    }
  }
}
