import BunnySystem
import Glibc
import Synchronization

/// What came of looking up a name.
package enum NameAnswer: Sendable {
  /// In the order in which the system would have them tried.
  case addresses([SocketAddress])
  /// In the system's words.
  case failure(String)
}

/// Looks up the addresses of a host's port; may block for as long as it likes.
package typealias NameLookUp = @Sendable (_ host: String, _ port: UInt16) -> NameAnswer

/// Looks up a name on a thread of its own, since `getaddrinfo` can neither be stopped nor bounded: who
/// asked may walk away, and the answer is dropped when it comes.
final class Resolver: Sendable {
  /// Readable once ``answer`` is there, for any number of readers. Nobody clears it.
  let done = WakeEvent()
  private let result = Mutex<NameAnswer?>(nil)
  var answer: NameAnswer? { result.withLock { $0 } }

  init(host: String, port: UInt16, lookUp: @escaping NameLookUp) {
    if let address = SocketAddress(host, port: port) {  // in figures: no waiting
      finish(.addresses([address]))
    } else {
      startThread("resolve") { self.finish(lookUp(host, port)) }
    }
  }

  private func finish(_ answer: NameAnswer) {
    result.withLock { $0 = answer }
    done.signal()
  }
}

/// Asks the system, by `getaddrinfo`.
///
/// - Parameter flags: such as `AI_NUMERICHOST`.
func lookUp(_ host: String, _ port: UInt16, flags: Int32) -> NameAnswer {
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
