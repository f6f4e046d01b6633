import BunnySystem
public import Foundation

/// Sends the same bytes to whoever connects, whatever they say: a live stream, or one that stalls.
public final class ByteServer: Sendable {
  /// How far it has come.
  public struct Progress: Sendable {
    public var connections = 0
    /// Connections to which everything was sent.
    public var served = 0
  }

  public let progress = Watched(Progress())
  private let port: UInt16
  private let listener: Int32
  private let isOver = Watched(false)

  /// - Parameter thenStaying: keeps connections open until this object goes.
  public init(_ data: Data, thenStaying: Bool = false) throws {
    let listener = try Loopback.listen(port: 0)
    self.listener = listener
    _ = fcntl(listener, F_SETFL, 0)  // it may wait
    port = try Loopback.port(of: listener)
    startThread("byte-server") { [progress, isOver] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        progress.change { $0.connections += 1 }
        startThread("byte-sender") {
          if Self.send(data, to: connection) { progress.change { $0.served += 1 } }
          if thenStaying { _ = isOver.wait(atMost: 60) { $0 } }
          close(connection)
        }
      }
    }
  }

  public convenience init(sending path: String, thenStaying: Bool = false) throws {
    try self.init(Data(contentsOf: URL(filePath: path)), thenStaying: thenStaying)
  }

  deinit {
    isOver.change { $0 = true }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Where it is, such as `tcp://127.0.0.1:1234`.
  public func address(_ scheme: String = "tcp") -> String { "\(scheme)://127.0.0.1:\(port)" }

  private static func send(_ data: Data, to connection: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Foundation.send(
          connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}
