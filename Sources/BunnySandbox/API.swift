import BunnyBroadcast
import BunnySystem
import Foundation

/// Bunny's calls for the live streams of one library: `/library/{libraryId}/live`, and below it
/// `/{streamId}` and what is below that.
package struct API: Sendable {
  private let library: Library
  private let keyChanged: @Sendable () -> Void

  /// - Parameter keyChanged: the stream that is watched here has another key.
  package init(_ library: Library, keyChanged: @escaping @Sendable () -> Void) {
    self.library = library
    self.keyChanged = keyChanged
  }

  /// Each as the log of calls names it.
  private enum Call: String {
    case list, create, get, update, delete, status, start, stop, play, thumbnail, thumbnails
    case regenerateKey = "regenerate-key"
    case bitrateHistory = "bitrate-history"
    case currentBitrate = "current-bitrate"
    case statistics = "statistics/encoding"
  }

  /// The call's name in the log; the path of what is none.
  package static func name(of request: HTTPRequest) -> String {
    call(request)?.rawValue ?? request.path
  }

  package func answer(_ request: HTTPRequest, during fault: Fault) -> HTTPResponse {
    let name = Self.name(of: request)
    let stream = library.stream(request.parts.dropFirst(3).first ?? "")
    let kind = fault.kind(of: name, at: .now)
    let answer = kind?.answer ?? self.answer(request, Self.call(request), stream, kind)
    let noted = stream ?? library.first
    noted.calls.add(name, of: noted, answer: answer.status)
    return answer
  }

  private func answer(
    _ request: HTTPRequest, _ call: Call?, _ stream: LiveStream?, _ fault: Fault.Kind?
  ) -> HTTPResponse {
    let facts = library.first.facts
    guard request.headers["accesskey"] == facts.accessKey else { return HTTPResponse(401) }
    guard let call, request.parts[1] == String(facts.libraryId) else { return .notFound }
    switch call {
    case .list: return request.method == "GET" ? list(request.query) : .wrongMethod
    case .create: return create(request.body)
    case .statistics: return request.method == "GET" ? .json(Wire.statistics) : .wrongMethod
    default:
      guard let stream else { return .notFound }
      return Self.methods(of: call).contains(request.method)
        ? perform(call, stream, request, fault) : .wrongMethod
    }
  }

  private func perform(
    _ call: Call, _ stream: LiveStream, _ request: HTTPRequest, _ fault: Fault.Kind?
  ) -> HTTPResponse {
    let now = MonotonicTime.now
    switch call {
    case .status:
      return .json(
        Wire.status(
          stream.live, date: Date(), forms: stream.nextDateForms(), fault: fault, at: now))
    case .start: return Wire.answer(stream.change { $0.start(at: now) })
    case .stop: return Wire.answer(stream.change { $0.stop(at: now) })
    case .update: return update(stream, request.body)
    case .regenerateKey: return regenerateKey(of: stream)
    case .delete:
      library.remove(stream)
      return HTTPResponse(200)
    case .play: return .json(Wire.playData(json(stream), hlsUrl: stream.facts.hlsUrl))
    case .thumbnails: return .json(Thumbnails.list(of: stream, request.query, at: now))
    case .thumbnail: return stream.changeThumbnail(request)
    // What they hold is not known: as little as can be.
    case .bitrateHistory, .currentBitrate:
      return .bytes(Array("[]".utf8), type: "application/octet-stream")
    case .get, .list, .create, .statistics: return .json(json(stream))
    }
  }

  private func json(_ stream: LiveStream) -> JSONValue {
    Wire.stream(
      stream.facts, stream.live, created: stream.created, showsKey: stream.showsKey,
      forms: stream.nextDateForms(), at: .now)
  }

  /// A library without a live stream is not found.
  private func list(_ query: [String: String]) -> HTTPResponse {
    let all = library.all
    guard !all.isEmpty else { return .notFound }
    let number = max(1, query["page"].flatMap(Int.init) ?? 1)
    let size = max(1, query["itemsPerPage"].flatMap(Int.init) ?? 100)
    let search = query["search"]?.lowercased() ?? ""
    let found = all.filter { stream in
      let isOfCollection =
        query["collectionId"].map { $0 == stream.facts.details.collectionId } ?? true
      return isOfCollection
        && (search.isEmpty || stream.facts.title.lowercased().contains(search))
    }
    let shown = found.dropFirst((number - 1) * size).prefix(size)
    return .json(Wire.page(shown.map(json), total: found.count, number: number, size: size))
  }

  /// Answers 201, whatever the specification says.
  private func create(_ body: [UInt8]) -> HTTPResponse {
    guard let changes = StreamChanges(body) else { return Wire.refusal(["the body is malformed"]) }
    let reasons = changes.reasons(isNew: true)
    guard reasons.isEmpty else { return Wire.refusal(reasons) }
    guard !changes.isBeyondAccount else { return HTTPResponse(500) }
    let stream = library.first.successor()
    stream.settle { changes.apply(to: &$0) }
    if changes.isPlanned { _ = stream.change { $0.plan() } }
    library.add(stream)
    return .json(json(stream), status: 201)
  }

  private func update(_ stream: LiveStream, _ body: [UInt8]) -> HTTPResponse {
    guard let changes = StreamChanges(body) else { return Wire.refusal(["the body is malformed"]) }
    let reasons = changes.reasons(isNew: false)
    guard reasons.isEmpty else { return Wire.refusal(reasons) }
    guard !changes.isBeyondAccount else { return HTTPResponse(500) }
    if changes.isPlanned, !stream.change({ $0.plan() }) {
      return Wire.refusal(["the live stream cannot be scheduled any more"])
    }
    stream.settle { changes.apply(to: &$0) }
    return .json(json(stream))
  }

  func regenerateKey(of stream: LiveStream) -> HTTPResponse {
    guard !stream.live.status.isFinal else {
      return Wire.refusal(["the live stream has ended: it needs no key"])
    }
    stream.settle { $0.streamKey = StreamFacts.newKey() }
    if stream === library.first { keyChanged() }
    return .json(json(stream))
  }

  private static func methods(of call: Call) -> [String] {
    switch call {
    case .list, .get, .status, .play, .thumbnails, .bitrateHistory, .currentBitrate, .statistics:
      ["GET"]
    case .create: ["POST"]
    case .thumbnail: ["POST", "DELETE"]
    case .update, .start, .stop, .regenerateKey: ["PUT"]
    case .delete: ["DELETE"]
    }
  }

  /// nil for what is none of them.
  private static func call(_ request: HTTPRequest) -> Call? {
    let parts = request.parts
    guard (3...5).contains(parts.count), parts[0] == "library", parts[2] == "live" else {
      return nil
    }
    switch (parts.count, request.method) {
    case (3, "POST"): return .create
    case (3, _): return .list
    case (4, "PUT"): return .update
    case (4, "DELETE"): return .delete
    case (4, _): return .get
    default:
      if parts[3] == "statistics" { return Call(rawValue: "statistics/\(parts[4])") }
      let named = Call(rawValue: parts[4])
      let isAbove = [Call.list, .create, .get, .update, .delete].contains(named)
      return isAbove ? nil : named
    }
  }
}
