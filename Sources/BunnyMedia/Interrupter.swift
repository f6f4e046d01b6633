public import BunnySystem
import Synchronization

/// Tells a waiting FFmpeg input to give up. From any thread.
public final class Interrupter: Sendable {
  private let flag = Atomic(false)
  private let deadline = Atomic(MonotonicTime.distantFuture.nanoseconds)
  private let expired = Atomic(false)
  private let outer: Interrupter?

  /// - Parameter outer: what interrupts it interrupts this one too, but not the other way round.
  public init(within outer: Interrupter? = nil) { self.outer = outer }

  public func interrupt() { flag.store(true, ordering: .releasing) }

  /// Interrupts by itself at `time`, unless another one is set before.
  public func interrupt(at time: MonotonicTime) {
    deadline.store(time.nanoseconds, ordering: .releasing)
  }

  public var isInterrupted: Bool {
    if flag.load(ordering: .acquiring) || outer?.isInterrupted == true { return true }
    if MonotonicTime.now.nanoseconds >= deadline.load(ordering: .acquiring) {
      expired.store(true, ordering: .releasing)
    }
    return hasExpired
  }

  /// An input was told to give up because its time had come.
  public var hasExpired: Bool { expired.load(ordering: .acquiring) }
}
