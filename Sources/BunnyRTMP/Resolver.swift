import BunnySystem
import Glibc
import Synchronization

/// One address that a name stands for.
struct SocketAddress: Sendable {
  let family: Int32
  let bytes: [UInt8]  // a sockaddr of that family

  /// The address in figures, without its port.
  var description: String {
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

/// Looks up a name on a thread of its own, since `getaddrinfo` can neither be stopped nor bounded: who
/// asked may walk away, and the answer is dropped when it comes.
final class Resolver: Sendable {
  enum Answer: Sendable {
    case addresses([SocketAddress])
    case failure(String)  // getaddrinfo's words
  }

  /// Signalled when ``answer`` is there.
  let done = WakeEvent()
  private let result = Mutex<Answer?>(nil)
  var answer: Answer? { result.withLock { $0 } }

  init(host: String, port: UInt16) {
    // An address in figures needs no waiting.
    if case .addresses(let found) = Self.lookUp(host, port, flags: AI_NUMERICHOST) {
      finish(.addresses(found))
    } else {
      startThread("resolve") { self.finish(Self.lookUp(host, port, flags: AI_ADDRCONFIG)) }
    }
  }

  private func finish(_ answer: Answer) {
    result.withLock { $0 = answer }
    done.signal()
  }

  private static func lookUp(_ host: String, _ port: UInt16, flags: Int32) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0, let list else {
      return .failure(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list) { $0.pointee.ai_next }.compactMap { entry in
      entry.pointee.ai_addr.map { address in
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        return SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes))
      }
    }
    return addresses.isEmpty ? .failure("no address") : .addresses(addresses)
  }
}
