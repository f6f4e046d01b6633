/// What nginx asks about publishers and players: `/ingest/{primary|backup}/{hook}?name=…&clientid=…`.
///
/// Anything but a 2xx makes nginx hang up.
struct IngestHooks: Sendable {
  let stream: LiveStream

  func answer(_ request: HTTPRequest, on server: IngestServer) -> HTTPResponse {
    let client = request.query["clientid"] ?? ""
    switch request.parts.last {
    case "publish": return publish(client, key: request.query["name"] ?? "", server.name)
    case "publish_done": return publishDone(client, server.name)
    case "play":
      guard request.query["name"] == stream.facts.streamKey else { return HTTPResponse(403) }
      server.playerCame()
    case "update":
      let isPublisher = request.query["call"] == "update_publish"
      if isPublisher && stream.live.status.isFinal { return HTTPResponse(403) }  // cuts it
    default: break
    }
    return HTTPResponse(200)
  }

  private func publish(_ client: String, key: String, _ ingest: IngestName) -> HTTPResponse {
    let isRight = key == stream.facts.streamKey
    let mayPublish = isRight && stream.change { $0.publishes(client, on: ingest) }
    let reason = isRight ? "the stream is \(stream.live.status.name)" : "the stream key is wrong"
    stream.log(
      mayPublish
        ? "an encoder publishes to the \(ingest.rawValue) ingest"
        : "an encoder is refused at the \(ingest.rawValue) ingest: \(reason)")
    let answer = HTTPResponse(mayPublish ? 200 : 403)
    stream.calls.add("publish", ingest, answer: answer.status, stream.live)
    return answer
  }

  /// Also comes for publishers that were refused.
  private func publishDone(_ client: String, _ ingest: IngestName) -> HTTPResponse {
    let wasThere = stream.change { $0.leaves(client, ingest) }
    stream.calls.add("publish_done", ingest, answer: 200, stream.live)
    if wasThere { stream.viewer.left(ingest) }
    return HTTPResponse(200)
  }
}
