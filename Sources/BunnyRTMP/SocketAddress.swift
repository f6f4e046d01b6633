import Glibc

/// One address that a name stands for, port included.
package struct SocketAddress: Hashable, Sendable {
  package let family: Int32
  let bytes: [UInt8]  // a sockaddr of that family

  init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  /// An address in figures; nil when `figures` is a name.
  package init?(_ figures: String, port: UInt16) {
    guard case .addresses(let found) = lookUp(figures, port, flags: AI_NUMERICHOST),
      let first = found.first
    else { return nil }
    self = first
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address in figures, without its port.
  package var description: String {
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = bytes.withUnsafeBytes { raw -> Int32 in
      guard let address = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return getnameinfo(
        address, socklen_t(raw.count), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
    }
    guard code == 0 else { return "?" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
