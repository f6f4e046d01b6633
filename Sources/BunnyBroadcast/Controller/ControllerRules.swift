package import BunnySystem

/// What a ``BunnyBroadcastController`` does about every command and report: which call of the engine
/// beneath is made, what the state is, and what is told when. A value, which does nothing itself.
package struct ControllerRules: Equatable, Sendable {
  package enum Command: Equatable, Sendable, CaseIterable {
    case start, stop, leave, toggleMute, rotateCamera
  }

  /// What somebody waits for.
  package enum Question: Hashable, Sendable, CaseIterable {
    /// Viewers can see it; of a stream that is not started from here, an ingest has it.
    case start
    /// The stream is ended for good.
    case stop
    /// Nothing runs.
    case leave
    /// Another camera is on air.
    case rotate
  }

  package enum Order: Equatable, Sendable {
    /// Make an engine, and run it: the broadcast of that number, from 1 on.
    case run(Int)
    /// Have the engine end the stream for good.
    case end
    /// Have the engine end, and leave the stream as it is.
    case leave
    case mute(Bool)
    case rotate
    case tell(BunnyBroadcastEvent)
    /// Those who listen to this broadcast have heard all of it.
    case finish
    /// All who wait for it: it is done, or why it is not.
    case answer(Question, BunnyBroadcastControllerError?)
  }

  /// What is known beforehand.
  package struct Setting: Equatable, Sendable {
    /// It goes to a live stream of Bunny's, not only to an ingest.
    package var hasStream = true
    /// The stream is shown to viewers from here.
    package var startsStream = true
    /// Both ingests carry the stream at a time.
    package var isDual = false
    /// As ``BunnyBroadcastEvent/cameraChanged(source:)`` names them, at least one.
    package var cameras: [String]

    package init(cameras: [String]) { self.cameras = cameras }
  }

  package let setting: Setting
  package private(set) var isMuted: Bool
  /// Which one is on air.
  package var camera = 0
  package var primaryLive: Bool?
  package var backupLive: Bool?
  /// How the last broadcast ended.
  private var rest = BunnyBroadcastState.idle
  var run: Run?
  private var runs = 0

  package init(_ setting: Setting, isMuted: Bool = false) {
    self.setting = setting
    self.isMuted = isMuted
  }

  package var state: BunnyBroadcastState { run?.state(setting) ?? rest }
  /// Sources and encoder are open.
  package var isAttached: Bool { run?.clock != nil }
  /// Since when the broadcast counts as lasting: the first try to connect.
  package var clock: MonotonicTime? { run?.clock }
  package var cameraPosition: BunnyCameraPosition { camera == 0 ? .back : .front }

  package mutating func take(_ command: Command) -> [Order] {
    switch command {
    case .start: start()
    case .stop: stop()
    case .leave: leave()
    case .toggleMute: toggleMute()
    case .rotateCamera: rotateCamera()
    }
  }

  private mutating func start() -> [Order] {
    guard let run else { return begin() }
    guard run.wish == nil else {
      self.run?.restarts = true
      return []
    }
    return run.isStarted ? [.answer(.start, nil)] : []
  }

  private mutating func begin() -> [Order] {
    runs += 1
    run = Run(isVisible: !setting.hasStream, isDual: setting.isDual)
    return [.run(runs), .mute(isMuted)]
  }

  private mutating func stop() -> [Order] {
    guard let run else { return [.answer(.stop, .notBroadcasting)] }
    let late = giveUpRestart()
    guard run.wish == nil else { return late }
    self.run?.wish = .end
    return late + [.end] + missedStart(of: run)
  }

  /// Leaving wins: what was left can still be ended.
  private mutating func leave() -> [Order] {
    guard let run else { return [.answer(.leave, nil)] }
    let late = giveUpRestart()
    guard run.wish != .leave else { return late }
    self.run?.wish = .leave
    return late + [.leave] + missedStart(of: run)
  }

  private mutating func giveUpRestart() -> [Order] {
    guard run?.restarts == true else { return [] }
    run?.restarts = false
    return [.answer(.start, .endedBefore)]
  }

  private func missedStart(of run: Run) -> [Order] {
    run.wish == nil && !run.isStarted ? [.answer(.start, .endedBefore)] : []
  }

  private mutating func toggleMute() -> [Order] {
    isMuted.toggle()
    return run == nil ? [] : [.mute(isMuted)]
  }

  private func rotateCamera() -> [Order] {
    let refusal: BunnyBroadcastControllerError
    if setting.cameras.count < 2 {
      refusal = .unavailable(
        .rotateCamera, reason: "there is one camera only; configure others in otherVideos")
    } else if !isAttached || run?.wish != nil {
      refusal = .notBroadcasting
    } else {
      return [.rotate]
    }
    return [
      .tell(.cameraNotChanged(source: "the next camera", reason: "\(refusal)")),
      .answer(.rotate, refusal),
    ]
  }
}

// The end.
extension ControllerRules {
  /// The engine has returned, after all of its events.
  ///
  /// - Parameters:
  ///   - failure: what it threw.
  ///   - refusal: why no engine was made.
  package mutating func over(
    _ failure: BroadcastError? = nil, refusal: BunnyBroadcastControllerError? = nil
  ) -> [Order] {
    guard let run else { return [] }
    let error = refusal ?? failure.map { BunnyBroadcastControllerError($0) }
    self.run = nil
    (primaryLive, backupLive, camera) = (nil, nil, 0)
    rest = run.rest(failure, error)
    var orders: [Order] = []
    if case .ingest = failure, run.wasAccepted || run.attempt > 0 {
      orders.append(.tell(.reconnectFailed))
    }
    orders.append(.tell(.stopped))
    if let error { orders.append(.tell(.failed(message: error.description))) }
    orders += [.tell(.ended(run.totals, reason: rest.detail ?? "")), .finish]
    if !run.isStarted, run.wish == nil {
      orders.append(.answer(.start, error ?? .endedBefore))
    }
    let isEnded = run.isStreamEnded || !setting.hasStream && error == nil
    orders += [
      .answer(.stop, isEnded ? nil : error ?? .left), .answer(.leave, nil),
      .answer(.rotate, .notBroadcasting),
    ]
    return run.restarts ? orders + begin() : orders
  }
}
