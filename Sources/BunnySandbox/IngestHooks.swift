import BunnySystem

/// What nginx asks about publishers and players: `/ingest/{primary|backup}/{hook}?name=…&clientid=…`.
///
/// Anything but a 2xx makes nginx hang up.
struct IngestHooks: Sendable {
  let library: Library

  func answer(_ request: HTTPRequest, on server: IngestServer) -> HTTPResponse {
    let client = request.query["clientid"] ?? ""
    let key = request.query["name"] ?? ""
    switch request.parts.last {
    case "publish": return publish(client, key: key, server.name)
    case "publish_done": return publishDone(client, key: key, server.name)
    case "play":
      guard key == library.first.facts.streamKey else { return HTTPResponse(403) }
      server.playerCame()
    case "update":
      let isPublisher = request.query["call"] == "update_publish"
      if isPublisher, !goesOn(key, server.name) { return HTTPResponse(403) }  // cuts it
    default: break
    }
    return HTTPResponse(200)
  }

  /// Whether who publishes under this key may go on.
  private func goesOn(_ key: String, _ ingest: IngestName) -> Bool {
    guard let stream = library.stream(withKey: key), !stream.live.status.isFinal else {
      return false
    }
    noteMedia(of: stream, ingest)
    return true
  }

  /// Nobody plays the streams that were made later: that their encoder is there must do.
  private func noteMedia(of stream: LiveStream, _ ingest: IngestName) {
    if stream !== library.first { stream.change { $0.mediaCame(on: ingest, at: .now) } }
  }

  private func publish(_ client: String, key: String, _ ingest: IngestName) -> HTTPResponse {
    guard let stream = library.stream(withKey: key) else {
      return answerPublish(403, library.first, ingest, refusal: "the stream key is wrong")
    }
    guard stream.change({ $0.publishes(client, on: ingest) }) else {
      return answerPublish(
        403, stream, ingest, refusal: "the stream is \(stream.live.status.name)")
    }
    noteMedia(of: stream, ingest)
    return answerPublish(200, stream, ingest, refusal: nil)
  }

  private func answerPublish(
    _ status: Int, _ stream: LiveStream, _ ingest: IngestName, refusal: String?
  ) -> HTTPResponse {
    stream.log(
      refusal.map { "an encoder is refused at the \(ingest.rawValue) ingest: \($0)" }
        ?? "an encoder publishes to the \(ingest.rawValue) ingest")
    stream.calls.add("publish", ingest, of: stream, answer: status)
    return HTTPResponse(status)
  }

  /// Also comes for publishers that were refused, and under a key that is void by now.
  private func publishDone(
    _ client: String, key: String, _ ingest: IngestName
  ) -> HTTPResponse {
    let known = library.stream(withKey: key)
    for stream in known.map({ [$0] }) ?? library.all {
      let isEmpty = stream.change { $0.leaves(client, ingest) }
      if isEmpty { stream.viewer?.left(ingest) }
    }
    let noted = known ?? library.first
    noted.calls.add("publish_done", ingest, of: noted, answer: 200)
    return HTTPResponse(200)
  }
}
