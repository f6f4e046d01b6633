import BunnySystem
import Foundation

/// An HTTP/1.1 server on a free port of 127.0.0.1 that answers by script and records what it is asked.
/// Takes any number of connections, each on a thread of its own; keeps them alive.
public final class HTTPServer: Sendable {
  public typealias Script = @Sendable (HTTPRequest) -> HTTPReply

  public let port: UInt16
  private let log = Watched<HTTPServerLog>(HTTPServerLog())
  private let stop = WakeEvent()

  public init(_ script: @escaping Script) throws {
    let listener = try Loopback.listen(port: 0)
    port = try Loopback.port(of: listener)
    let (log, stop) = (log, stop)
    startThread("http") { Self.serve(listener, script, log, stop) }
  }

  deinit { stop.signal() }

  public var url: String { "http://127.0.0.1:\(port)" }
  /// All so far, in the order of arrival.
  public var requests: [HTTPRequest] { log.current.requests }

  /// Waits until what has happened satisfies `isReached`.
  ///
  /// - Throws: ``WaitedInVain``.
  @discardableResult
  public func waitUntil(
    atMost seconds: Double = 30, _ isReached: @escaping @Sendable (HTTPServerLog) -> Bool
  ) async throws -> HTTPServerLog {
    try await log.reach("the HTTP server", atMost: seconds, until: isReached)
  }

  private static func serve(
    _ listener: Int32, _ script: @escaping Script, _ log: Watched<HTTPServerLog>, _ stop: WakeEvent
  ) {
    var guests: [Int32] = []
    while true {
      var polls = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polls, 2, -1) < 0 { continue }
      if polls[1].revents != 0 { break }
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      guests.append(dup(descriptor))  // ours, to hang up with: the guest's may be another's by then
      startThread("http-guest") {
        var guest = HTTPGuest(descriptor: descriptor, script: script, log: log)
        guest.serve()
        shutdown(descriptor, Int32(SHUT_RDWR))  // its duplicate is still open
        close(descriptor)
        log.change { $0.connectionsOver += 1 }
      }
    }
    for guest in guests {
      shutdown(guest, Int32(SHUT_RDWR))
      close(guest)
    }
    close(listener)
  }
}

/// What has happened at an ``HTTPServer``.
public struct HTTPServerLog: Sendable {
  public internal(set) var requests: [HTTPRequest] = []
  /// Connections that either side has ended.
  public internal(set) var connectionsOver = 0
}

/// What one request said.
public struct HTTPRequest: Sendable {
  public let method: String
  /// As it was sent, percent signs and query included.
  public let path: String
  /// Names in lower case.
  public let headers: [String: String]
  public let body: [UInt8]

  /// - Returns: nil when `head` is none.
  init?(head: String, body: [UInt8]) {
    let lines = head.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(words[0])
    path = String(words[1])
    self.body = body
    headers = lines.dropFirst().reduce(into: [:]) { headers, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[line[..<colon].lowercased()] = value
    }
  }
}

/// What an ``HTTPServer`` answers with.
public struct HTTPReply: Sendable {
  public enum Ending: Sendable {
    /// The connection waits for another request.
    case keepAlive
    /// The server hangs up.
    case close
    /// Not another byte; the connection stays until the client hangs up.
    case silence
  }

  let bytes: [UInt8]
  let ending: Ending

  /// These bytes, whatever they are.
  public static func raw(_ text: String, then ending: Ending = .close) -> HTTPReply {
    HTTPReply(bytes: Array(text.utf8), ending: ending)
  }

  /// A whole answer.
  public static func respond(
    _ status: Int, _ body: String = "", headers: [String: String] = [:]
  ) -> HTTPReply {
    respond(status, bytes: Array(body.utf8), headers: headers)
  }

  public static func respond(
    _ status: Int, bytes body: [UInt8], headers: [String: String] = [:]
  ) -> HTTPReply {
    var head = "HTTP/1.1 \(status) Words\r\n"
    if status != 204 { head += "Content-Length: \(body.count)\r\n" }
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    return HTTPReply(bytes: Array((head + "\r\n").utf8) + body, ending: .keepAlive)
  }
}
