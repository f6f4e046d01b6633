import Synchronization

/// A state that several threads change, and what is done about it: decided under a lock, done outside it, one
/// after the other in the order in which it was decided.
///
/// So under the lock nobody is woken or cancelled, and nothing of a program's is called. A task that is being
/// cancelled holds a lock of its own while its `onCancel` waits for ours, and waking it takes that one; and what
/// we call may ask us something.
final class Decider<State: Sendable>: Sendable {
  typealias Deed = @Sendable () -> Void

  private struct Inside: Sendable {
    var state: State
    /// Decided, and not done yet.
    var deeds: [Deed] = []
    /// Somebody is at it.
    var isBusy = false
  }

  private let inside: Mutex<Inside>

  init(_ state: State) { inside = Mutex(Inside(state: state)) }

  /// Looks at the state, or changes what nothing is done about.
  func withLock<Result: Sendable>(_ look: (inout State) -> Result) -> Result {
    inside.withLock { look(&$0.state) }
  }

  /// Changes the state, then does what that comes to; or leaves it to whoever is at it.
  @discardableResult
  func decide<Result: Sendable>(_ decide: (inout State, inout [Deed]) -> Result) -> Result {
    let (result, isOurs) = inside.withLock { inside in
      let result = decide(&inside.state, &inside.deeds)
      let isOurs = !inside.isBusy && !inside.deeds.isEmpty
      inside.isBusy = inside.isBusy || isOurs
      return (result, isOurs)
    }
    if isOurs { while let deeds = next() { for deed in deeds { deed() } } }
    return result
  }

  private func next() -> [Deed]? {
    inside.withLock { inside in
      defer { inside.deeds = [] }
      inside.isBusy = !inside.deeds.isEmpty
      return inside.isBusy ? inside.deeds : nil
    }
  }
}
