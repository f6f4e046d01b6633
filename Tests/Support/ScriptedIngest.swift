public import BunnyRTMP
public import BunnySystem
import Foundation

/// A hostile ingest: an RTMP server that behaves by script and on command, and records what it is told
/// and when. Takes any number of connections, on one thread; acknowledges what it reads and answers
/// pings, as nginx-rtmp does, until it is told not to.
public final class ScriptedIngest: Sendable {
  public let port: UInt16
  private let host: String
  private let visitors = Watched<[IngestVisit]>([])
  private let orders = IngestOrders()
  private let isSecure: Bool
  private let isClosed = Watched(false)

  /// On 127.0.0.1.
  ///
  /// - Parameter port: 0 takes a free one.
  public convenience init(_ script: IngestScript = IngestScript(), port: UInt16 = 0) throws {
    try self.init(script, port: port, on: "127.0.0.1", in: nil)
  }

  /// At one of the far ends of a line.
  public convenience init(
    _ script: IngestScript = IngestScript(), at far: Line.Far, of line: Line
  ) throws {
    try self.init(script, port: 0, on: far.address, in: line.far)
  }

  private init(
    _ script: IngestScript, port: UInt16, on host: String, in network: NetworkNamespace?
  ) throws {
    let (visitors, orders, isClosed) = (visitors, orders, isClosed)
    let listen: () throws -> UInt16 = {
      let listener =
        try port == 0
        ? FreePort.listen(on: host, receiveBuffer: script.receiveBuffer)
        : Loopback.listen(port: port, on: host, receiveBuffer: script.receiveBuffer)
      startThread("ingest") {
        var loop = IngestLoop(
          listener: listener, script: script, visitors: visitors, orders: orders)
        loop.run()
        isClosed.change { $0 = true }
      }
      return try Loopback.port(of: listener)
    }
    self.port = try network?.entered(listen) ?? listen()
    self.host = host
    isSecure = script.tls != nil
  }

  deinit { orders.stop.signal() }

  /// Hangs up on everybody and listens no more.
  public func close() { orders.stop.signal() }

  /// Waits until it listens no more, after ``close()``.
  public func waitUntilClosed() async throws {
    try await isClosed.reach("the scripted ingest's end", atMost: 20) { $0 }
  }

  /// Does these things, in order.
  ///
  /// - Returns: Once they have been done: when it was told.
  @discardableResult
  public func command(_ commands: IngestCommand...) -> MonotonicTime { orders.give(commands) }

  /// The publish URL of a stream.
  public func url(app: String = "live", key: String = "key") -> String {
    "\(isSecure ? "rtmps://localhost" : "rtmp://\(host)"):\(port)/\(app)/\(key)"
  }

  /// Where to publish to it.
  public func ingest(app: String = "live", key: String = "key") throws -> Ingest {
    try Ingest(url(app: app, key: key))
  }

  /// An ingest at a port where nobody listens.
  public static func refusedIngest() throws -> Ingest {
    try Ingest("rtmp://127.0.0.1:\(FreePort.next())/live/key")
  }

  /// All connections so far, oldest first.
  public var visits: [IngestVisit] { visitors.current }

  /// Waits until the connections, oldest first, satisfy `isReached`.
  ///
  /// - Throws: ``WaitedInVain``.
  @discardableResult
  public func waitUntil(
    atMost seconds: Double = 30, _ isReached: @escaping @Sendable ([IngestVisit]) -> Bool
  ) async throws -> [IngestVisit] {
    try await visitors.reach("the scripted ingest", atMost: seconds, until: isReached)
  }

  /// Waits until the `index`th connection is over.
  @discardableResult
  public func visit(_ index: Int = 0, atMost seconds: Double = 30) async throws -> IngestVisit {
    try await waitUntil(atMost: seconds) { $0.count > index && $0[index].isOver }[index]
  }
}

/// What an ingest's thread is told. Any thread.
final class IngestOrders: Sendable {
  private struct State {
    var waiting: [IngestCommand] = []
    var given = 0
    var done = 0
  }

  let wake = WakeEvent()
  let stop = WakeEvent()
  private let state = Watched(State())

  /// Returns once they have been carried out: when they were given.
  func give(_ commands: [IngestCommand]) -> MonotonicTime {
    let moment = MonotonicTime.now
    let number = state.change { state in
      state.waiting += commands
      state.given += commands.count
      return state.given
    }
    wake.signal()
    precondition(state.wait { $0.done >= number } != nil, "this ingest was closed")
    return moment
  }

  func take() -> [IngestCommand] {
    wake.clear()
    return state.change { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  func carriedOut(_ commands: [IngestCommand]) { state.change { $0.done += commands.count } }
}
