import BunnySystem
import Foundation
import Synchronization

/// TCP ports of 127.0.0.1, in the network of the calling thread unless another is given.
public enum FreePort {
  /// Below those that the kernel gives to whoever connects (from 32768): one of these would be taken
  /// by a passing connection now and then, before a server that was told of it has bound it.
  private static let range: Range<UInt16> = 15_000..<31_000

  /// In turn, so that no test is given what another was given a moment ago, whose server is still
  /// starting; from anywhere, so that the process that runs beside this one is elsewhere.
  private static let turn = Atomic(Int.random(in: 0..<range.count))

  private static func candidate() -> UInt16 {
    range.lowerBound + UInt16(turn.add(1, ordering: .relaxed).oldValue % range.count)
  }

  /// A port that nobody listens on.
  public static func next() -> UInt16 {
    while true {
      let port = candidate()
      guard let listener = try? Loopback.listen(port: port) else { continue }
      close(listener)
      return port
    }
  }

  /// A non-blocking listener on one.
  public static func listen(
    on host: String = "127.0.0.1", receiveBuffer: Int32? = nil
  ) throws -> Int32 {
    while true {
      let port = candidate()
      do {
        return try Loopback.listen(port: port, on: host, receiveBuffer: receiveBuffer)
      } catch let error as POSIXError where error.code == .EADDRINUSE {}
    }
  }

  /// Waits until `server` listens on `port`, without connecting: `ffmpeg -listen 1` takes only one.
  ///
  /// - Throws: ``WaitedInVain`` with what the server said, at once when it has ended.
  public static func waitUntilListening(
    _ port: UInt16, _ server: ChildProcess, in network: NetworkNamespace? = nil,
    atMost seconds: Double = 60
  ) async throws {
    let end = MonotonicTime.now + .seconds(seconds)
    while try !isListening(port, in: network) {
      guard MonotonicTime.now < end, server.isRunning else {
        throw WaitedInVain(
          what: "process \(server.processID) to listen on port \(port)", seconds: seconds,
          found: server.isRunning
            ? String(server.standardError.suffix(1200)) : "\(try await server.outcome())")
      }
      try await Task.sleep(for: .milliseconds(5))  // nobody is told when a listener is born
    }
  }

  private static func isListening(_ port: UInt16, in network: NetworkNamespace?) throws -> Bool {
    try network?.entered { isListening(port) } ?? isListening(port)
  }

  /// Whether the kernel's table has a listener (state 0A, nobody at the other end) on `port`. The table
  /// is long after many connections, so it is not taken apart.
  public static func isListening(_ port: UInt16) -> Bool {
    [("tcp", 8), ("tcp6", 32)].contains { table, digits in
      let path = "/proc/thread-self/net/\(table)"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
      let nobody = String(repeating: "0", count: digits) + ":0000"
      let entry = ":" + String(format: "%04X", port) + " \(nobody) 0A"
      return text.withCString { strstr($0, entry) != nil }
    }
  }
}

/// Sockets on 127.0.0.1, or on another of this machine's IPv4 addresses.
public enum Loopback {
  /// A non-blocking listener; port 0 lets the kernel choose.
  public static func listen(
    port: UInt16, on host: String = "127.0.0.1", receiveBuffer: Int32? = nil
  ) throws -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = socket(AF_INET, type, 0)
    guard listener >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var one: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    if var receiveBuffer {  // before accepting: it decides the window's scale
      setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
    }
    var address = address(host, port)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0, Foundation.listen(listener, 64) == 0 else {
      let error = errno
      close(listener)
      throw POSIXError(.init(rawValue: error) ?? .EIO)
    }
    return listener
  }

  /// A connection to a port, in blocking mode.
  public static func connect(port: UInt16, on host: String = "127.0.0.1") throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var address = address(host, port)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let error = errno
      close(descriptor)
      throw POSIXError(.init(rawValue: error) ?? .EIO)
    }
    return descriptor
  }

  /// Whether the kernel lets a socket say how long it may wait before it sends again: asked by trying.
  public static let limitsRetransmissionPauses: Bool = {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var longest: Int32 = 1000
    return setsockopt(descriptor, Int32(IPPROTO_TCP), 44, &longest, 4) == 0  // TCP_RTO_MAX_MS
  }()

  /// The port a socket is bound to.
  public static func port(of socket: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    guard code == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return UInt16(bigEndian: address.sin_port)
  }

  static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }
}
