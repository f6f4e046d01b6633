import Synchronization

/// Tells a waiting FFmpeg input to give up. From any thread.
public final class Interrupter: Sendable {
  private let flag = Atomic(false)

  public init() {}

  public func interrupt() { flag.store(true, ordering: .releasing) }
  public var isInterrupted: Bool { flag.load(ordering: .acquiring) }
}
