package import BunnySystem
import FoundationEssentials
import Synchronization

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

  fileprivate struct Listener {
    let stream: AsyncStream<BunnyBroadcastRecord>.Continuation
    let wants: Wanted
  }

  fileprivate struct Waiter {
    let question: ControllerRules.Question
    let continuation: CheckedContinuation<Failure?, Never>
  }

  struct State {
    var rules: ControllerRules
    var engine: (any ControllerEngine)?
    var broadcast = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var facts = SnapshotFacts()
    var lastError: BroadcastError?
    var lastStatistics = BroadcastStatistics()
    var lastStream: (id: String, title: String?)?
    fileprivate var records = 0
    fileprivate var listened = 0
    fileprivate var listeners: [Int: Listener] = [:]
    fileprivate var waiters: [Int: Waiter] = [:]
    fileprivate var isReleased = false
    /// What the others are still to be told, and whether somebody is at it.
    fileprivate var calls: [@Sendable () -> Void] = []
    fileprivate var isCalling = false
  }

  /// For the main actor: all that happens, in order.
  package let updates: AsyncStream<Update>
  private let face: AsyncStream<Update>.Continuation
  private let make: @Sendable () throws(QualityError) -> any ControllerEngine
  private let executor: (any TaskExecutor)?
  let configuration: BroadcastConfiguration
  let state: Mutex<State>

  /// - Parameters:
  ///   - configuration: what the engines are going to be made with.
  ///   - executor: where its tasks run; nil: where Swift runs them.
  ///   - make: makes one.
  package init(
    _ setting: ControllerRules.Setting, _ configuration: BroadcastConfiguration,
    on executor: (any TaskExecutor)? = nil,
    make: @escaping @Sendable () throws(QualityError) -> any ControllerEngine
  ) {
    (updates, face) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    self.make = make
    self.executor = executor
    self.configuration = configuration
    state = Mutex(State(rules: ControllerRules(setting, isMuted: configuration.isMuted)))
  }

  /// Something runs beneath.
  package var hasEngine: Bool { state.withLock { $0.engine != nil } }

  package func take(_ command: ControllerRules.Command) {
    change { [self] state in
      let orders = state.rules.take(command)
      perform(orders, &state)
    }
  }

  /// Nobody holds the controller any more: what runs is left, and nobody is told of it.
  package func release() {
    change { [self] state in
      state.isReleased = true
      let orders = state.rules.take(.leave)
      perform(orders, &state)
      if !state.rules.state.isBroadcasting { finish(&state) }
    }
    face.finish()
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
        change { [self] state in
          state.waiters[number] = Waiter(question: question, continuation: continuation)
          let orders = state.rules.take(command)
          perform(orders, &state)
        }
        if Task.isCancelled { withdraw(number) }
      }
    } onCancel: {
      withdraw(number)
    }
  }

  private func withdraw(_ waiter: Int) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: waiter) }
    waiter?.continuation.resume(returning: .cancelled)
  }

  /// What happens from now on to the end of the broadcast that runs or comes next, the newest 256 kept.
  package func records(where wants: @escaping Wanted) -> AsyncStream<BunnyBroadcastRecord> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: BunnyBroadcastRecord.self, bufferingPolicy: .bufferingNewest(256))
    let number: Int? = state.withLock { state in
      guard !state.isReleased else { return nil }
      state.listened += 1
      state.listeners[state.listened] = Listener(stream: continuation, wants: wants)
      return state.listened
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    // A task, as the stream may be dropped while an event is being handed to it.
    continuation.onTermination = { [weak self] _ in Task { self?.forget(number) } }
    return stream
  }

  private func forget(_ listener: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
  }

  // MARK: What the rules order

  private func perform(_ orders: [ControllerRules.Order], _ state: inout State) {
    for order in orders {
      switch order {
      case .run: run(&state)
      // Not under the lock: a program's own source is told to end on the way.
      case .end: tell(state.engine) { $0.end(reason: "asked to end the stream") }
      case .leave: tell(state.engine) { $0.stop(reason: "asked to leave") }
      case .mute(let isMuted): state.engine?.isMuted = isMuted
      case .rotate: state.engine?.rotateCamera()
      case .tell(let event): tell(event, &state)
      case .finish: finish(&state)
      case .answer(let question, let failure):
        for (number, waiter) in state.waiters where waiter.question == question {
          state.waiters[number] = nil
          state.calls.append { waiter.continuation.resume(returning: failure) }
        }
      }
    }
    state.facts.isNow(state.rules.state.name, at: Date())
    show(nil, &state)
  }

  private func tell(
    _ engine: (any ControllerEngine)?, _ what: @escaping @Sendable (any ControllerEngine) -> Void
  ) {
    if let engine { Task(executorPreference: executor) { what(engine) } }
  }

  private func run(_ state: inout State) {
    state.broadcast = UUID()
    state.facts = SnapshotFacts()
    state.lastError = nil
    let engine: any ControllerEngine
    do throws(QualityError) { engine = try make() } catch {
      Task(executorPreference: executor) { self.over(refusal: .quality(error)) }
      return
    }
    state.engine = engine
    let events = engine.events()
    Task(executorPreference: executor) { [self] in
      let listening = Task(executorPreference: executor) {
        for await event in events { self.take(report: event) }
      }
      var failure: BroadcastError?
      do throws(BroadcastError) { _ = try await engine.run() } catch { failure = error }
      await listening.value
      over(failure)
    }
  }

  private func take(report event: BunnyBroadcastEvent) {
    change { [self] state in
      let orders = state.rules.take(report: event, at: .now)
      perform(orders, &state)
    }
  }

  private func over(_ failure: BroadcastError? = nil, refusal: Failure? = nil) {
    change { [self] state in
      state.lastStatistics = state.engine?.statistics ?? state.lastStatistics
      if let engine = state.engine { state.lastStream = engine.stream }
      state.engine = nil
      state.lastError = failure
      let orders = state.rules.over(failure, refusal: refusal)
      perform(orders, &state)
    }
  }

  private func tell(_ event: BunnyBroadcastEvent, _ state: inout State) {
    state.records += 1
    let record = BunnyBroadcastRecord(
      broadcast: state.broadcast, number: state.records, date: Date(), time: .now, event: event)
    state.facts.note(record)
    for listener in state.listeners.values where listener.wants(event) {
      state.calls.append { listener.stream.yield(record) }
    }
    show(record, &state)
  }

  private func finish(_ state: inout State) {
    for listener in state.listeners.values { state.calls.append { listener.stream.finish() } }
    state.listeners = [:]
  }

  private func show(_ record: BunnyBroadcastRecord?, _ state: inout State) {
    let rules = state.rules
    let update = Update(
      state: rules.state, isMuted: rules.isMuted, cameraPosition: rules.cameraPosition,
      isAttached: rules.isAttached, primaryLive: rules.primaryLive,
      backupLive: rules.backupLive, clock: rules.clock, record: record)
    state.calls.append { [face] in face.yield(update) }
  }

  // MARK: What the others are told

  /// Changes the state, then tells the others of it, in order and not under the lock: a task that is woken
  /// may be being cancelled by a thread that holds the task's own lock, and waits for ours in `onCancel`.
  private func change(_ change: @Sendable (inout State) -> Void) {
    let isOurs = state.withLock { state in
      change(&state)
      defer { state.isCalling = true }
      return !state.isCalling
    }
    guard isOurs else { return }  // whoever is at it goes on with these
    while true {
      let calls = state.withLock { state in
        defer { state.calls = [] }
        state.isCalling = !state.calls.isEmpty
        return state.calls
      }
      if calls.isEmpty { return }
      for call in calls { call() }
    }
  }
}
