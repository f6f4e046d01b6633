import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnySystem
import Synchronization

/// Media in a ``VirtualWorld``: opens, connects, is lost, tries again, and tells of it as a ``Broadcast`` does.
final class VirtualMedia: LiveMedia {
  private struct State {
    var ingests: [Ingest]
    var reason: String?
    var working: Task<Void, Never>?
    var failure: BroadcastError?
    var isMuted: Bool
    /// Which one carries the stream, and how often Bunny has said in a row that it does not have it.
    var place: Int?
    var notLive = 0
    var statistics = BroadcastStatistics()
  }

  let configuration: BroadcastConfiguration
  private let bunny: VirtualBunny
  private let hub = AsyncStream.makeStream(of: BunnyBroadcastEvent.self)
  private let state: Mutex<State>
  private var world: VirtualWorld { bunny.world }

  init(_ configuration: BroadcastConfiguration, _ bunny: VirtualBunny) {
    self.configuration = configuration
    self.bunny = bunny
    bunny.mediaBegins()
    let ingests = [configuration.ingest] + [configuration.backup].compactMap(\.self)
    state = Mutex(State(ingests: ingests, isMuted: configuration.isMuted))
  }

  func events() -> AsyncStream<BunnyBroadcastEvent> { hub.stream }

  func run() async throws(BroadcastError) -> BroadcastTotals {
    let working = Task(executorPreference: world) {
      do { try await self.publish() } catch let error as BroadcastError {
        self.state.withLock { $0.failure = error }
      } catch {}  // cancelled
    }
    let isAsked = state.withLock { state in
      state.working = working
      return state.reason != nil
    }
    if isAsked { working.cancel() }
    let alarm = Task(executorPreference: world) { [configuration, world] in
      guard let duration = configuration.duration else { return }
      try await world.sleep(duration)
      working.cancel()
    }
    await working.value
    alarm.cancel()
    let (reason, failure, totals) = state.withLock { ($0.reason, $0.failure, $0.statistics.totals) }
    if reason == nil, let failure { tell(.failed(message: failure.description)) }
    tell(.stopped)
    tell(.ended(totals, reason: reason ?? "over"))
    hub.continuation.finish()
    if reason == nil, let failure { throw failure }
    return totals
  }

  private func tell(_ event: BunnyBroadcastEvent) { hub.continuation.yield(event) }

  /// Until it is cancelled.
  private func publish() async throws {
    tell(.preparing)
    try await world.sleep(world.random(.seconds(1)))
    if !bunny.isSteady, world.chance(2) { throw BroadcastError.source(.missing("camera")) }
    var (attempt, place, wasAccepted) = (0, 0, false)
    while true {
      let ingest = ingest(place)
      tell(.connection(ingest, .connecting))
      try await world.sleep(world.random(.seconds(1)))
      let reason: String
      if let stream = bunny.accepts(ingest.streamName.reveal(), at: place) {
        bunny.arrives(stream, at: place, isFirst: !wasAccepted)
        defer { bunny.leaves(stream) }
        tell(wasAccepted ? .reconnected(ingest) : .started(ingest))
        (wasAccepted, attempt) = (true, 0)
        state.withLock { $0.statistics.totals.connections += 1 }
        let last: Ingest
        (last, reason) = try await carry(stream, ingest, &place)
        tell(.lost(last, reason: reason))
      } else {
        reason = "refused"
        if !bunny.isSteady, world.chance(3) {
          throw BroadcastError.ingest(RTMPError(.stalled(seconds: 1), at: ingest))
        }
      }
      attempt += 1
      place = 1 - place
      let wait = world.random(.seconds(3))
      tell(.reconnecting(attempt: attempt, usingBackup: place == 1, after: wait, reason: reason))
      try await world.sleep(wait)
    }
  }

  private func ingest(_ place: Int) -> Ingest { state.withLock { $0.ingests[place] } }

  /// Until the connection is lost, or cut, since the stream is over or has another key; now and then the other
  /// ingest takes over without a word of the first.
  ///
  /// - Returns: Which one was lost, and why.
  private func carry(
    _ stream: String, _ first: Ingest, _ place: inout Int
  ) async throws -> (Ingest, String) {
    var ingest = first
    while true {
      state.withLock { [place] in ($0.place, $0.notLive) = (place, 0) }
      let end = bunny.isSteady ? .distantFuture : world.now + world.random(.seconds(60)).whole
      while world.now < end {
        try await world.sleep(.seconds(1))
        guard bunny.accepts(ingest.streamName.reveal(), at: place) == stream else {
          return (ingest, "cut")
        }
        guard state.withLock({ $0.notLive < 2 }) else { return (ingest, "not there") }
      }
      let other = self.ingest(1 - place)
      guard world.chance(30), bunny.accepts(other.streamName.reveal(), at: 1 - place) == stream
      else { return (ingest, "reset") }
      bunny.leaves(stream)
      (ingest, place) = (other, 1 - place)
      bunny.arrives(stream, at: place, isFirst: false)
      tell(.reconnected(ingest))
    }
  }

  func stop(reason: String) {
    let working = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.working
    }
    working?.cancel()
  }

  func told(primaryIsLive: Bool?, backupIsLive: Bool?) {
    state.withLock { state in
      let isLive = state.place == 0 ? primaryIsLive : backupIsLive
      state.notLive = isLive == false ? state.notLive + 1 : 0
    }
  }

  func publish(to ingest: Ingest, backup: Ingest?) -> Bool {
    state.withLock { $0.ingests = [ingest] + [backup].compactMap(\.self) }
    return true
  }

  var isMuted: Bool {
    get { state.withLock { $0.isMuted } }
    set { state.withLock { $0.isMuted = newValue } }
  }

  func rotateCamera() {
    tell(
      world.chance(50)
        ? .cameraChanged(source: "two") : .cameraNotChanged(source: "two", reason: "busy"))
  }

  var statistics: BroadcastStatistics { state.withLock { $0.statistics } }
}
