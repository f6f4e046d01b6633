import CBunnyMicroHTTPD
import Synchronization

/// Serves HTTP on a port of 127.0.0.1 with libmicrohttpd, one thread a connection, until ``stop()``.
package final class HTTPServer: Sendable {
  package let port: UInt16
  private let daemon: Daemon
  private let answer: Answer

  /// - Parameters:
  ///   - port: 0 lets the kernel choose.
  ///   - answer: called on a connection's thread; may wait.
  package init(
    port: UInt16, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws(SandboxError) {
    self.answer = Answer(body: answer)
    let opaque = Unmanaged.passUnretained(self.answer).toOpaque()
    guard let raw = bunny_http_start(port, handle, forget, opaque) else {
      throw .portTaken("HTTP", port, "--port")
    }
    daemon = Daemon(raw: raw)
    self.port = bunny_http_port(raw)
  }

  /// Ends all connections and waits for their threads.
  package func stop() { daemon.stop() }
}

/// libmicrohttpd's own object, stopped once.
private final class Daemon: Sendable {
  private struct Handle: @unchecked Sendable {  // its calls may come from any thread
    let raw: OpaquePointer
  }
  private let handle: Mutex<Handle?>

  init(raw: OpaquePointer) { handle = Mutex(Handle(raw: raw)) }
  deinit { stop() }

  func stop() {
    let last = handle.withLock { handle -> Handle? in
      defer { handle = nil }
      return handle
    }
    if let last { MHD_stop_daemon(last.raw) }
  }
}

/// What answers; behind a class, so that C can find it again.
private final class Answer: Sendable {
  let body: @Sendable (HTTPRequest) -> HTTPResponse
  init(body: @escaping @Sendable (HTTPRequest) -> HTTPResponse) { self.body = body }
}

/// A request's body as it comes in; on its connection's thread alone.
private final class Upload {
  private static let longest = 8 << 20
  private(set) var bytes: [UInt8] = []

  /// What is too long is cut, and will not be what it should.
  func take(_ piece: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: piece.prefix(Self.longest - bytes.count))
  }
}

/// Called when a request is over, however it ended.
private func forget(
  _ opaque: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let known = state?.pointee else { return }
  state?.pointee = nil
  Unmanaged<Upload>.fromOpaque(known).release()
}

/// Called first with the request's head, then with pieces of its body, then to answer.
private func handle(
  _ opaque: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let opaque, let connection, let url, let method, let uploadSize, let state else {
    return .NO
  }
  guard let known = state.pointee else {
    state.pointee = Unmanaged.passRetained(Upload()).toOpaque()
    return .YES
  }
  let body = Unmanaged<Upload>.fromOpaque(known).takeUnretainedValue()
  if uploadSize.pointee > 0 {
    body.take(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
    uploadSize.pointee = 0
    return .YES
  }
  var request = HTTPRequest(String(cString: method), String(cString: url))
  request.query = values(of: connection, .GET_ARGUMENT_KIND)
  request.headers = values(of: connection, .HEADER_KIND).reduce(into: [:]) {
    $0[$1.key.lowercased()] = $1.value
  }
  request.body = body.bytes
  let answer = Unmanaged<Answer>.fromOpaque(opaque).takeUnretainedValue()
  return queue(answer.body(request), on: connection)
}

private func values(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: String] {
  var values: [String: String] = [:]
  withUnsafeMutablePointer(to: &values) { values in
    _ = MHD_get_connection_values(
      connection, kind,
      { opaque, _, key, value in
        let values = opaque!.assumingMemoryBound(to: [String: String].self)
        if let key {
          values.pointee[String(cString: key)] = value.map { String(cString: $0) } ?? ""
        }
        return .YES
      }, values)
  }
  return values
}

private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
  guard !response.isHangUp else { return .NO }
  guard let raw = bunny_http_response(response.body, response.body.count) else { return .NO }
  defer { MHD_destroy_response(raw) }
  if let type = response.contentType { MHD_add_response_header(raw, "Content-Type", type) }
  MHD_add_response_header(raw, "Cache-Control", "no-store")
  if response.isForAllPages { MHD_add_response_header(raw, "Access-Control-Allow-Origin", "*") }
  return MHD_queue_response(connection, UInt32(response.status), raw)
}
