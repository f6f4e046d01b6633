import BunnySystem
import Foundation

/// A bad network with real TCP over it: two networks of their own, and a thread in between that moves
/// IP packets from one to the other and delays, drops, limits and holds them as told.
///
/// In the near network lives the publisher, at ``nearAddress``; in the far one live the ingests, at the
/// addresses of ``Far``. Nothing else is reachable from either. All of it is gone with this object, and
/// with the process.
public final class Line: Sendable {
  /// Whether this machine lets us: asked by trying.
  public static let isAvailable: Bool = {
    guard let network = try? NetworkNamespace() else { return false }
    return (try? Tun("line", in: network)) != nil && iproute != nil
  }()
  /// What a test that is skipped says.
  public static let need = "needs root, /dev/net/tun and the ip command"

  public static let nearAddress = "10.77.0.1"
  public static let nearAddress6 = "fd77::1"

  public let near: NetworkNamespace
  public let far: NetworkNamespace
  private let mover: LineMover

  /// - Parameter seed: Decides which packets are lost.
  public init(_ condition: Condition = Condition(), seed: UInt64 = 1) async throws {
    near = try NetworkNamespace()
    far = try NetworkNamespace()
    let tuns = (near: try Tun("line", in: near), far: try Tun("line", in: far))
    try await Self.setUp(near, [Self.nearAddress], [Self.nearAddress6])
    try await Self.setUp(far, Far.allCases.map(\.address), Far.allCases.map(\.address6))
    var traffic = LineTraffic(seed: seed)
    traffic.set(condition, for: nil, at: .now)
    mover = LineMover(near: tuns.near, far: tuns.far, traffic)
  }

  deinit { mover.stop() }

  /// Changes the line from now on, or only the way to one of its far ends, which comes on top of the
  /// line: one ingest may vanish while the uplink lives.
  public func set(_ condition: Condition, for far: Far? = nil) {
    mover.change { $0.set(condition, for: far, at: $1) }
  }

  /// Holds everything for some seconds, then lets it go or drops it; the condition stays. Returns at
  /// once. ``set(_:for:)`` ends it early.
  public func freeze(seconds: Double, for far: Far? = nil, thenDropping drops: Bool = false) {
    mover.change {
      $0.freeze(for: far, until: $1 + .seconds(seconds), thenDropping: drops, at: $1)
    }
  }

  /// Pulls the near end's cable out, which the kernel notices and netlink tells, or plugs it in again.
  public func setCable(isPlugged: Bool) throws { try mover.setCarrier(isPlugged) }

  /// What has come through so far, in all or to and from one far end.
  public func counters(for far: Far? = nil) -> Counters { mover.traffic.current.counters(for: far) }

  /// Waits until the counters satisfy `isReached`.
  ///
  /// - Throws: ``WaitedInVain``.
  @discardableResult
  public func reach(
    for far: Far? = nil, atMost seconds: Double = 30,
    until isReached: @escaping @Sendable (Counters) -> Bool
  ) async throws -> Counters {
    try await mover.traffic.reach("the line", atMost: seconds) {
      isReached($0.counters(for: far))
    }.counters(for: far)
  }

  /// Runs `body` on a thread of its own in the near network. Sockets opened, and threads and processes
  /// started in there live there: `try await line.inNear { try Command.start(arguments) }`.
  public func inNear<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let near = near
    return try await onThread("near") { try near.entered(body) }
  }

  /// The same in the far network.
  public func inFar<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let far = far
    return try await onThread("far") { try far.entered(body) }
  }

  private static let iproute = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  /// Gives the device its addresses; IPv6 only where the kernel has it.
  private static func setUp(
    _ network: NetworkNamespace, _ addresses: [String], _ addresses6: [String]
  ) async throws {
    let has6 = FileManager.default.fileExists(atPath: "/proc/sys/net/ipv6")
    let ip = iproute ?? "ip"
    let script =
      addresses.map { "\(ip) address add \($0)/24 dev line" }
      + (has6 ? addresses6.map { "\(ip) address add \($0)/64 dev line nodad" } : [])
      + ["\(ip) link set lo up", "\(ip) link set line up"]
    let shell = try network.entered {
      try ChildProcess("/bin/sh", ["-ec", script.joined(separator: "\n")])
    }
    let outcome = try await shell.outcome()
    guard outcome.exitStatus == 0 else { throw LineFailure(outcome: outcome) }
  }
}

/// The line's devices could not be set up.
public struct LineFailure: Error, CustomStringConvertible {
  let outcome: ChildProcess.Outcome
  public var description: String { "the line could not be set up: \(outcome)" }
}
