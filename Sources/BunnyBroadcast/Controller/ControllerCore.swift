package import BunnySystem
import FoundationEssentials

/// A controller without its face: obeys ``ControllerRules``. From any thread; nothing here waits for the
/// main actor.
package final class ControllerCore: Sendable {
  package typealias Failure = BunnyBroadcastControllerError
  package typealias Wanted = @Sendable (BunnyBroadcastEvent) -> Bool

  /// What the face shows, and what has just happened.
  package struct Update: Sendable {
    package let state: BunnyBroadcastState
    package let isMuted: Bool
    package let cameraPosition: BunnyCameraPosition
    package let isAttached: Bool
    package let primaryLive: Bool?
    package let backupLive: Bool?
    package let clock: MonotonicTime?
    package let record: BunnyBroadcastRecord?
  }

  fileprivate struct Listener: Sendable {
    let number: Int
    let stream: AsyncStream<BunnyBroadcastRecord>.Continuation
    let wants: Wanted
  }

  fileprivate struct Waiter: Sendable {
    let number: Int
    let question: ControllerRules.Question
    let continuation: CheckedContinuation<Failure?, Never>
  }

  struct State: Sendable {
    var rules: ControllerRules
    var engine: (any ControllerEngine)?
    var broadcast = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var facts = SnapshotFacts()
    var lastError: BroadcastError?
    var lastStatistics = BroadcastStatistics()
    var lastStream: (id: String, title: String?)?
    fileprivate var records = 0
    fileprivate var listened = 0
    /// In the order of their numbers.
    fileprivate var listeners: [Listener] = []
    fileprivate var waiters: [Waiter] = []
    fileprivate var isReleased = false
  }

  /// For the main actor: all that happens, in order.
  package let updates: AsyncStream<Update>
  private let face: AsyncStream<Update>.Continuation
  private let make: @Sendable () throws(QualityError) -> any ControllerEngine
  private let world: LiveWorld
  let configuration: BroadcastConfiguration
  let state: Decider<State>
  private typealias Deeds = [Decider<State>.Deed]

  /// - Parameters:
  ///   - configuration: what the engines are going to be made with.
  ///   - make: makes one.
  package init(
    _ setting: ControllerRules.Setting, _ configuration: BroadcastConfiguration,
    in world: LiveWorld = LiveWorld(),
    make: @escaping @Sendable () throws(QualityError) -> any ControllerEngine
  ) {
    (updates, face) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    self.make = make
    self.world = world
    self.configuration = configuration
    state = Decider(State(rules: ControllerRules(setting, isMuted: configuration.isMuted)))
  }

  /// Something runs beneath.
  package var hasEngine: Bool { state.withLock { $0.engine != nil } }

  package func take(_ command: ControllerRules.Command) {
    state.decide { state, deeds in perform(state.rules.take(command), &state, &deeds) }
  }

  /// Nobody holds the controller any more: what runs is left, and nobody is told of it.
  package func release() {
    state.decide { state, deeds in
      state.isReleased = true
      perform(state.rules.take(.leave), &state, &deeds)
      if !state.rules.state.isBroadcasting { finish(&state, &deeds) }
      deeds.append { [face] in face.finish() }
    }
  }

  /// As ``take(_:)``; returns when it is done.
  ///
  /// - Returns: Why it is not.
  package func ask(
    _ command: ControllerRules.Command, _ question: ControllerRules.Question
  ) async -> Failure? {
    let number = state.withLock { state in
      state.listened += 1
      return state.listened
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.decide { state, deeds in
          state.waiters.append(
            Waiter(number: number, question: question, continuation: continuation))
          perform(state.rules.take(command), &state, &deeds)
        }
        if Task.isCancelled { withdraw(number) }
      }
    } onCancel: {
      withdraw(number)
    }
  }

  private func withdraw(_ number: Int) {
    // At once, and not what others have decided: whoever cancels is not to do that for them.
    let waiter = state.withLock { state in
      let index = state.waiters.firstIndex { $0.number == number }
      return index.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: .cancelled)
  }

  /// What happens from now on to the end of the broadcast that runs or comes next, the newest 256 kept.
  package func records(where wants: @escaping Wanted) -> AsyncStream<BunnyBroadcastRecord> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: BunnyBroadcastRecord.self, bufferingPolicy: .bufferingNewest(256))
    let number: Int? = state.withLock { state in
      guard !state.isReleased else { return nil }
      state.listened += 1
      state.listeners.append(
        Listener(number: state.listened, stream: continuation, wants: wants))
      return state.listened
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  private func forget(_ number: Int) {
    // Let go of by who asks, not under the lock: what its predicate holds is a program's.
    _ = state.withLock { state in
      let index = state.listeners.firstIndex { $0.number == number }
      return index.map { state.listeners.remove(at: $0) }
    }
  }

  // MARK: What the rules order

  private func perform(
    _ orders: [ControllerRules.Order], _ state: inout State, _ deeds: inout Deeds
  ) {
    for order in orders {
      switch order {
      case .run: run(&state, &deeds)
      case .end: tell(state.engine, &deeds) { $0.end(reason: "asked to end the stream") }
      case .leave: tell(state.engine, &deeds) { $0.stop(reason: "asked to leave") }
      case .mute(let isMuted): deeds.append { [engine = state.engine] in engine?.isMuted = isMuted }
      case .rotate: deeds.append { [engine = state.engine] in engine?.rotateCamera() }
      case .tell(let event): tell(event, &state, &deeds)
      case .finish: finish(&state, &deeds)
      case .answer(let question, let failure):
        for waiter in state.waiters where waiter.question == question {
          deeds.append { waiter.continuation.resume(returning: failure) }
        }
        state.waiters.removeAll { $0.question == question }
      }
    }
    state.facts.isNow(state.rules.state.name, at: world.date())
    show(nil, state, &deeds)
  }

  /// In a task of its own: a program's source is told to end on the way, and may take its time.
  private func tell(
    _ engine: (any ControllerEngine)?, _ deeds: inout Deeds,
    _ what: @escaping @Sendable (any ControllerEngine) -> Void
  ) {
    guard let engine else { return }
    deeds.append { [world] in _ = world.task { what(engine) } }
  }

  private func run(_ state: inout State, _ deeds: inout Deeds) {
    state.broadcast = UUID()
    state.facts = SnapshotFacts()
    state.lastError = nil
    let engine: any ControllerEngine
    do throws(QualityError) { engine = try make() } catch {
      deeds.append { [self] in _ = world.task { self.over(refusal: .quality(error)) } }
      return
    }
    state.engine = engine
    let (events, isMuted) = (engine.events(), state.rules.isMuted)
    deeds.append { [self] in
      engine.isMuted = isMuted  // before a sound is heard
      _ = world.task { await self.run(engine, events) }
    }
  }

  private func run(
    _ engine: any ControllerEngine, _ events: AsyncStream<BunnyBroadcastEvent>
  ) async {
    let listening = world.task { for await event in events { self.take(report: event) } }
    var failure: BroadcastError?
    do throws(BroadcastError) { _ = try await engine.run() } catch { failure = error }
    await listening.value
    over(failure)
  }

  private func take(report event: BunnyBroadcastEvent) {
    let now = world.now()
    state.decide { state, deeds in
      perform(state.rules.take(report: event, at: now), &state, &deeds)
    }
  }

  private func over(_ failure: BroadcastError? = nil, refusal: Failure? = nil) {
    let engine = state.withLock { $0.engine }
    let (statistics, stream) = (engine?.statistics, engine?.stream)
    state.decide { state, deeds in
      state.lastStatistics = statistics ?? state.lastStatistics
      if engine != nil { state.lastStream = stream }
      state.engine = nil
      state.lastError = failure
      perform(state.rules.over(failure, refusal: refusal), &state, &deeds)
    }
  }

  private func tell(
    _ event: BunnyBroadcastEvent, _ state: inout State, _ deeds: inout Deeds
  ) {
    state.records += 1
    let record = BunnyBroadcastRecord(
      broadcast: state.broadcast, number: state.records, date: world.date(), time: world.now(),
      event: event)
    state.facts.note(record)
    for listener in state.listeners {
      deeds.append { if listener.wants(event) { listener.stream.yield(record) } }
    }
    show(record, state, &deeds)
  }

  private func finish(_ state: inout State, _ deeds: inout Deeds) {
    for listener in state.listeners { deeds.append { listener.stream.finish() } }
    state.listeners = []
  }

  private func show(
    _ record: BunnyBroadcastRecord?, _ state: State, _ deeds: inout Deeds
  ) {
    let rules = state.rules
    let update = Update(
      state: rules.state, isMuted: rules.isMuted, cameraPosition: rules.cameraPosition,
      isAttached: rules.isAttached, primaryLive: rules.primaryLive,
      backupLive: rules.backupLive, clock: rules.clock, record: record)
    deeds.append { [face] in face.yield(update) }
  }
}
