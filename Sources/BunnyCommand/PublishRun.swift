import BunnyBroadcast
import BunnySystem
import Glibc
import Synchronization

/// One `publish` from its first event to its exit code: joins a broadcast, the log, the events, the
/// signals and the keyboard.
///
/// The main thread runs ``run()``; events of the broadcast come in on Swift's pool, signals on their
/// own thread. Nobody here ever waits for a terminal or a reader.
final class PublishRun: Sendable {
  /// How long a broadcast may take to end, nanoseconds: one that hangs in a device is left behind then.
  private static let longestEnd: Int64 = .seconds(10)
  /// The same where Bunny's API must be told of the end, and may not answer at once.
  private static let longestStreamEnd: Int64 = .seconds(45)

  private struct State {
    var view: BroadcastView
    var ending = EndingRule()
    var question = EndQuestion()
    var pace = StatisticsPace()
    var endsBy = MonotonicTime.distantFuture
    /// The live stream was to be ended for good.
    var endsStream = false
    /// It was, and that is not waited for any more.
    var hasGivenUp = false
    var lastFailure: String?
    var ended: (totals: BroadcastTotals, reason: String)?
    var result: Result<BroadcastTotals, BroadcastError>?
  }

  private let broadcast: any Broadcasting
  private let live: LiveBroadcast?
  private let endsOnExit: Bool
  private let onStreamCreated: String?
  private let console: Console
  private let feed: EventFeed?
  private let fault: Fault?
  private let keyboard: Keyboard?
  private let attention: WakeEvent
  private let state: Mutex<State>

  init(
    _ job: Job, _ console: Console, _ feed: EventFeed?, _ fault: Fault?, attention: WakeEvent
  ) {
    broadcast = job.broadcast
    live = job.live
    endsOnExit = job.endsOnExit
    onStreamCreated = job.onStreamCreated
    self.console = console
    self.feed = feed
    self.fault = fault
    self.attention = attention
    keyboard = console.style.isTerminal ? Keyboard(STDIN_FILENO) : nil
    state = Mutex(State(view: job.view))
  }

  /// Broadcasts; returns when it is over and all is said.
  func run() -> ExitCode {
    keyboard?.take()
    defer { keyboard?.release() }
    SignalWatch.start { self.received($0) }
    startBroadcast()
    var lastFailure: LineWriter.Failure?
    while state.withLock({ $0.result == nil && .now < $0.endsBy }) {
      waitForSomething()
      if let failure = feed?.failure, failure != lastFailure {
        lastFailure = failure
        handle(failure)
      }
      if live != nil { answer(state.withLock { $0.question.passed(.now) }) }
      drawStatus()
    }
    return finish()
  }

  private func startBroadcast() {
    if live != nil { console.log(.info, "asking Bunny's API for the stream") }
    let events = broadcast.events()
    Task.detached { [self] in
      let listener = Task.detached { for await event in events { self.take(event) } }
      let result: Result<BroadcastTotals, BroadcastError>
      do throws(BroadcastError) {
        result = .success(try await broadcast.run())
      } catch {
        result = .failure(error)
      }
      await listener.value  // to the `ended` event
      state.withLock { $0.result = result }
      attention.signal()
    }
  }

  // MARK: What comes in

  private func take(_ event: BunnyBroadcastEvent) {
    log(event)
    if console.style.redraws { attention.signal() }
    feed?.write { EventLine(event, eventsLost: $0) }
    if console.level == .trace, let line = EventLine(event, eventsLost: 0) {
      console.log(.trace, "event \(line.summary)")
    }
    switch event {
    case .published where fault == .trap, .started where fault == .trap: Fault.trap()
    default: break
    }
    if case .streamCreated(let id, let title) = event, let onStreamCreated {
      StreamCreatedHook(onStreamCreated, id: id, title: title).run { [console] in
        console.log(.warning, $0)
      }
    }
  }

  private func log(_ event: BunnyBroadcastEvent) {
    let (isDue, lastFailure) = state.withLock { state -> (Bool, String?) in
      state.view.apply(event)
      if case .failed(let message) = event { state.lastFailure = message }
      if case .ended(let totals, let reason) = event { state.ended = (totals, reason) }
      guard case .statistics = event else { return (false, state.lastFailure) }
      return (state.pace.isDue(at: .now), state.lastFailure)
    }
    var (level, sentence) = LogText.of(event)
    if case .ended(let totals, let reason) = event, reason == lastFailure {
      (level, sentence) = LogText.failed(totals)
    }
    console.log(isDue && !console.style.redraws ? .info : level, sentence)
  }

  private func received(_ number: Int32) {
    if number == SIGINT, asks, keyboard?.isOurs == true {
      return answer(state.withLock { $0.question.interrupted(at: .now) })
    }
    switch state.withLock({ $0.ending.received(number, at: .now) }) {
    case .end: end(SignalWatch.name(number))
    case .die where state.withLock({ $0.endsStream && !$0.hasGivenUp }):
      // What is left undone is said, which dying would not.
      end("\(SignalWatch.name(number)) again", forGood: false)
    case .die:
      keyboard?.release()
      console.settle()
      SignalWatch.die(number)
    case .nothing where number == SIGTSTP: suspend()
    case .nothing where number == SIGCONT: keyboard?.take()
    case .nothing: break
    }
  }

  private func suspend() {
    console.settle()
    keyboard?.release()
    SignalWatch.deliver(SIGTSTP)
    console.resume()
    keyboard?.take()
    attention.signal()
  }

  /// There is a live stream, about whose end there is something to ask.
  private var asks: Bool {
    live != nil && state.withLock { $0.view.hasStream && !$0.view.isEnding }
  }

  /// Does what the question about the stream's end came to.
  private func answer(_ step: EndQuestion.Step) {
    switch step {
    case .ask(let sentence): console.ask(sentence)
    case .end: end("asked to end the stream", forGood: true)
    case .leave: end("asked to leave", forGood: false)
    case .goOn: console.log(.info, "going on")
    case .nothing: break
    }
  }

  private func pressed(_ key: Character) {
    if asks,
      let step = state.withLock({ $0.question.pressed(key, at: .now) })
    {
      return answer(step)
    }
    switch key {
    case "q", "Q": if !state.withLock({ $0.view.isEnding }) { end("q was pressed", forGood: false) }
    case "m", "M":
      let isMuted = !broadcast.isMuted
      broadcast.isMuted = isMuted
      state.withLock { $0.view.isMuted = isMuted }
      console.log(.info, isMuted ? "muted" : "unmuted")
      feed?.write { _ in .muted(isMuted) }
    case "c", "C":
      let hasCameras = state.withLock { $0.view.hasCameras }
      console.log(
        .info,
        hasCameras
          ? "going on to the next camera" : "there is one camera only; give --video several times")
      broadcast.rotateCamera()
    default: break
    }
  }

  /// - Parameter forGood: a live stream is ended too; nil lets `--on-exit` decide.
  private func end(_ reason: String, forGood: Bool? = nil) {
    let endsStream = live != nil && (forGood ?? endsOnExit)
    state.withLock { state in
      state.view.isEnding = true
      state.question.withdraw()
      if endsStream {
        // Not later than the first end allowed: one that only leaves is over sooner.
        if state.endsBy == .distantFuture { state.endsBy = .now + Self.longestStreamEnd }
        state.endsStream = true
      } else {
        state.endsBy = min(state.endsBy, .now + Self.longestEnd)
        state.hasGivenUp = true
      }
    }
    console.log(.info, "ending: \(reason)")
    if let live, endsStream {
      live.end(reason: reason)
    } else {
      broadcast.stop(reason: reason)
    }
  }

  private func handle(_ failure: LineWriter.Failure) {
    switch failure {
    case .readerGone: end("nobody reads standard output any more", forGood: false)
    case .system(let code):
      console.log(
        .warning,
        "events cannot be written to standard output: \(systemWords(code)); they are lost, the "
          + "broadcast goes on")
    }
  }

  // MARK: The main thread

  private func waitForSomething() {
    keyboard?.takeIfFree()
    let listens = keyboard?.isOurs ?? false
    state.withLock { $0.view.hasKeys = listens }
    var polls = [pollfd(fd: attention.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    if listens { polls.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
    guard poll(&polls, nfds_t(polls.count), 500) > 0 else { return }
    attention.clear()
    guard listens, polls[1].revents != 0, keyboard!.isOurs else { return }
    guard let keys = keyboard?.keys() else {
      keyboard?.release()  // the terminal has gone
      return
    }
    for key in keys { pressed(key) }
  }

  private func drawStatus() {
    guard console.style.redraws else { return }
    guard Terminal.isForeground(STDERR_FILENO) else { return console.clearStatus() }
    let view = state.withLock { $0.view }
    let width = Terminal.width(STDERR_FILENO)
    console.draw(StatusLine.text(broadcast.statistics, view, width: width))
  }

  private func finish() -> ExitCode {
    let (result, ended, lastFailure) = state.withLock { ($0.result, $0.ended, $0.lastFailure) }
    var code = ExitCode.ended
    if result == nil {
      if state.withLock({ $0.endsStream }) { code = .apiUnreachable }
      console.log(.warning, "the broadcast does not end: left it behind")
      if live != nil { take(.left(reason: "it did not end by itself")) }
    }
    if case .failure(let error) = result {
      code = ExitCode(error)
      if lastFailure != error.description { console.log(.error, error.description) }
    } else if feed?.failure == .readerGone {
      code = .cannotWrite
      console.log(
        .error,
        "nobody reads standard output any more: the broadcast was ended; keep the reader of the "
          + "events running")
    }
    let totals = ended?.totals ?? broadcast.statistics.totals
    let reason = ended?.reason ?? "it did not end by itself"
    feed?.write { .ended(totals, reason: reason, exitCode: code, eventsLost: $0) }
    feed?.finish()
    return code
  }
}
