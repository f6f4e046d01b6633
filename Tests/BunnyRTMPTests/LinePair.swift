import BunnySystem
import Foundation
import Support

/// Two connected sockets, one at each end of a line. They block, for 30 s at most, so what uses them
/// belongs on threads. Closed with this object.
final class LinePair: Sendable {
  let near: Int32
  let far: Int32

  /// A TCP connection to one of the far ends.
  ///
  /// - Parameter host: Its address, if not the usual one.
  init(_ line: Line, to end: Line.Far = .first, host: String? = nil) async throws {
    let host = host ?? end.address
    let listener = try line.far.entered { try Self.bound(SOCK_STREAM, to: Address(host, port: 0)) }
    defer { close(listener) }
    try check(listen(listener, 1))
    let address = Address(of: listener)
    near = try await line.inNear { try Self.connected(SOCK_STREAM, to: address) }
    far = try await onThread("accept") {
      let far = accept(listener, nil, nil)
      try check(far)
      Self.setPatience(of: far)
      return far
    }
    var one: Int32 = 1
    setsockopt(near, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
  }

  /// A pair of UDP sockets.
  init(datagramsOver line: Line) throws {
    let far = try line.far.entered {
      try Self.bound(SOCK_DGRAM, to: Address(Line.Far.first.address, port: 0))
    }
    let address = Address(of: far)
    self.far = far
    near = try line.near.entered { try Self.connected(SOCK_DGRAM, to: address) }
  }

  deinit {
    close(near)
    close(far)
  }

  /// Bytes that the near end sent and the far end's kernel has not acknowledged.
  var unacknowledged: Int {
    var count: Int32 = 0
    _ = ioctl(near, UInt(TIOCOUTQ), &count)
    return Int(count)
  }

  /// Whether a read would now find neither bytes nor an end.
  static func isSilent(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }

  /// Sends all of it.
  static func send(_ bytes: [UInt8], over socket: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = Foundation.send(
        socket, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
      try check(Int32(clamping: count))
      sent += count
    }
  }

  /// Receives what there is, waiting for some; nothing: the end.
  static func receive(atMost count: Int = 65_536, from socket: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let count = recv(socket, &bytes, count, 0)
    try check(Int32(clamping: count))
    return Array(bytes.prefix(count))
  }

  /// Receives that many bytes.
  static func receive(exactly count: Int, from socket: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try receive(atMost: count - bytes.count, from: socket)
      guard !more.isEmpty else { break }
      bytes += more
    }
    return bytes
  }

  private static func bound(_ type: __socket_type, to address: Address) throws -> Int32 {
    let descriptor = try socket(type, of: address)
    try check(address.with { bind(descriptor, $0, $1) })
    return descriptor
  }

  private static func connected(_ type: __socket_type, to address: Address) throws -> Int32 {
    let descriptor = try socket(type, of: address)
    try check(address.with { connect(descriptor, $0, $1) })
    return descriptor
  }

  private static func socket(_ type: __socket_type, of address: Address) throws -> Int32 {
    let descriptor = Foundation.socket(
      address.family, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try check(descriptor)
    setPatience(of: descriptor)
    return descriptor
  }

  private static func setPatience(of socket: Int32) {
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}

/// A numeric IPv4 or IPv6 address and a port.
private struct Address: Sendable {
  private var storage = sockaddr_storage()
  private var size = socklen_t(MemoryLayout<sockaddr_storage>.size)

  init(_ host: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else { return }
    defer { freeaddrinfo(found) }
    size = found.pointee.ai_addrlen
    let source = UnsafeRawBufferPointer(start: found.pointee.ai_addr, count: Int(size))
    withUnsafeMutableBytes(of: &storage) { target in
      for index in source.indices { target[index] = source[index] }
    }
  }

  /// Where `socket` is bound.
  init(of socket: Int32) {
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(socket, $0, &size)
      }
    }
  }

  var family: Int32 { Int32(storage.ss_family) }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }
}

private func check(_ code: Int32) throws {
  guard code >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
}
