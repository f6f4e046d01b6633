import BunnySystem
import Foundation

/// A value that one thread changes and others wait for, without polling.
public final class Watched<Value: Sendable>: @unchecked Sendable {  // all under the condition
  private let condition = NSCondition()
  private var value: Value

  public init(_ value: Value) { self.value = value }

  /// A copy of the value as it is now.
  public var current: Value { condition.withLock { value } }

  /// Changes the value and wakes whoever waits for it.
  public func change<Result>(_ body: (inout Value) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&value)
  }

  /// Blocks until `isReached`. Nil when `seconds` went by first.
  public func wait(
    atMost seconds: Double = 30, until isReached: (Value) -> Bool
  ) -> Value? {
    let end = Date(timeIntervalSinceNow: seconds)
    return condition.withLock {
      while !isReached(value) {
        guard condition.wait(until: end) else { return isReached(value) ? value : nil }
      }
      return value
    }
  }

  /// Waits for `isReached`, on a thread of its own.
  ///
  /// - Throws: ``WaitedInVain`` when `seconds` went by first.
  @discardableResult
  public func reach(
    _ what: String, atMost seconds: Double = 30,
    until isReached: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    try await onThread("wait") {
      guard let value = self.wait(atMost: seconds, until: isReached) else {
        throw WaitedInVain(what: what, seconds: seconds, found: "\(self.current)")
      }
      return value
    }
  }
}

/// Something a test waited for did not happen.
public struct WaitedInVain: Error, CustomStringConvertible {
  public let what: String
  public let seconds: Double
  public let found: String

  public init(what: String, seconds: Double, found: String = "") {
    self.what = what
    self.seconds = seconds
    self.found = found
  }

  public var description: String {
    "waited \(seconds) s in vain for \(what); found: \(found.prefix(2000))"
  }
}
