import BunnyBroadcast
import BunnySystem
import Foundation

/// Bunny's calls for one live stream: `/library/{libraryId}/live/{streamId}[/status|/start|/stop]`.
package struct API: Sendable {
  let stream: LiveStream

  package init(_ stream: LiveStream) { self.stream = stream }

  private enum Call: String {
    case get, status, start, stop
  }

  package func answer(_ request: HTTPRequest, during outage: Outage) -> HTTPResponse {
    let call = Self.call(request.parts)
    let answer = outage.answer(at: .now) ?? self.answer(request, call)
    stream.calls.add(call?.rawValue ?? request.path, answer: answer.status, stream.live)
    return answer
  }

  private func answer(_ request: HTTPRequest, _ call: Call?) -> HTTPResponse {
    guard request.headers["accesskey"] == stream.facts.accessKey else { return HTTPResponse(401) }
    let parts = request.parts
    guard let call, parts[1] == String(stream.facts.libraryId),
      parts[3].lowercased() == stream.facts.streamId
    else { return .notFound }
    let method = call == .get || call == .status ? "GET" : "PUT"
    guard request.method == method else { return .wrongMethod }
    return perform(call)
  }

  private func perform(_ call: Call) -> HTTPResponse {
    let now = MonotonicTime.now
    switch call {
    case .get:
      return .json(
        Wire.stream(
          stream.facts, stream.live, created: stream.created, showsKey: stream.showsKey,
          forms: stream.nextDateForms(), at: now))
    case .status:
      return .json(
        Wire.status(stream.live, date: Date(), forms: stream.nextDateForms(), at: now))
    case .start: return Wire.answer(stream.change { $0.start(at: now) })
    case .stop: return Wire.answer(stream.change { $0.stop(at: now) })
    }
  }

  /// nil for what is none of them.
  private static func call(_ parts: [String]) -> Call? {
    guard parts.count == 4 || parts.count == 5, parts[0] == "library", parts[2] == "live" else {
      return nil
    }
    guard parts.count == 5 else { return .get }
    return parts[4] == "get" ? nil : Call(rawValue: parts[4])
  }
}
