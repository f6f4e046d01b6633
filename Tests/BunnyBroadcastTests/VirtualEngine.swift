import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Synchronization

/// What a ``VirtualBunny`` notes of the broadcast that runs.
struct VirtualEngine {
  /// The one that was asked for last.
  var stream: String?
  /// The API said last that these are over, or not there.
  var saidOver: Set<String> = []
  /// It had another one made in this one's place, and does not know it yet.
  var makes: String?
  /// How many streams it has made.
  var made = 0
  /// How often media was begun, and an ingest took it.
  var media = 0
  var arrivals = 0
  /// It was told of no ingest while a stranger had one.
  var wasMisled = false
  var began = MonotonicTime(nanoseconds: 0)
  /// We had sent something not long before.
  var wasOurs = false
  /// The ingest that we send to.
  var place: Int?
  /// When it heard of a stranger who had long been there, and when of nobody else.
  var heardOfStranger: MonotonicTime?
  /// How often it did while it sent the stream too, and could know them apart.
  var besides = 0
}

// One publisher, one successor.
extension VirtualBunny {
  /// Seconds after which nothing that we have sent is taken for ours any more.
  private static let longAgo = Int64.seconds(75)

  /// Another broadcast runs.
  func engineBegins() {
    let now = world.now
    note("an engine begins")
    state.withLock { state in
      // Of what was under way when it was left nobody can know.
      if let stream = state.engine.makes { state.replaced.remove(stream) }
      state.engine = VirtualEngine()
      state.engine.began = now
      state.engine.wasOurs = state.ingests.hasSeen(isOurs: true, now, within: Self.longAgo)
      if plan.stateFolder == nil { state.replaced = [] }
    }
  }

  func mediaBegins() { state.withLock { $0.engine.media += 1 } }

  /// Somebody else publishes to a stream for a while.
  func strangerComes() {
    let (place, stay) = (world.random(0...1), world.random(.seconds(120)).whole)
    let (glow, now) = (world.random(.seconds(20)).whole, world.now)
    note("a stranger comes to ingest \(place) for \(stay / 1_000_000) ms")
    state.withLock { state in
      guard let id = state.streams.keys.sorted().last, state.streams[id]?.isOver == false,
        state.ingests.stranger(of: id, now) == nil, state.engine.place != place
      else { return }
      if state.streams[id]?.status == .created { state.streams[id]?.status = .preview }
      state.ingests.come(id, at: place, isOurs: false, now, glow: glow, until: now + stay)
    }
  }

  /// Whether anybody else has published to any stream lately; without a memory that may have been ourselves.
  var hadStranger: Bool {
    let now = world.now
    return state.withLock { state in
      state.ingests.hasSeen(isOurs: false, now, within: .seconds(90))
        || plan.stateFolder == nil && state.ingests.hasSeen(isOurs: true, now, within: .seconds(90))
    }
  }

  // MARK: The ingests

  /// - Returns: The stream that an ingest takes under that key; nil: it refuses.
  func accepts(_ key: String, at place: Int) -> String? {
    let now = world.now
    return state.withLock { state in
      guard state.ingestsDownUntil <= now,
        let (id, stream) = state.streams.first(where: { $0.value.key == key }), !stream.isOver,
        state.ingests.stranger(of: id, now, at: place) == nil
      else { return nil }
      if stream.status == .created { state.streams[id]?.status = .preview }
      return id
    }
  }

  /// - Parameter isFirst: nothing was accepted of this media before.
  func arrives(_ id: String, at place: Int, isFirst: Bool) {
    let (now, glow) = (world.now, world.random(.seconds(20)).whole)
    let (number, heard) = state.withLock { state in
      state.publishers += 1
      state.ingests.come(id, at: place, isOurs: true, now, glow: glow)
      (state.engine.place, state.engine.besides) = (place, 0)
      state.engine.arrivals += 1
      return (state.publishers, state.engine.heardOfStranger)
    }
    demand(number == 1, "two broadcasts publish at a time")
    guard isFirst, !plan.takesOver, let heard else { return }
    demand(
      !(100_000_000..<Int64.seconds(4)).contains(now - heard), "it publishes to a stranger's stream"
    )
  }

  func leaves(_ id: String) {
    let now = world.now
    state.withLock { state in
      state.publishers -= 1
      state.ingests.leave(id, now)
      state.engine.place = nil
    }
  }

  // MARK: What the API's answers come to

  func tells(_ id: String, isOver: Bool) {
    state.withLock { state in
      if isOver { state.engine.saidOver.insert(id) } else { state.engine.saidOver.remove(id) }
    }
  }

  func hears(_ status: BunnyLiveStreamIngestStatus, of id: String) {
    let now = world.now
    guard status.isLive else {
      return state.withLock { state in
        if state.ingests.stranger(of: id, now) != nil { state.engine.wasMisled = true }
      }
    }
    let besides: Int = state.withLock { state in
      state.engine.heardOfStranger = nil
      guard let since = state.ingests.stranger(of: id, now), now - since > .seconds(5) else {
        return 0
      }
      if state.ingests.own(of: id, now) != nil {
        // Of one ingest, and no other before.
        let isKnown =
          since < state.engine.began && (state.engine.media, state.engine.arrivals) == (1, 1)
          && !state.engine.wasOurs && !state.engine.wasMisled
        state.engine.besides = isKnown ? state.engine.besides + 1 : 0
      } else if !state.ingests.hasSeen(isOurs: true, of: id, now, within: Self.longAgo) {
        state.engine.heardOfStranger = now
      }
      return state.engine.besides
    }
    demand(plan.takesOver || besides <= 1, "it goes on beside a stranger who was there before")
  }
}

extension VirtualBunny.State {
  /// A stream is made: once in the place of each that is over, and once where it is to be made anyway.
  mutating func makes(_ id: String, _ plan: LivePlan) {
    let last = engine.stream
    engine.made += 1
    engine.stream = id
    guard engine.made > 1 || plan.creates == nil else { return }
    guard let last else { return wrongs.append("\(id) is made, and nothing was looked at") }
    if !engine.saidOver.contains(last) { wrongs.append("\(id) is made, and \(last) is not over") }
    if !replaced.insert(last).inserted { wrongs.append("\(last) is followed twice") }
    engine.makes = last
  }
}
