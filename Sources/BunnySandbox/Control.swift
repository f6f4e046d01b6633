import BunnyBroadcast
import BunnySystem

/// What tests do to the sandbox itself: `/sandbox/…`. Needs no key, for only this machine gets here;
/// web pages from elsewhere, which a browser on this machine may show, are refused.
final class Control: Sendable {
  private let stream: LiveStream
  private let api: API
  private let port: UInt16
  private let restart: @Sendable (IngestName) throws(SandboxError) -> Int32?
  private let fault: Awaited<Fault>

  /// - Parameters:
  ///   - port: the sandbox's own.
  ///   - fault: how the API fails until it is told otherwise.
  ///   - restart: starts an ingest anew, and tells its process.
  init(
    _ stream: LiveStream, _ api: API, port: UInt16, fault: Fault,
    restart: @escaping @Sendable (IngestName) throws(SandboxError) -> Int32?
  ) {
    self.stream = stream
    self.api = api
    self.port = port
    self.fault = Awaited(fault)
    self.restart = restart
  }

  /// How a call fails, once it may be answered: waits as long as the fault wants it to.
  func fault(of call: String) -> Fault {
    let fault = self.fault.current
    switch fault.kind(of: call, at: .now) {
    case .slow: self.fault.wait(atMost: Fault.pause) { $0 != fault }
    case .hang:
      self.fault.wait(atMost: fault.secondsLeft(at: .now)) { $0 != fault }
      return Fault(.hang, seconds: 60, at: .now)  // for this call, although it is over
    default: break
    }
    return self.fault.current
  }

  /// Lets go of all that is kept waiting.
  func end() { fault.change { $0 = Fault() } }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if let origin = request.headers["origin"], !isOurs(origin) {
      return Self.refusal(
        "pages of \(origin) may not use /sandbox; open http://127.0.0.1:\(port)/watch, or ask "
          + "without a browser", status: 403)
    }
    let parts = request.parts
    switch (request.method, parts.dropFirst().first) {
    case ("GET", "calls"):
      if let count = request.query["after"].flatMap(Int.init) { stream.calls.wait(beyond: count) }
      return .json(stream.calls.json)
    case ("GET", "state"): return .json(state)
    case ("POST", "fault"): return begin(request.query)
    case ("POST", "status"): return force(request.query["value"] ?? "")
    case ("POST", "end"): return Wire.answer(stream.change { $0.stop(at: .now) })
    case ("POST", "regenerate-key"): return regenerateKey()
    case ("POST", "restart"): return restart(named: parts.last ?? "")
    default: return .notFound
    }
  }

  /// Browsers name the page's origin in whatever it sends elsewhere, and in all that changes something.
  private func isOurs(_ origin: String) -> Bool {
    ["127.0.0.1", "localhost"].contains { origin == "http://\($0):\(port)" }
  }

  /// For the page. Holds no key.
  private var state: JSONValue {
    let (live, now) = (stream.live, MonotonicTime.now)
    return .object([
      .init("title", .string(stream.facts.title)), .init("status", .string(live.status.name)),
      .init("primaryLive", .bool(live.isLive(.primary, at: now))),
      .init("backupLive", .bool(live.isLive(.backup, at: now))),
      .init("duration", live.duration(at: now).map { .integer($0) } ?? .null),
      .init("playable", .bool(stream.viewer?.playlist.segments.isEmpty == false)),
    ])
  }

  private func begin(_ query: [String: String]) -> HTTPResponse {
    guard let seconds = query["seconds"].flatMap(Double.init), (0...86_400).contains(seconds),
      let kind = Fault.Kind(rawValue: query["kind"] ?? "503")
    else {
      let kinds = Fault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      return Self.refusal(
        "fault takes ?seconds=N and, if need be, &calls=get,start and &kind= one of \(kinds)")
    }
    let calls = Set((query["calls"] ?? "").split(separator: ",").map(String.init))
    fault.change { $0 = Fault(kind, calls: calls, seconds: seconds, at: .now) }
    stream.log("the API has the fault \(kind.rawValue) for \(seconds) s")
    return .json(.object([.init("seconds", .number(seconds))]))
  }

  private func force(_ text: String) -> HTTPResponse {
    guard let status = Int(text).flatMap(StreamStatus.init(rawValue:)) else {
      return Self.refusal("status takes ?value=N, one of Bunny's numbers 0 to 7")
    }
    stream.change { $0.force(status, at: .now) }
    return .json(.object([.init("status", .integer(status.rawValue))]))
  }

  /// As a call of the API does it, whatever the API's fault. The answer holds no key.
  private func regenerateKey() -> HTTPResponse {
    let answer = api.regenerateKey(of: stream)
    return answer.status == 200 ? .json(state) : answer
  }

  private func restart(named name: String) -> HTTPResponse {
    guard let ingest = IngestName(rawValue: name) else {
      return Self.refusal("restart takes /primary or /backup")
    }
    do throws(SandboxError) {
      let processID = try restart(ingest)
      stream.log("the \(name) ingest is up again")
      return .json(.object([.init("pid", processID.map { .integer($0) } ?? .null)]))
    } catch {
      return Self.refusal("\(error)", status: 500)
    }
  }

  private static func refusal(_ sentence: String, status: Int = 400) -> HTTPResponse {
    .text(sentence + "\n", type: "text/plain; charset=utf-8", status: status)
  }
}
