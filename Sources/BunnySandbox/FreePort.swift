import Glibc

/// A port of 127.0.0.1 that nobody listens on. Somebody else may take it before it is used.
///
/// Chosen below the ports that the kernel gives to connections, so that none of these can sit on the
/// port of an ingest that is dead for a while.
///
/// - Parameter wanted: the one it is to be; nil for any.
func freePort(_ wanted: UInt16?, for ingest: IngestName) throws(SandboxError) -> UInt16 {
  let candidates = wanted.map { [$0] } ?? (0..<100).map { _ in UInt16.random(in: 12_000..<32_000) }
  guard let port = candidates.first(where: isFree) else {
    throw .portTaken(
      "the \(ingest.rawValue) ingest", candidates[0], "--\(ingest.rawValue)-port")
  }
  return port
}

private func isFree(_ port: UInt16) -> Bool {
  let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(probe) }
  var one: Int32 = 1
  setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &one, 4)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
