import BunnyBroadcast
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Synchronization

/// Bunny in a ``VirtualWorld``: a library of streams, an API that takes its time and fails, and ingests. Notes
/// what nobody may do.
final class VirtualBunny: PartlyScripted {
  private struct Stream {
    var status = BunnyLiveStreamStatus.created
    var title: String
    var key: String
  }

  private struct State {
    var streams: [String: Stream] = ["s": Stream(title: "T", key: "s-0")]
    var keys = 0
    /// Of the calls under way, by name and stream.
    var underWay: [String: Int] = [:]
    var awayUntil = MonotonicTime(nanoseconds: 0)
    var ingestsDownUntil = MonotonicTime(nanoseconds: 0)
    var mayStop = false
    var publishers = 0
    var wrongs: [String] = []
    var counts: [String: Int] = [:]
  }

  let world: VirtualWorld
  /// In percent.
  private let faults: Int
  private let state = Mutex(State())

  init(_ world: VirtualWorld) {
    self.world = world
    faults = world.random(0...30)
  }

  // MARK: What a test looks at

  var wrongs: [String] { state.withLock { $0.wrongs } }
  func count(_ call: String) -> Int { state.withLock { $0.counts[call, default: 0] } }

  func demand(_ condition: Bool, _ wrong: @autoclosure () -> String) {
    guard !condition else { return }
    let wrong = wrong()
    state.withLock { $0.wrongs.append(wrong) }
  }

  /// Nothing is asked, and nobody publishes.
  func isQuiet() -> Bool {
    state.withLock { $0.publishers == 0 && $0.underWay.values.allSatisfy { $0 == 0 } }
  }

  // MARK: What a test does

  func mayStop(_ may: Bool) { state.withLock { $0.mayStop = may } }

  /// The API, or the ingests, are not there for a while.
  func goesAway(for time: Duration) { state.withLock { $0.awayUntil = world.now + time.whole } }
  func ingestsGoDown(for time: Duration) {
    state.withLock { $0.ingestsDownUntil = world.now + time.whole }
  }

  /// From elsewhere: a stream is ended, deleted, given another key, or is there again.
  func meddle(mayRestore: Bool) {
    let (what, key) = (world.random(0...9), "\(world.random(1...99_999))")
    state.withLock { state in
      guard let id = state.streams.keys.sorted().last, let status = state.streams[id]?.status else {
        if mayRestore { state.streams["s"] = Stream(title: "T", key: "s-\(key)") }
        return
      }
      switch what {
      case 0...3: state.streams[id]?.status = .ended
      case 4: state.streams[id]?.status = .error
      case 5: state.streams[id] = nil
      case 6, 7: state.streams[id]?.key = "\(id)-\(key)"
      default:
        if mayRestore, [.ended, .error].contains(status) { state.streams[id]?.status = .created }
      }
    }
  }

  // MARK: The ingests

  /// Whether an ingest takes what is published under that key.
  func accepts(_ key: String) -> Bool {
    state.withLock { state in
      guard state.ingestsDownUntil <= world.now,
        let (id, stream) = state.streams.first(where: { $0.value.key == key }),
        ![.ended, .error].contains(stream.status)
      else { return false }
      if stream.status == .created { state.streams[id]?.status = .preview }
      return true
    }
  }

  func publishers(change: Int) {
    let number = state.withLock { state in
      state.publishers += change
      return state.publishers
    }
    demand(number <= 1, "two broadcasts publish at a time")
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
    do { try await world.sleep(isHanging ? .seconds(60) : world.random(.seconds(2))) } catch {
      throw BunnyLiveStreamError(kind: .transport, message: "cancelled")
    }
    if isHanging || state.withLock({ $0.awayUntil > world.now }) {
      throw BunnyLiveStreamError(kind: .transport, message: "no answer")
    }
    let (fails, isLost) = (world.chance(faults), world.chance(50))
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
      backupIngestUrl: "rtmp://b/live", status: stream.status)
  }

  func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await call("get", streamId) { state in
      state.streams[streamId].map { .success(tell(streamId, $0)) } ?? .failure(Self.missing)
    }
  }

  func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
    let isReady = world.chance(70)
    return try await call("status", streamId) { state in
      guard let stream = state.streams[streamId] else { return .failure(Self.missing) }
      let isLive = state.publishers > 0 && ![.ended, .error].contains(stream.status)
      return .success(
        .init(readyToStart: isReady && isLive, primaryLive: isLive, backupLive: false))
    }
  }

  func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
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
      return .success(())
    }
  }

  func createLiveStream(
    libraryId: Int, request: BunnyLiveStreamCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    try await call("create", "") { state in
      state.keys += 1
      let id = "s\(100_000 + state.keys)"
      let stream = Stream(title: request.title, key: "\(id)-0")
      state.streams[id] = stream
      return .success(tell(id, stream))
    }
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
