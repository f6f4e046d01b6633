import BunnyBroadcast
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Support
import Synchronization
import Testing

/// An engine that broadcasts nothing, and says that it does.
private final class HollowEngine: ControllerEngine {
  /// Of all engines of a test.
  final class Count: Sendable {
    struct Numbers: Sendable {
      var made = 0
      var running = 0
      var mostRunning = 0
      var ends = 0
    }
    let numbers = Mutex(Numbers())
  }

  private enum Ending: Sendable { case left, ended, failed }

  private let count: Count
  private let seed: UInt64
  private let ending = Promise<Ending>()
  private let hub = AsyncStream.makeStream(of: BunnyBroadcastEvent.self)
  private let muted = Flag()
  /// Of the program's, in whatever is called.
  private let looks: @Sendable () -> Void

  init(_ count: Count, looking looks: @escaping @Sendable () -> Void = {}) {
    (self.count, self.looks) = (count, looks)
    seed = count.numbers.withLock { numbers in
      numbers.made += 1
      return UInt64(numbers.made)
    }
  }

  func events() -> AsyncStream<BunnyBroadcastEvent> { hub.stream }

  func run() async throws(BroadcastError) -> BroadcastTotals {
    count.numbers.withLock { numbers in
      numbers.running += 1
      numbers.mostRunning = max(numbers.mostRunning, numbers.running)
    }
    var dice = Dice(seed: seed)
    let (ingest, tell) = (ControllerRulesTests.primary, hub.continuation)
    if dice.next() % 4 > 0 {
      tell.yield(.streamFound(title: nil, status: .created, resumes: false))
      tell.yield(.preparing)
      tell.yield(.connection(ingest, .connecting))
      await Task.yield()
      tell.yield(.started(ingest))
      tell.yield(.running)
    }
    if dice.next() % 4 == 0 { ending.keep(.failed) }
    let ending = await ending.value
    if ending == .ended { tell.yield(.streamEnded) }
    if ending == .left { tell.yield(.left(reason: "asked")) }
    tell.yield(.stopped)
    tell.yield(.ended(BroadcastTotals(), reason: "asked"))
    tell.finish()
    count.numbers.withLock { $0.running -= 1 }
    if ending == .failed { throw .streamOver("s", .error) }
    return BroadcastTotals()
  }

  func stop(reason: String) { ending.keep(.left) }
  func end(reason: String) {
    count.numbers.withLock { $0.ends += 1 }
    ending.keep(.ended)
  }
  func rotateCamera() {
    looks()
    hub.continuation.yield(.cameraChanged(source: "two"))
  }
  var isMuted: Bool {
    get { muted.isSet }
    set {
      looks()
      muted.isSet = newValue
    }
  }
  var statistics: BroadcastStatistics { BroadcastStatistics() }
}

struct ControllerCoreTests {
  @Test func `asked by many at once, one broadcast runs at a time, and everybody is answered`()
    async throws
  {
    let count = HollowEngine.Count()
    let configuration = BroadcastConfiguration.bunny()
    weak var gone: ControllerCore?
    let isGone = Watched(false)
    do {
      let witness = Witness(isGone)
      let core = ControllerCore(.init(cameras: ["one", "two"]), configuration) {
        () throws(QualityError) in
        _ = witness
        return HollowEngine(count)
      }
      gone = core
      await withTaskGroup(of: Void.self) { group in
        for seed in 1...8 {
          group.addTask { await Self.pester(core, seed: UInt64(seed)) }
        }
      }
      #expect(await core.ask(.leave, .leave) == nil)
      #expect(!core.hasEngine && !core.snapshot.state.isEmpty)
      let numbers = count.numbers.withLock { $0 }
      #expect(numbers.made > 5 && numbers.mostRunning == 1 && numbers.running == 0, "\(numbers)")
      #expect(numbers.ends > 0 && numbers.ends <= numbers.made)
      core.release()
    }
    try await isGone.reach("its end") { $0 }
    #expect(gone == nil, "a task is left")
  }

  /// Asks for this and that, waiting or not, and listens now and then.
  private static func pester(_ core: ControllerCore, seed: UInt64) async {
    var dice = Dice(seed: seed)
    for _ in 0..<150 {
      if dice.next() % 8 == 0 { _ = core.records { _ in true } }
      switch dice.next() % 9 {
      case 0, 1: core.take(.start)
      case 2: core.take(.stop)
      case 3: core.take(.leave)
      case 4: core.take(.toggleMute)
      case 5: _ = await core.ask(.stop, .stop)
      case 6: _ = await core.ask(.leave, .leave)
      case 7: _ = await core.ask(.rotateCamera, .rotate)
      default:
        // Whoever waits for a start may wait for ever, if nobody ends the broadcast.
        let starting = Task { await core.ask(.start, .start) }
        if dice.next() % 2 == 0 { await Task.yield() }
        starting.cancel()
        _ = await starting.value
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `whatever the core calls or cancels may ask it how it is`() async throws {
    let (count, looked) = (HollowEngine.Count(), Watched<Set<String>>([]))
    let own = Mutex<ControllerCore?>(nil)
    let look: @Sendable (String) -> Void = { who in
      guard let core = own.withLock({ $0 }), !core.snapshot.state.isEmpty else { return }
      looked.change { _ = $0.insert(who) }
    }
    let core = ControllerCore(.init(cameras: ["one", "two"]), .bunny()) { () throws(QualityError) in
      HollowEngine(count) { look("engine") }
    }
    own.withLock { $0 = core }
    let records = core.records { _ in
      look("predicate")
      return true
    }
    let waiting = Task {
      await withTaskCancellationHandler {
        await core.ask(.toggleMute, .start)
      } onCancel: {
        look("onCancel")
      }
    }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    core.take(.start)
    var last: String?
    for await record in records {
      if last == nil {
        core.take(.toggleMute)
        core.take(.leave)
      }
      last = record.event.name
    }
    #expect(last == "ended" && !core.snapshot.isMuted)
    try await looked.reach("all") { $0 == ["engine", "predicate", "onCancel"] }
    own.withLock { $0 = nil }
    core.release()
  }
}
