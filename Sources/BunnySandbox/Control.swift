import BunnyBroadcast
import BunnySystem
import Synchronization

/// What tests do to the sandbox itself: `/sandbox/…`. Needs no key, for only this machine gets here.
final class Control: Sendable {
  private let stream: LiveStream
  private let restart: @Sendable (IngestName) throws(SandboxError) -> Int32?
  private let outage = Mutex(Outage())

  init(
    _ stream: LiveStream,
    restart: @escaping @Sendable (IngestName) throws(SandboxError) -> Int32?
  ) {
    self.stream = stream
    self.restart = restart
  }

  /// What the API is to do, as it was last told.
  var currentOutage: Outage { outage.withLock { $0 } }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let parts = request.parts
    switch (request.method, parts.dropFirst().first) {
    case ("GET", "calls"): return .json(stream.calls.json)
    case ("GET", "state"): return .json(state)
    case ("POST", "outage"): return begin(request.query)
    case ("POST", "status"): return force(request.query["value"] ?? "")
    case ("POST", "restart"): return restart(named: parts.last ?? "")
    default: return .notFound
    }
  }

  /// For the page. Holds no key.
  private var state: JSONValue {
    let (live, now) = (stream.live, MonotonicTime.now)
    return .object([
      .init("title", .string(stream.facts.title)), .init("status", .string(live.status.name)),
      .init("primaryLive", .bool(live.isLive(.primary, at: now))),
      .init("backupLive", .bool(live.isLive(.backup, at: now))),
      .init("duration", live.duration(at: now).map { .integer($0) } ?? .null),
      .init("playable", .bool(!stream.viewer.playlist.segments.isEmpty)),
    ])
  }

  private func begin(_ query: [String: String]) -> HTTPResponse {
    guard let seconds = query["seconds"].flatMap(Double.init), (0...86_400).contains(seconds),
      let kind = Outage.Kind(rawValue: query["kind"] ?? "503")
    else { return Self.bad("outage takes ?seconds=N and, if need be, &kind=503 or kind=hangup") }
    outage.withLock { $0.begin(kind, seconds: seconds, at: .now) }
    stream.log("the API is out for \(seconds) s")
    return .json(.object([.init("seconds", .number(seconds))]))
  }

  private func force(_ text: String) -> HTTPResponse {
    guard let status = Int(text).flatMap(StreamStatus.init(rawValue:)) else {
      return Self.bad("status takes ?value=N, one of Bunny's numbers 0 to 7")
    }
    stream.change { $0.force(status, at: .now) }
    return .json(.object([.init("status", .integer(status.rawValue))]))
  }

  private func restart(named name: String) -> HTTPResponse {
    guard let ingest = IngestName(rawValue: name) else {
      return Self.bad("restart takes /primary or /backup")
    }
    do throws(SandboxError) {
      let processID = try restart(ingest)
      stream.log("the \(name) ingest is up again")
      return .json(.object([.init("pid", processID.map { .integer($0) } ?? .null)]))
    } catch {
      return .text("\(error)\n", type: "text/plain; charset=utf-8", status: 500)
    }
  }

  private static func bad(_ sentence: String) -> HTTPResponse {
    .text(sentence + "\n", type: "text/plain; charset=utf-8", status: 400)
  }
}
