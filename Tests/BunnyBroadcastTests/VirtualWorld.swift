import BunnyBroadcast
import BunnySystem
import Foundation
import Support
import Synchronization

/// Where time is virtual: runs tasks one step at a time, in an order that its seed gives, and when none can
/// go on, time passes to when the next one wakes. The same seed tells the same story.
final class VirtualWorld: TaskExecutor {
  private struct Sleeper {
    let number: Int
    let wakes: MonotonicTime
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = MonotonicTime(nanoseconds: .seconds(1000))
    var dice: Dice
    var jobs: [UnownedJob] = []
    var sleepers: [Sleeper] = []
    var slept = 0
    /// Those who were cancelled before they fell asleep.
    var wakeful: Set<Int> = []
  }

  let memory = VirtualMemory()
  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(dice: Dice(seed: seed))) }

  var now: MonotonicTime { state.withLock { $0.now } }
  /// How many tasks would go on later.
  var sleeping: Int { state.withLock { $0.sleepers.count } }

  func random(_ range: ClosedRange<Int>) -> Int {
    state.withLock { .random(in: range, using: &$0.dice) }
  }

  func chance(_ percent: Int) -> Bool { random(1...100) <= percent }

  /// Up to that.
  func random(_ duration: Duration) -> Duration {
    .milliseconds(random(0...Int(duration / .milliseconds(1))))
  }

  /// As a live broadcast sees it.
  var live: LiveWorld {
    var live = LiveWorld()
    live.now = { self.now }
    live.date = { self.date }
    live.sleep = { try await self.sleep($0) }
    live.chance = { Double(self.random(0...1000)) / 1000 }
    live.executor = self
    live.rehearse = { _ in }
    live.store = { [memory] _, name throws(StreamStore.Trouble) in try memory.open(name) }
    live.block = { work in
      try? await self.sleep(self.random(.milliseconds(300)))
      work()
    }
    return live
  }

  /// What everybody's clock shows.
  var date: Date { Date(timeIntervalSince1970: 1_800_000_000 + Double(now.nanoseconds) / 1e9) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  func task(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self, operation: work)
  }

  func sleep(_ duration: Duration) async throws {
    let number = state.withLock { state in
      state.slept += 1
      return state.slept
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isWakeful = state.withLock { state in
          guard state.wakeful.remove(number) == nil else { return true }
          let wakes = state.now + max(0, duration.whole)
          state.sleepers.append(Sleeper(number: number, wakes: wakes, continuation: continuation))
          return false
        }
        if isWakeful { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        if let index = state.sleepers.firstIndex(where: { $0.number == number }) {
          return state.sleepers.remove(at: index)
        }
        state.wakeful.insert(number)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Lets so much time pass, and all happen that happens in it.
  func pass(_ duration: Duration) {
    let end = now + duration.whole
    while true {
      if let job = nextJob() {
        job.runSynchronously(on: asUnownedTaskExecutor())
      } else if let sleeper = nextSleeper(before: end) {
        sleeper.continuation.resume()
      } else {
        return state.withLock { $0.now = end }
      }
    }
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { state in
      guard !state.jobs.isEmpty else { return nil }
      return state.jobs.remove(at: .random(in: state.jobs.indices, using: &state.dice))
    }
  }

  private func nextSleeper(before end: MonotonicTime) -> Sleeper? {
    state.withLock { state in
      let sleepers = state.sleepers
      guard
        let index = sleepers.indices.min(by: { sleepers[$0].wakes < sleepers[$1].wakes }),
        sleepers[index].wakes <= end
      else { return nil }
      state.now = max(state.now, sleepers[index].wakes)
      return state.sleepers.remove(at: index)
    }
  }
}
