import Foundation

/// A value that threads change and wait for.
package final class Awaited<Value: Sendable>: @unchecked Sendable {  // all under the condition
  private let condition = NSCondition()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package var current: Value { condition.withLock { value } }

  /// Changes the value and wakes whoever waits for it.
  package func change<Result>(_ body: (inout Value) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&value)
  }

  /// Blocks until `isReached`. False when `seconds` went by first.
  @discardableResult
  package func wait(atMost seconds: Double, until isReached: (Value) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    return condition.withLock {
      while !isReached(value) {
        guard condition.wait(until: end) else { return isReached(value) }
      }
      return true
    }
  }
}
