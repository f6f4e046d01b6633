import Glibc

/// A port of 127.0.0.1 that nobody listens on. Somebody else may take it before it is used.
///
/// - Parameter wanted: the one it is to be; nil for any.
func freePort(_ wanted: UInt16?, for ingest: IngestName) throws(SandboxError) -> UInt16 {
  let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(probe) }
  var one: Int32 = 1
  setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &one, 4)
  var address = sockaddr_in()
  address.sin_port = (wanted ?? 0).bigEndian
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(probe, $0, size) == 0 && getsockname(probe, $0, &size) == 0
    }
  }
  guard isBound else {
    throw .portTaken("the \(ingest.rawValue) ingest", wanted ?? 0, "--\(ingest.rawValue)-port")
  }
  return UInt16(bigEndian: address.sin_port)
}
