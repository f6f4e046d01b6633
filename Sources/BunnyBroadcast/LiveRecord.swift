import BunnyStreamAPI
import BunnySystem
import Synchronization

/// Keeps a stream's record up to date while it is broadcast to: every ten seconds, from a thread of its
/// own, since a card may take a second to write.
final class LiveRecord: Sendable {
  private static let pace = Int64.seconds(10)

  private struct State {
    /// nil: all is written, and the lock is given back.
    var store: StreamStore?
    var record: StreamRecord
    var clock: ServerClock?
    /// An ingest has the stream.
    var isPublishing = false
    /// One had it.
    var hasPublished = false
    var isOver = false
    /// Something has changed since it was written.
    var isDue = true
    var hasComplained = false
  }

  /// How long the end waits for what is written last: a card that is dying hangs.
  private static let patience = Duration.seconds(5)

  private let state: Mutex<State>
  private let wake = WakeEvent()
  private let hub: EventHub
  private let over = Promise<Void>()

  init(_ store: StreamStore, _ record: StreamRecord, clock: ServerClock?, _ hub: EventHub) {
    self.hub = hub
    state = Mutex(State(store: store, record: record, clock: clock))
    startThread("record") { [self] in
      while write() { wake.wait(until: .now + Self.pace) }
      over.keep(())
    }
  }

  /// Writes the leave-taking, and returns when that is done, or takes too long.
  func end() async {
    state.withLock { $0.isOver = true }
    wake.signal()
    let waiting = Task { [over, hub] in
      try await Task.sleep(for: Self.patience)
      hub.send(
        .notice(
          message: "what is remembered of the stream is not written after 5 s; look at the disk"))
      over.keep(())
    }
    await over.value
    waiting.cancel()
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
    let isFirst = state.withLock { state in
      defer { state.clock = ServerClock(time, at: .now) }
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
    state.withLock { state in
      body(&state)
      state.isDue = true
    }
    wake.signal()
  }

  /// - Returns: false when that was the last time.
  private func write() -> Bool {
    let (store, record, isDue, isOver) = state.withLock { state in
      let now = MonotonicTime.now
      if state.isPublishing || state.isOver && state.hasPublished {
        state.record.publishing = .init(
          bootId: Boot.id, at: now, serverTime: state.clock?.time(at: now), hasLeft: state.isOver)
        state.isDue = true
      }
      defer {
        state.isDue = false
        if state.isOver { state.store = nil }
      }
      return (state.store, state.record, state.isDue, state.isOver)
    }
    guard isDue else { return !isOver }
    do throws(StreamStore.Trouble) {
      try store?.save(record)
    } catch {
      let isNews = state.withLock { state in
        defer { state.hasComplained = true }
        return !state.hasComplained
      }
      if isNews, case .unusable(let sentence) = error { hub.send(.notice(message: sentence)) }
    }
    return !isOver
  }
}
