import BunnyBroadcast
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Synchronization

/// Bunny in a ``VirtualWorld``: a library of streams, an API that takes its time and fails, and ingests. Notes
/// what happens, and what nobody may do.
final class VirtualBunny: PartlyScripted {
  struct Stream {
    var status = BunnyLiveStreamStatus.created
    var title = "T"
    var key: String
    /// Its scheduled time; nil: it has none.
    var begins: Date?

    var isOver: Bool { [.ended, .error].contains(status) }
  }

  struct State {
    var streams: [String: Stream] = ["s": Stream(key: "s-0")]
    var keys = 0
    /// Of the calls under way, by name and stream.
    var underWay: [String: Int] = [:]
    var awayUntil = MonotonicTime(nanoseconds: 0)
    var ingestsDownUntil = MonotonicTime(nanoseconds: 0)
    var ingests = VirtualIngests()
    var mayStop = false
    var publishers = 0
    var engine = VirtualEngine()
    /// In whose place another one was made.
    var replaced: Set<String> = []
    var wrongs: [String] = []
    var counts: [String: Int] = [:]
    var story: [String] = []
  }

  let world: VirtualWorld
  let plan: LivePlan
  let state = Mutex(State())
  /// What fails of the calls, in percent, and how long they take at most.
  private let faults: Int
  private let latency: Duration
  /// Why calls of that name fail, always.
  let failing = Mutex<[String: BunnyLiveStreamError]>([:])

  init(_ world: VirtualWorld, _ plan: LivePlan, faults: Int, latency: Duration = .seconds(2)) {
    (self.world, self.plan, self.faults, self.latency) = (world, plan, faults, latency)
  }

  /// Nothing happens but what a test has happen.
  var isSteady: Bool { faults == 0 }

  /// As a live broadcast sees it all.
  var live: LiveWorld {
    var live = world.live
    live.media = { configuration, _ in VirtualMedia(configuration, self) }
    return live
  }

  // MARK: What a test looks at

  var wrongs: [String] { state.withLock { $0.wrongs } }
  /// All that happened, line by line.
  var story: [String] { state.withLock { $0.story } }
  func count(_ call: String) -> Int { state.withLock { $0.counts[call, default: 0] } }

  func counts(_ what: String) { state.withLock { $0.counts[what, default: 0] += 1 } }

  func note(_ line: String) {
    let now = world.now
    state.withLock { $0.story.append("\(now.nanoseconds / 1_000_000) \(line)") }
  }

  func demand(_ condition: Bool, _ wrong: @autoclosure () -> String) {
    guard !condition else { return }
    let wrong = wrong()
    note("WRONG: \(wrong)")
    state.withLock { $0.wrongs.append(wrong) }
  }

  /// Nothing is asked, and nobody publishes.
  func isQuiet() -> Bool {
    state.withLock { $0.publishers == 0 && $0.underWay.values.allSatisfy { $0 == 0 } }
  }

  // MARK: What a test does

  func mayStop(_ may: Bool) { state.withLock { $0.mayStop = may } }

  func change(_ stream: String = "s", _ change: (inout Stream) -> Void) {
    state.withLock { change(&$0.streams[stream]!) }
  }

  func fails(_ call: String, _ error: BunnyLiveStreamError?) {
    failing.withLock { $0[call] = error }
  }

  /// The API, or the ingests, are not there for a while.
  func goesAway(for time: Duration) {
    note("the API goes away for \(time)")
    state.withLock { $0.awayUntil = world.now + time.whole }
  }
  func ingestsGoDown(for time: Duration) {
    note("the ingests go down for \(time)")
    state.withLock { $0.ingestsDownUntil = world.now + time.whole }
  }

  /// Somebody else publishes to the backup.
  func strangerIsAtBackup() {
    state.withLock { $0.ingests.come("s", at: 1, isOurs: false, world.now, glow: 0) }
  }

  /// From elsewhere: a stream is ended, deleted, given another key, or is there again.
  func meddle(mayRestore: Bool) {
    let (what, key) = (world.random(0...9), "\(world.random(1...99_999))")
    let begins = world.chance(30) ? world.date + Double(world.random(0...200)) : nil
    note("meddling \(what)")
    state.withLock { state in
      let restored = Stream(key: "s-\(key)", begins: begins)
      guard let id = state.streams.keys.sorted().last, let stream = state.streams[id] else {
        if mayRestore { state.streams["s"] = restored }
        return
      }
      // Whatever it is, who else publishes to it is cut off.
      state.ingests.leave(id, isOurs: false, world.now)
      switch what {
      case 0...3: state.streams[id]?.status = .ended
      case 4: state.streams[id]?.status = .error
      case 5: state.streams[id] = nil
      case 6, 7: state.streams[id]?.key = "\(id)-\(key)"
      default:
        if mayRestore, stream.isOver { state.streams[id] = restored }
      }
    }
  }

  // MARK: The API

  /// One call: once at a time of each name and stream; takes its time, and may fail before or after it does
  /// what is asked.
  private func call<Answer: Sendable>(
    _ name: String, _ id: String, _ answer: (inout State) -> Result<Answer, BunnyLiveStreamError>
  ) async throws(BunnyLiveStreamError) -> Answer {
    let call = "\(name) \(id)"
    let number = state.withLock { state in
      state.counts[name, default: 0] += 1
      state.underWay[call, default: 0] += 1
      return state.underWay[call]!
    }
    defer { state.withLock { $0.underWay[call]! -= 1 } }
    demand(number == 1, "\(call) is called twice at a time")
    let isHanging = world.chance(faults / 10)
    do { try await world.sleep(isHanging ? .seconds(60) : world.random(latency)) } catch {
      note("\(call) is cancelled")
      throw BunnyLiveStreamError(kind: .transport, message: "cancelled")
    }
    if let error = failing.withLock({ $0[name] }) { throw error }
    if isHanging || state.withLock({ $0.awayUntil > world.now }) {
      throw BunnyLiveStreamError(kind: .transport, message: "no answer")
    }
    let (fails, isLost) = (world.chance(faults), world.chance(50))
    note("\(call)\(fails ? isLost ? ", its answer is lost" : " fails" : "")")
    if fails, !isLost { throw trouble }
    let result = state.withLock { answer(&$0) }
    if fails { throw trouble }
    return try result.get()
  }

  private static let kinds: [BunnyLiveStreamError.Kind] = [
    .server, .server, .transport, .invalidResponse, .notFound,
  ]

  private var trouble: BunnyLiveStreamError {
    let kinds = Self.kinds
    var error = BunnyLiveStreamError(kind: kinds[world.random(0...kinds.count - 1)])
    if error.kind == .server, world.chance(20) { error.retryAfter = .seconds(world.random(0...20)) }
    return error
  }

  private static let missing = BunnyLiveStreamError(kind: .notFound, statusCode: 404)
  private static func refusal(_ words: String) -> BunnyLiveStreamError {
    BunnyLiveStreamError(kind: .invalidRequest, statusCode: 400, message: words)
  }

  private func tell(_ id: String, _ stream: Stream) -> BunnyLiveStream {
    BunnyLiveStream(
      id: id, title: stream.title, streamKey: stream.key, primaryIngestUrl: "rtmp://a/live",
      backupIngestUrl: "rtmp://b/live",
      status: stream.status == .created && stream.begins != nil ? .scheduled : stream.status,
      scheduledStartTime: stream.begins)
  }

  func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    state.withLock { $0.engine.stream = streamId }
    do throws(BunnyLiveStreamError) {
      let stream = try await call("get", streamId) { state in
        state.streams[streamId].map { .success(tell(streamId, $0)) } ?? .failure(Self.missing)
      }
      tells(streamId, isOver: [.ended, .error].contains(stream.status))
      return stream
    } catch {
      if error.kind == .notFound { tells(streamId, isOver: true) }
      throw error
    }
  }

  func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
    let (isReady, odds) = (world.chance(70) || isSteady, isSteady ? 0 : 4)
    let (saysNothing, isWrong) = (world.chance(odds), world.chance(odds))
    let jitter = Int64.milliseconds(Int64(world.random(0...4000)))
    let status = try await call("status", streamId) {
      state -> Result<BunnyLiveStreamIngestStatus, BunnyLiveStreamError> in
      guard let stream = state.streams[streamId] else { return .failure(Self.missing) }
      var sight = state.ingests.sight(of: streamId, world.now, jitter: jitter)
      if isWrong || stream.isOver { sight.flags = [false, false] }
      return .success(
        BunnyLiveStreamIngestStatus(
          readyToStart: isReady && state.publishers > 0 && !stream.isOver,
          primaryLive: saysNothing ? nil : sight.flags[0],
          backupLive: saysNothing ? nil : sight.flags[1],
          lastPingAgo: sight.lastPing.map { $0 / 1_000_000 }, statusTime: world.date))
    }
    hears(status, of: streamId)
    return status
  }

  func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
    let begins = state.withLock { $0.streams[streamId]?.begins }
    let early = begins.map { $0.timeIntervalSince(world.date) } ?? 0
    demand(plan.startsNow || early < 0.001, "\(streamId) is started \(early) s before its time")
    try await call("start", streamId) { state -> Result<Void, BunnyLiveStreamError> in
      guard state.streams[streamId]?.status == .preview else {
        return .failure(Self.refusal("not in preview"))
      }
      state.streams[streamId]?.status = .running
      return .success(())
    }
  }

  func stopLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
    demand(state.withLock { $0.mayStop }, "stop is sent, and nobody asked for it")
    try await call("stop", streamId) { state -> Result<Void, BunnyLiveStreamError> in
      guard let status = state.streams[streamId]?.status, status != .ended else {
        return .failure(Self.refusal("ended already"))
      }
      state.streams[streamId]?.status = .ended
      state.ingests.leave(streamId, isOurs: false, world.now)
      return .success(())
    }
  }

  func createLiveStream(
    libraryId: Int, request: BunnyLiveStreamCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    let (id, stream) = try await call("create", "") {
      state -> Result<(String, Stream), BunnyLiveStreamError> in
      state.keys += 1
      let id = "s\(100_000 + state.keys)"
      let stream = Stream(title: request.title, key: "\(id)-0", begins: request.scheduledStartTime)
      state.makes(id, plan)
      state.streams[id] = stream
      return .success((id, stream))
    }
    state.withLock { $0.engine.makes = nil }
    return tell(id, stream)
  }

  func listLiveStreams(
    libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamList {
    try await call("list", "") { state in
      let items = state.streams.sorted { $0.key > $1.key }.map { tell($0.key, $0.value) }
      return .success(
        .init(items: items, totalItems: items.count, currentPage: 1, itemsPerPage: 100))
    }
  }
}

extension Duration {
  /// Nanoseconds.
  var whole: Int64 { Int64(self / .nanoseconds(1)) }
}
