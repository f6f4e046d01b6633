import Synchronization

/// Hands each HTTP request to the part that it is for.
final class Switchboard: Sendable {
  private struct Parts: Sendable {
    let api: API
    let hooks: IngestHooks
    let control: Control
    let playback: Playback
    let servers: [IngestServer]
  }
  private let parts = Mutex<Parts?>(nil)

  /// Until then every request is answered with 503.
  ///
  /// - Parameters:
  ///   - port: where the requests come in.
  ///   - fault: how the API fails at first.
  func connect(
    _ stream: LiveStream, _ servers: [IngestServer], _ playback: Playback, port: UInt16,
    fault: Fault
  ) {
    let library = Library(stream)
    let api = API(library) { for server in servers { server.playAnew() } }
    let control = Control(stream, api, port: port, fault: fault) { name throws(SandboxError) in
      guard let server = servers.first(where: { $0.name == name }) else { return nil }
      try server.restart()
      return server.processID
    }
    parts.withLock {
      $0 = Parts(
        api: api, hooks: IngestHooks(library: library), control: control, playback: playback,
        servers: servers)
    }
  }

  /// The picture that a stream's owner has set.
  func picture(_ id: String, _ name: String) -> HTTPResponse {
    let library = parts.withLock { $0 }?.hooks.library
    guard let picture = library?.stream(id)?.facts.thumbnail, picture.name == name else {
      return .notFound
    }
    return .bytes(picture.bytes, type: picture.type)
  }

  /// Lets go of all that is kept waiting.
  func end() { parts.withLock { $0 }?.control.end() }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard let parts = parts.withLock({ $0 }) else { return HTTPResponse(503) }
    let path = request.parts
    switch path.first {
    case "library":
      return parts.api.answer(request, during: parts.control.fault(of: API.name(of: request)))
    case "sandbox": return parts.control.answer(request)
    case "ingest":
      guard
        let server = parts.servers.first(where: { path.count == 3 && $0.name.rawValue == path[1] })
      else { return .notFound }
      return parts.hooks.answer(request, on: server)
    default: return parts.playback.answer(request)
    }
  }
}
