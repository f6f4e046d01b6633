import CBunnyShims
import Glibc

/// Wakes a thread that waits in `poll` (an `eventfd`). Any thread may signal it.
public final class WakeEvent: Sendable {
  /// Readable once ``signal()`` was called, until ``clear()``. Closed with this object.
  public let fileDescriptor: Int32

  public init() {
    fileDescriptor = bunny_eventfd()
    precondition(fileDescriptor >= 0, "eventfd: error \(errno)")
  }
  deinit { close(fileDescriptor) }

  public func signal() {
    var one: UInt64 = 1
    _ = write(fileDescriptor, &one, 8)  // only ever fails when 2^64 wakes are pending
  }

  public func clear() {
    var count: UInt64 = 0
    _ = read(fileDescriptor, &count, 8)  // nothing pending is fine
  }

  /// Waits for ``signal()`` until `deadline`, then clears it. False when time ran out.
  @discardableResult
  public func wait(until deadline: MonotonicTime) -> Bool {
    var poll = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let milliseconds = max(0, (deadline - .now + 999_999) / 1_000_000)
      let count = Glibc.poll(&poll, 1, Int32(min(milliseconds, Int64(Int32.max))))
      if count > 0 {
        clear()
        return true
      }
      if count == 0 && MonotonicTime.now >= deadline { return false }
    }
  }
}
