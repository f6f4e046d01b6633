import CSupport
import Foundation

/// A network of its own, without a name: only its descriptor keeps it, so that nothing is left when
/// the process dies, however it does. Needs root.
public final class NetworkNamespace: Sendable {
  private let descriptor: Int32

  /// An empty one, whose loopback is down.
  public init() throws {
    let own = try Self.ofThisThread()
    defer { close(own) }
    guard support_leave_network() == 0 else { throw Self.failure }
    defer { Self.enter(own) }
    descriptor = try Self.ofThisThread()
  }

  deinit { close(descriptor) }

  /// Runs `body` with the calling thread in this network. The sockets that it opens stay in here, and
  /// so do the threads and processes that it starts.
  public func entered<Result>(_ body: () throws -> Result) throws -> Result {
    let own = try Self.ofThisThread()
    defer { close(own) }
    guard support_enter_network(descriptor) == 0 else { throw Self.failure }
    defer { Self.enter(own) }
    return try body()
  }

  /// What the kernel calls it, as in `/proc/PID/ns/net`: `net:[4026532412]`.
  public var kernelName: String {
    let link = "/proc/self/fd/\(descriptor)"
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
  }

  /// A thread that could not go back would run other tests in the wrong network.
  private static func enter(_ own: Int32) {
    precondition(support_enter_network(own) == 0, "setns: error \(errno)")
  }

  private static func ofThisThread() throws -> Int32 {
    let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure }
    return descriptor
  }

  private static var failure: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
