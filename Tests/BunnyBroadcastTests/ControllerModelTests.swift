import BunnyBroadcast
import Testing

/// Notes what may not be, of what a controller orders, tells and shows.
struct ControllerWatch {
  private(set) var wrongs: [String] = []
  /// What somebody waits for.
  private var open: [ControllerRules.Question: Int] = [:]
  /// Of the broadcast that runs: what was told of it.
  private var told: [String] = []
  private var isRunning = false
  private var mayStop = false
  private var wasRotated = 0
  private var failure: BroadcastError?
  private(set) var broadcasts = 0
  private(set) var starts = 0
  private(set) var stopped = 0

  mutating func demand(_ condition: Bool, _ wrong: String) {
    if !condition { wrongs.append(wrong) }
  }

  mutating func asked(_ command: ControllerRules.Command, _ rules: ControllerRules) {
    switch command {
    case .start: open[.start, default: 0] += 1
    case .stop:
      open[.stop, default: 0] += 1
      if rules.state.isBroadcasting { mayStop = true }
    case .leave: open[.leave, default: 0] += 1
    case .rotateCamera: open[.rotate, default: 0] += 1
    case .toggleMute: break
    }
  }

  mutating func stops() {
    stopped += 1
    demand(mayStop, "stop is sent, and nobody asked for it")
  }

  /// A duration that is over ends the stream too.
  mutating func durationIsOver(_ isOver: Bool) { if isOver { mayStop = true } }

  mutating func isOver(_ failure: BroadcastError?) { self.failure = failure }

  mutating func obeys(_ order: ControllerRules.Order, hasEngine: Bool) {
    switch order {
    case .run:
      demand(!hasEngine && !isRunning, "two at a time")
      (isRunning, mayStop, told) = (true, false, [])
      broadcasts += 1
    case .end, .leave, .rotate: demand(hasEngine, "\(order) is for nobody")
    case .mute: demand(isRunning, "muting nobody")
    case .tell(let event): tells("\(event)".prefix { $0.isLetter })
    case .finish:
      demand(told.last == "ended", "it finishes after \(told.last ?? "nothing")")
      isRunning = false
      mayStop = false
    case .answer(let question, _): open[question] = nil
    }
  }

  private mutating func tells(_ event: Substring) {
    let event = String(event)
    if !isRunning { return demand(event == "cameraNotChanged", "\(event) while nothing runs") }
    let isLast = told.contains("stopped")
    switch event {
    case "preparing": demand(!told.contains(event), "preparing twice")
    case "started":
      demand(!told.contains(event) && told.contains("preparing"), "started out of turn")
      starts += 1
    case "reconnected", "failedOver": demand(told.contains("preparing"), "\(event) too early")
    case "reconnectFailed": demand(!isLast, "reconnectFailed after stopped")
    case "stopped": demand(!isLast, "stopped twice")
    case "failed": demand(told.last == "stopped", "failed after \(told.last ?? "nothing")")
    case "ended":
      demand(told.last == (failure == nil ? "stopped" : "failed"), "ended after \(told)")
    default: demand(!isLast, "\(event) after stopped")
    }
    if event == "reconnecting", let before = told.last, before == "failedOver" {
      demand(told.contains("preparing"), "gone over before anything was tried")
    }
    told.append(event)
  }

  mutating func sees(_ rules: ControllerRules) {
    let name = rules.state.name
    demand(rules.state.isBroadcasting == isRunning, "\(name), and it runs: \(isRunning)")
    if name == "live" { demand(told.contains("started"), "live before it was started") }
    if name == "failed" { demand(told.contains("failed"), "failed without a word") }
    if !isRunning {
      demand(rules.primaryLive == nil && rules.clock == nil && !rules.isAttached, "remains")
      for question in [ControllerRules.Question.stop, .leave, .rotate] {
        demand(open[question] == nil, "somebody waits for \(question) for ever")
      }
    }
  }

  mutating func ends(_ rules: ControllerRules, hasEngine: Bool) {
    demand(!hasEngine && !isRunning && !rules.state.isBroadcasting, "it does not come to rest")
    demand(open.isEmpty, "somebody waits for ever: \(open)")
  }
}

struct ControllerModelTests {
  @Test func `whatever happens, in whatever order, the controller keeps its word`() {
    var (broadcasts, starts, stops) = (0, 0, 0)
    for seed in 1...2000 {
      var model = ControllerModel(seed: UInt64(seed))
      model.run(commands: 40)
      if let wrong = model.watch.wrongs.first {
        Issue.record("seed \(seed): \(wrong) (and \(model.watch.wrongs.count - 1) more)")
        return
      }
      broadcasts += model.watch.broadcasts
      starts += model.watch.starts
      stops += model.watch.stopped
    }
    // It has seen something.
    #expect(broadcasts > 10_000 && starts > 500 && stops > 1000, "\((broadcasts, starts, stops))")
  }
}
