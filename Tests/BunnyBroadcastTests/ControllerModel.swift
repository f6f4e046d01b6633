import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Support

/// Bunny's API, two ingests and the engine beneath a controller, in virtual time: whatever may happen, at
/// any moment. Decides by the engine's own values: ``Admission``, ``Readiness``, ``Showing``,
/// ``Farewell``, ``Backoff``.
struct ControllerModel {
  private typealias Story = ControllerRulesTests

  private enum Step {
    case fetch, fetched, opened, connect, connected, dies, poll, polled, started, stop, stopped
    case mediaIsOver(BroadcastError?)
  }

  private struct Engine {
    let number: Int
    let hasDuration: Bool
    var farewell = Farewell()
    var backoff = Backoff()
    var readiness = Readiness(starts: true)
    var showing = Showing(isShown: false)
    var isFound = false
    var isConducted = false
    var usesBackup = false
    var attempt = 0
    var isEnding = false
    var stopsUntil: Int64 = 0
    var calls: [String: Int] = [:]
  }

  /// Milliseconds.
  private(set) var now: Int64 = 0
  private(set) var watch: ControllerWatch
  private(set) var rules: ControllerRules
  private var dice: Dice
  private var engine: Engine?
  private var status = BunnyLiveStreamStatus.created
  private var plans: [(time: Int64, engine: Int, step: Step)] = []
  private let faults: Int

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    rules = ControllerRules(.init(cameras: ["one", "two"]))
    watch = ControllerWatch()
    faults = Int.random(in: 0...40, using: &dice)
  }

  /// Commands at random moments, and whatever comes of them; in the end all is left, and comes to rest.
  mutating func run(commands: Int) {
    for _ in 0..<commands {
      let pause = Int64.random(in: 0...1 << Int.random(in: 0...14, using: &dice), using: &dice)
      pass(to: now + pause)
      if chance(4), [.preview, .running].contains(status) { status = .ended }
      if chance(10), status == .ended || status == .error { status = .created }
      command(
        [.start, .start, .start, .stop, .leave, .toggleMute, .rotateCamera, .rotateCamera]
          .randomElement(using: &dice)!)
    }
    command(.leave)
    pass(to: now + 200_000)
    watch.ends(rules, hasEngine: engine != nil)
  }

  private mutating func command(_ command: ControllerRules.Command) {
    watch.asked(command, rules)
    obey(rules.take(command))
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &dice) < percent
  }

  private mutating func pass(to end: Int64) {
    while let index = plans.indices.min(by: { plans[$0].time < plans[$1].time }),
      plans[index].time <= end
    {
      let plan = plans.remove(at: index)
      now = max(now, plan.time)
      if plan.engine == engine?.number { take(plan.step) }
    }
    now = end
  }

  private mutating func plan(_ step: Step, after milliseconds: Int64? = nil) {
    guard let engine else { return }
    let wait = milliseconds ?? .random(in: 1...3000, using: &dice)
    plans.append((now + wait, engine.number, step))
  }

  private mutating func obey(_ orders: [ControllerRules.Order]) {
    for order in orders {
      watch.obeys(order, hasEngine: engine != nil)
      switch order {
      case .run(let number):
        let hasDuration = chance(10)
        engine = Engine(number: number, hasDuration: hasDuration)
        plan(.fetch, after: 0)
      case .end: wish(.end("asked"))
      case .leave: wish(.leave("asked"))
      case .rotate:
        report(
          chance(50)
            ? .cameraChanged(source: chance(50) ? "one" : "two")
            : .cameraNotChanged(source: "two", reason: "busy"))
      case .mute, .tell, .finish, .answer: break
      }
    }
    watch.sees(rules)
  }

  private mutating func report(_ event: BunnyBroadcastEvent) {
    let time = MonotonicTime(nanoseconds: now * 1_000_000)
    obey(rules.take(report: event, at: time))
  }

  private mutating func ofMedia(_ event: BunnyBroadcastEvent) {
    for event in engine!.showing.told(event) { report(event) }
  }

  // MARK: The engine

  private mutating func wish(_ ending: Ending) {
    guard engine?.farewell.ask(ending) == true, engine?.isEnding == false else { return }
    plan(.mediaIsOver(nil), after: .random(in: 0...700, using: &dice))
  }

  private mutating func call(_ name: String, then step: Step) {
    engine?.calls[name, default: 0] += 1
    watch.demand(engine?.calls[name] == 1, "\(name) is called twice at a time")
    if name == "stop" { watch.stops() }
    plan(step)
  }

  /// - Returns: why the call failed.
  private mutating func answer(_ name: String) -> BunnyLiveStreamError? {
    engine?.calls[name, default: 0] -= 1
    guard chance(faults) else { return nil }
    return BunnyLiveStreamError(kind: chance(5) ? .unauthorized : .server, statusCode: 500)
  }

  private mutating func take(_ step: Step) {
    switch step {
    case .fetch where engine?.isEnding == false && engine?.farewell.ending == nil:
      call("get", then: .fetched)
    case .fetched where engine?.isEnding == false: fetched(answer("get"))
    case .opened where engine?.isEnding == false: opened()
    case .connect where engine?.isEnding == false: connect()
    case .connected where engine?.isEnding == false: connected()
    case .dies where engine?.showing.carriers.isEmpty == false && engine?.isEnding == false: dies()
    case .poll where engine?.isEnding == false: call("status", then: .polled)
    case .polled where engine?.isEnding == false: polled(answer("status"))
    case .started where engine?.isEnding == false: started(answer("start"))
    case .mediaIsOver(let failure) where engine?.isEnding == false: mediaIsOver(failure)
    case .stop: call("stop", then: .stopped)
    case .stopped: stopped(answer("stop"))
    default: break
    }
  }

  private mutating func fetched(_ error: BunnyLiveStreamError?) {
    guard engine?.farewell.ending == nil else { return }
    if let error, error.isPermanent { return mediaIsOver(.api(error)) }
    if let error {
      let wait = engine!.backoff.failed(chance: 0.5)
      report(.askingAgain(after: wait, reason: error.description))
      return plan(.fetch, after: Int64(wait / .milliseconds(1)))
    }
    switch Admission(BunnyLiveStream(id: "s", streamKey: "k", status: status)) {
    case .refuse(let status): mediaIsOver(.streamOver("s", status))
    case .again: preconditionFailure("it has a key")
    case .publish(_, let needsStart, _):
      engine?.isFound = true
      engine?.readiness = Readiness(starts: needsStart)
      engine?.showing = Showing(isShown: !needsStart)
      report(.streamFound(title: nil, status: status, resumes: !needsStart))
      report(.preparing)
      plan(.opened)
    }
  }

  private mutating func opened() {
    if chance(faults / 8) { return mediaIsOver(.source(.missing("camera"))) }
    plan(.connect, after: 0)
    if engine?.hasDuration == true { plan(.mediaIsOver(nil), after: 20_000) }
  }

  private var ingest: Ingest { engine?.usesBackup == true ? Story.backup : Story.primary }

  private mutating func connect() {
    report(.connection(ingest, .connecting))
    if !chance(faults) { return plan(.connected) }
    tryAgain("refused")
  }

  private mutating func tryAgain(_ reason: String) {
    if chance(faults / 10) {
      return mediaIsOver(.ingest(RTMPError(.stalled(seconds: 1), at: ingest)))
    }
    engine?.attempt += 1
    engine?.usesBackup.toggle()
    report(
      .reconnecting(
        attempt: engine!.attempt, usingBackup: engine!.usesBackup, after: .zero, reason: reason))
    plan(.connect)
  }

  private mutating func connected() {
    guard status != .ended, status != .error else { return mediaIsOver(.streamOver("s", status)) }
    if status == .created { status = .preview }
    ofMedia(engine!.showing.wasAccepted ? .reconnected(ingest) : .started(ingest))
    engine?.attempt = 0
    plan(.dies, after: .random(in: 1...20_000, using: &dice))
    guard engine?.isConducted == false else { return }
    engine?.isConducted = true
    follow(engine!.readiness.first)
  }

  private mutating func dies() {
    ofMedia(.lost(ingest, reason: "reset"))
    if status == .ended || status == .error { return mediaIsOver(.streamOver("s", status)) }
    guard chance(50) else { return tryAgain("reset") }
    engine?.usesBackup.toggle()  // a warm standby takes over without a word
    plan(.connected, after: 1)
  }

  private mutating func follow(_ step: Readiness.Step) {
    switch step {
    case .find(let seconds, _), .ask(let seconds), .watch(let seconds):
      plan(.poll, after: Int64(seconds * 1000))
    case .start: call("start", then: .started)
    }
  }

  private mutating func polled(_ error: BunnyLiveStreamError?) {
    if error == nil, chance(20) {
      report(.ingestStatusChanged(primaryLive: chance(50), backupLive: nil))
    }
    if status == .ended || status == .error { return mediaIsOver(.streamOver("s", status)) }
    let isReady = error == nil ? chance(70) : nil
    follow(engine!.readiness.answered(isReady: isReady, after: 1).step)
  }

  private mutating func started(_ error: BunnyLiveStreamError?) {
    if error != nil { return follow(engine!.readiness.startFailed()) }
    if status == .ended || status == .error { return mediaIsOver(.streamOver("s", status)) }
    status = .running
    report(.running)
    for event in engine!.showing.shown() { report(event) }
    follow(engine!.readiness.started())
  }

  // MARK: The end

  private mutating func mediaIsOver(_ failure: BroadcastError?) {
    engine?.isEnding = true
    let step = engine!.farewell.step(
      failure: failure, wasFound: engine!.isFound, hasDuration: engine!.hasDuration)
    switch step {
    case .nothing: finish(failure)
    case .leave(let reason):
      report(.left(reason: reason))
      finish(failure)
    case .stop:
      watch.durationIsOver(engine!.farewell.ending == nil)
      engine?.stopsUntil = now + 30_000
      call("stop", then: .stopped)
    }
  }

  private mutating func stopped(_ error: BunnyLiveStreamError?) {
    guard let error else {
      status = .ended
      report(.streamEnded)
      return finish(nil)
    }
    let leaves = engine!.farewell.ending?.leaves == true
    guard !leaves, !error.isPermanent, now < engine!.stopsUntil else {
      report(.left(reason: "not known to be ended"))
      return finish(.api(error))
    }
    plan(.stop)
  }

  private mutating func finish(_ failure: BroadcastError?) {
    if let failure { report(.failed(message: failure.description)) }
    report(.stopped)
    report(.ended(BroadcastTotals(), reason: "over"))
    engine = nil
    watch.isOver(failure)
    obey(rules.over(failure))
  }
}
