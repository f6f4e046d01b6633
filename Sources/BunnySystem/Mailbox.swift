public import Synchronization

/// A bounded queue from one thread to another. When it is full the oldest element makes room.
///
/// Inlinable, and public for that alone: it is compiled for its elements, and a frame that passes through costs
/// no allocation.
public final class Mailbox<Element: Sendable>: Sendable {
  public enum Taken {
    case element(Element)
    case timeout
    /// Closed, and everything was taken.
    case closed
  }

  @usableFromInline
  struct State {
    @usableFromInline var elements: [Element] = []
    @usableFromInline var isClosed = false

    @inlinable
    init() {}
  }

  @usableFromInline let state = Mutex(State())
  @usableFromInline let wake = WakeEvent()
  @usableFromInline let capacity: Int

  /// - Parameter capacity: elements, positive.
  @inlinable
  public init(capacity: Int) { self.capacity = capacity }

  /// - Returns: How many elements were thrown out for it; 1 also when the mailbox is closed.
  @discardableResult
  @inlinable
  public func put(_ element: Element) -> Int {
    let dropped = state.withLock { state in
      guard !state.isClosed else { return 1 }
      state.elements.append(element)
      guard state.elements.count > capacity else { return 0 }
      state.elements.removeFirst()
      return 1
    }
    wake.signal()
    return dropped
  }

  /// The oldest element; waits for one until `deadline`.
  @inlinable
  public func take(until deadline: MonotonicTime) -> Taken {
    while true {
      let taken: Taken? = state.withLock { state in
        if !state.elements.isEmpty { return .element(state.elements.removeFirst()) }
        return state.isClosed ? .closed : nil
      }
      if let taken { return taken }
      if !wake.wait(until: deadline) { return .timeout }
    }
  }

  /// How many elements wait to be taken.
  @inlinable
  public var waiting: Int { state.withLock { $0.elements.count } }

  /// Nothing is put in any more. What is inside can still be taken.
  @inlinable
  public func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
  }
}
