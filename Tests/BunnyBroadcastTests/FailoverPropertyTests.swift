import BunnyBroadcast
import BunnySystem
import Support
import Testing

/// Does what it is told, like the publish lane, and notes what may not be.
private struct Watch {
  var isOpen: [Failover.LegID: Int] = [:]  // and where to
  var ready: Set<Failover.LegID> = []
  var carrier: Failover.LegID?
  var successor: Failover.LegID?
  var opens: [[Int64]]
  private var mostBefore = 0
  var everOpened = 0
  var isUplinkLost = false
  private(set) var wrongs: [String] = []

  init(ingests: Int) { opens = Array(repeating: [], count: ingests) }

  mutating func obey(_ action: Failover.Action, at now: Int64) {
    switch action {
    case .open(let id, let ingest):
      everOpened += 1
      demand(id == everOpened, "\(id) is opened, not \(everOpened)")
      isOpen[id] = ingest
      opens[ingest].append(now)
    case .publish(let id, let takeover):
      demand(ready.contains(id), "publish on \(id), which is not ready")
      ready.remove(id)
      if takeover == .replay {
        demand(carrier == nil, "two carriers")
        carrier = id
      } else {
        demand(carrier != nil && successor == nil, "nobody to succeed to, or two successors")
        successor = id
      }
    case .relieve(let id):
      demand(id == carrier && successor != nil, "\(id) is relieved by nobody")
      forget(id)
    case .resume(let id):
      demand(id == carrier && successor == nil, "\(id) is to go on, and was not to end")
    case .ping(let id):
      demand(ready.contains(id) || id == successor, "ping on \(id), which is no standby")
    case .drop(let id):
      demand(isOpen[id] != nil, "\(id) is dropped, which is not open")
      forget(id)
    case .uplinkLost:
      demand(!isUplinkLost && carrier != nil, "the uplink is lost again, or without a carrier")
      isUplinkLost = true
    case .uplinkBack:
      demand(isUplinkLost, "the uplink is back, and was not lost")
      isUplinkLost = false
    case .giveUp: demand(isOpen.isEmpty, "giving up with something open")
    }
  }

  mutating func forget(_ id: Failover.LegID) {
    isOpen[id] = nil
    ready.remove(id)
    if carrier == id { (carrier, successor) = (successor, nil) }
    if successor == id { successor = nil }
  }

  mutating func demand(_ condition: Bool, _ wrong: String) {
    if !condition { wrongs.append(wrong) }
  }

  /// Media is known to have arrived there: the count begins anew.
  mutating func proven(_ id: Failover.LegID) {
    guard let ingest = isOpen[id] else { return }
    mostBefore = mostAMinute
    opens[ingest] = []
  }

  /// The most that were opened at one ingest within any minute in which it proved nothing.
  var mostAMinute: Int {
    opens.map { times in
      times.map { start in times.count { start <= $0 && $0 < start + 60_000 } }.max() ?? 0
    }.reduce(mostBefore, max)
  }
}

@Suite struct FailoverPropertyTests {
  /// What happens next: mostly something that can happen to a connection that is there.
  private func input(_ watch: Watch, _ random: inout Dice) -> Failover.Input {
    let some = watch.isOpen.keys.sorted().randomElement(using: &random) ?? 1
    let id =
      Bool.random(using: &random)
      ? watch.carrier ?? some : Int.random(in: 0..<20, using: &random) == 0 ? 1 : some
    let failure: Failover.Failure =
      [.passing, .passing, .passing, .nameInUse, .lasting].randomElement(using: &random)!
    switch Int.random(in: 0..<17, using: &random) {
    case 0, 1: return .ready(some)
    case 2, 3: return .publishing(id)
    case 4: return .proven(id)
    case 5: return .owing(id)
    case 6: return .stalled(id)
    case 7: return .paid(id)
    case 8: return .ponged(id)
    case 9: return .reconnectRequest(id)
    case 10: return .failed(id, failure)
    case 11, 12:
      return .told(ingest: Int.random(in: 0..<3, using: &random), isLive: .random(using: &random))
    case 13: return .failed(some, .passing)
    case 14, 15: return .arrived(watch.successor ?? id)
    default: return .tick
    }
  }

  private func rules(_ random: inout Dice) -> Failover.Rules {
    var rules = Failover.Rules()
    rules.ingests = Int.random(in: 1...2, using: &random)
    rules.keepsStandby = .random(using: &random)
    rules.prefersPrimary = .random(using: &random)
    return rules
  }

  private func run(seed: UInt64, outside: Failover.Input? = nil) -> (watch: Watch, story: [String])
  {
    var random = Dice(seed: seed)
    let rules = rules(&random)
    let chance = Double.random(in: 0...1, using: &random)
    var failover = Failover(rules) { chance }
    var watch = Watch(ingests: rules.ingests)
    var story = ["\(rules)"]
    var now: Int64 = 0

    func take(_ input: Failover.Input) {
      let wasOpen = watch.isOpen
      switch input {
      case .failed(let id, _): watch.forget(id)
      case .proven(let id): watch.proven(id)
      case .ready(let id)
      where wasOpen[id] != nil && watch.carrier != id && watch.successor != id:
        watch.ready.insert(id)
      default: break
      }
      let actions = failover.take(input, at: FailoverStory.moment(now))
      story.append("\(now): \(input) → \(actions)")
      for action in actions { watch.obey(action, at: now) }
      watch.demand(watch.carrier == failover.carrier, "another carrier")
      let most = (rules.keepsStandby ? rules.ingests : 1) + (watch.carrier == nil ? 0 : 2)
      watch.demand(watch.isOpen.count <= min(3, most), "\(watch.isOpen.count) connections at once")
      let again = failover.take(.tick, at: FailoverStory.moment(now))
      watch.demand(again.isEmpty, "something was left to be done")
    }

    take(.tick)
    for _ in 0..<400 where watch.wrongs.isEmpty {
      let longest: Int64 = [10, 300, 3000, 30_000].randomElement(using: &random)!
      let next = now + Int64.random(in: 0...longest, using: &random)
      while let time = failover.deadline(after: FailoverStory.moment(now)),
        time <= FailoverStory.moment(next), watch.wrongs.isEmpty
      {
        // Rounded up, as a wait in milliseconds is.
        now = (time - FailoverStory.moment(0) + 999_999) / 1_000_000
        var early = failover
        let tooEarly = early.take(
          .tick, at: MonotonicTime(nanoseconds: time.nanoseconds - 1))
        watch.demand(tooEarly.isEmpty, "something was due before the deadline")
        take(.tick)
      }
      now = max(now, next)
      if let outside, Bool.random(using: &random) {
        take(outside)
      } else {
        take(input(watch, &random))
      }
    }
    return (watch, story)
  }

  @Test func `whatever happens, one carries the stream, few are open, and six a minute are tried`()
  {
    for seed in UInt64(0)..<400 {
      let (watch, story) = run(seed: seed)
      #expect(watch.wrongs == [], "seed \(seed): \(story.suffix(12).joined(separator: "\n"))")
      #expect(watch.mostAMinute <= Retries.mostAMinute, "seed \(seed)")
    }
  }

  @Test func `a link that flaps forgives six tries more, and no more than that`() {
    for seed in UInt64(1000)..<1200 {
      let (watch, story) = run(seed: seed, outside: .linkUp)
      #expect(watch.wrongs == [], "seed \(seed): \(story.suffix(12).joined(separator: "\n"))")
      #expect(watch.mostAMinute <= 2 * Retries.mostAMinute, "seed \(seed)")
    }
  }

  @Test func `whenever the key changes, one carries the stream, and few are open`() {
    for seed in UInt64(2000)..<2100 {
      let (watch, story) = run(seed: seed, outside: .renamed)
      #expect(watch.wrongs == [], "seed \(seed): \(story.suffix(12).joined(separator: "\n"))")
    }
  }
}
