import BunnyBroadcast
import BunnyCapture
import BunnyStreamAPI
import BunnySystem
import Foundation
import Support
import Synchronization

/// A controller's core over real live broadcasts, in a ``VirtualWorld``: commands, faults of the API, deaths of
/// ingests and what others do to the stream, at random moments; and what may never be.
final class LiveModel: Sendable {
  private struct Asked {
    var waiting = 0
    /// Those who do not wait for ever.
    var impatient = 0
    var isListening = false
    var isOver = false
  }

  /// What is only said now and then.
  static let rare = [
    "somebody else publishes to the live stream", "somebody else publishes to the stream too",
    "taking it over", "where this machine published last", "that was only remembered",
    "the stream's time has come", "made in the place of", "made by an earlier start",
  ]

  let world: VirtualWorld
  let bunny: VirtualBunny
  private let core: ControllerCore
  private let plan: LivePlan
  private let asked = Mutex(Asked())
  private let watch: Mutex<LiveWatch>
  private let engines = Mutex(0)

  /// Counts itself while it is there.
  private final class Token: Sendable {
    private let model: LiveModel
    init(_ model: LiveModel) {
      self.model = model
      model.engines.withLock { $0 += 1 }
    }
    deinit { model.engines.withLock { $0 -= 1 } }
  }

  private final class Maker: Sendable {
    let make = Mutex<(@Sendable () -> any ControllerEngine)?>(nil)
  }

  init(seed: UInt64) {
    world = VirtualWorld(seed: seed)
    let creates = world.chance(15) ? BunnyLiveStreamCreateRequest(title: "T") : nil
    var plan = LivePlan(libraryId: 1, streamId: creates == nil ? "s" : "")
    plan.creates = creates
    plan.stateFolder = world.chance(60) ? "memory" : nil
    plan.onEnded = LivePlan.OnEnded.allCases[world.random(0...2)]
    plan.startsStream = world.chance(80)
    plan.startsNow = world.chance(20)
    plan.takesOver = world.chance(20)
    plan.retry = world.chance(80) ? .always : .never
    self.plan = plan
    bunny = VirtualBunny(world, plan, faults: world.random(1...30))
    if world.chance(25) {
      let date = world.date + Double(world.random(0...300))
      bunny.change { $0.begins = date }
    }
    var watch = LiveWatch()
    watch.isMade = creates != nil
    self.watch = Mutex(watch)
    var setting = ControllerRules.Setting(cameras: ["one", "two"])
    setting.startsStream = plan.startsStream
    let maker = Maker()
    core = ControllerCore(setting, .bunny(), in: world.live) { () throws(QualityError) in
      maker.make.withLock { $0 }!()
    }
    maker.make.withLock { $0 = { [unowned self] in engine() } }
  }

  private func engine() -> any ControllerEngine {
    let lasts: Duration? = world.chance(10) ? .seconds(world.random(1...60)) : nil
    bunny.mayStop(lasts != nil)
    bunny.engineBegins()
    let token = Token(self)
    return LiveBroadcast(plan, api: bunny, in: bunny.live) { primary, backup in
      _ = token
      var configuration = BroadcastConfiguration.bunny(video: .test, audio: .silence)
      (configuration.ingest, configuration.backup) = (primary, backup)
      configuration.duration = lasts
      return configuration
    }
  }

  // MARK: The story

  func run(commands: Int) {
    for _ in 0..<commands {
      world.pass(world.random(.milliseconds(1 << world.random(0...17))))
      switch world.random(0...20) {
      case 0...5: ask(.start, .start)
      case 6, 7: end()
      case 8, 9: ask(.leave, .leave)
      case 10: core.take(.toggleMute)
      case 11, 12: ask(.rotateCamera, .rotate)
      case 13, 14: bunny.goesAway(for: world.random(.seconds(90)))
      case 15, 16: bunny.ingestsGoDown(for: world.random(.seconds(40)))
      case 17: bunny.strangerComes()
      default: bunny.meddle(mayRestore: mayRestore)
      }
    }
    world.pass(.zero)  // else the last command might come after this one
    ask(.leave, .leave)
    for _ in 0..<200 where core.hasEngine { world.pass(.seconds(1)) }
    asked.withLock { $0.isOver = true }
    bunny.demand(!core.hasEngine, "it does not come to rest: \(core.snapshot.state)")
    core.release()
    world.pass(.zero)
    bunny.demand(world.sleeping == asked.withLock { $0.impatient }, "a task is left")
    world.pass(.seconds(20))
    bunny.demand(bunny.isQuiet(), "a call is left, or a publisher")
    bunny.demand(asked.withLock { $0.waiting } == 0, "somebody waits for ever")
    bunny.demand(engines.withLock { $0 } == 0, "a broadcast is left")
    bunny.demand(world.memory.isFree, "a lock is left")
  }

  /// Nobody broadcasts to a stream that was there before, and does not know yet that it is over.
  private var mayRestore: Bool { !core.hasEngine || watch.withLock { $0.isBetweenStreams } }

  private func end() {
    if core.hasEngine { bunny.mayStop(true) }
    ask(.stop, .stop)
  }

  /// Sometimes without waiting for it, sometimes not for long.
  private func ask(_ command: ControllerRules.Command, _ question: ControllerRules.Question) {
    listen()
    bunny.note("asked to \(command)")
    if world.chance(30) { return core.take(command) }
    asked.withLock { $0.waiting += 1 }
    let asking = Task(executorPreference: world) { [self] in
      _ = await core.ask(command, question)
      asked.withLock { $0.waiting -= 1 }
    }
    // Whoever waits for a start may wait for ever, if nobody ends the broadcast.
    guard command == .start || world.chance(10) else { return }
    let patience = world.random(.seconds(20))
    asked.withLock { $0.impatient += 1 }
    world.task { [self] in
      try? await world.sleep(patience)
      asked.withLock { $0.impatient -= 1 }
      asking.cancel()
    }
  }

  /// To one broadcast after the other.
  private func listen() {
    let isFirst = asked.withLock { asked in
      defer { asked.isListening = true }
      return !asked.isListening
    }
    guard isFirst else { return }
    let first = core.records { _ in true }
    world.task { [self] in
      var records = first
      while true {
        for await record in records { hear(record) }
        guard !asked.withLock({ $0.isOver }) else { return }
        records = core.records { _ in true }
      }
    }
  }

  private func hear(_ record: BunnyBroadcastRecord) {
    bunny.note("\(record.event)")
    bunny.counts(record.event.name)
    if let words = record.event.words {
      for part in Self.rare where words.contains(part) { bunny.counts(part) }
      let isOfStranger = words.hasPrefix("somebody else publishes")
      bunny.demand(
        !isOfStranger || bunny.hadStranger, "nobody else is there, and it says: \(words)")
    }
    for wrong in watch.withLock({ $0.hears(record) }) { bunny.demand(false, wrong) }
  }
}

extension BunnyBroadcastEvent {
  /// Of a notice, or of a failure.
  fileprivate var words: String? {
    switch self {
    case .notice(let message), .failed(let message): message
    default: nil
    }
  }
}

/// Notes what may not be, of what a controller tells.
struct LiveWatch {
  /// It makes the stream that it goes to first.
  var isMade = false
  private var broadcast: UUID?
  private var number = 0
  /// Of this broadcast; and since its last stream was over.
  private var told: [String] = []
  private var ofStream: [String] = []

  /// Its stream is over, and it waits.
  var isBetweenStreams: Bool { told.contains("streamOver") && !ofStream.contains("preparing") }

  mutating func hears(_ record: BunnyBroadcastRecord) -> [String] {
    var wrongs: [String] = []
    func demand(_ condition: Bool, _ wrong: String) {
      if !condition { wrongs.append("\(wrong) after \(told.suffix(12))") }
    }
    let event = record.event.name
    demand(record.number > number, "number \(record.number)")
    number = record.number
    // What was asked for in vain is answered although nothing runs.
    if event == "cameraNotChanged" { return wrongs }
    if record.broadcast != broadcast {
      demand(broadcast == nil || told.last == "ended", "another broadcast begins")
      (broadcast, told, ofStream) = (record.broadcast, [], [])
    }
    let isLast = told.contains("stopped")
    switch event {
    case "started":
      demand(!ofStream.contains(event) && ofStream.contains("preparing"), "started")
    case "running": demand(!ofStream.contains(event), "running twice")
    case "streamCreated": demand(isMade || told.contains("streamOver"), event)
    case "streamEnded", "left":
      demand(!told.contains("streamEnded") && !told.contains("left"), event)
    case "stopped": demand(!isLast, "stopped twice")
    case "failed": demand(told.last == "stopped", event)
    case "ended": demand(["stopped", "failed"].contains(told.last), event)
    default: demand(!isLast, "\(event)")
    }
    told.append(event)
    ofStream = event == "streamOver" ? [] : ofStream + [event]
    return wrongs
  }
}
