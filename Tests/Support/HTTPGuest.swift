import Foundation

/// One connection of an ``HTTPServer``, on its own thread.
struct HTTPGuest {
  let descriptor: Int32
  let script: HTTPServer.Script
  let log: Watched<HTTPServerLog>
  private var unread: [UInt8] = []

  init(descriptor: Int32, script: @escaping HTTPServer.Script, log: Watched<HTTPServerLog>) {
    self.descriptor = descriptor
    self.script = script
    self.log = log
  }

  /// Returns when the connection is over.
  mutating func serve() {
    while let request = nextRequest() {
      log.change { $0.requests.append(request) }
      let reply = script(request)
      guard send(reply.bytes) else { return }
      switch reply.ending {
      case .keepAlive: continue
      case .close: return
      case .silence:
        while read() {}
        return
      }
    }
  }

  private mutating func nextRequest() -> HTTPRequest? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = unread.firstRange(of: end) {
        let head = String(decoding: unread[..<range.lowerBound], as: UTF8.self)
        unread.removeSubrange(..<range.upperBound)
        return finish(head)
      }
      guard read() else { return nil }
    }
  }

  private mutating func finish(_ head: String) -> HTTPRequest? {
    guard let bare = HTTPRequest(head: head, body: []) else { return nil }
    let length = bare.headers["content-length"].flatMap { Int($0) } ?? 0
    while unread.count < length { guard read() else { return nil } }
    defer { unread.removeFirst(length) }
    return HTTPRequest(head: head, body: Array(unread.prefix(length)))
  }

  private mutating func read() -> Bool {
    var space = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &space, space.count, 0)
    guard count > 0 else { return false }
    unread += space[..<count]
    return true
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
