package import BunnyBroadcast
package import BunnySystem
package import Foundation

/// The bodies of Bunny's answers, oddities included: a date comes in one of several forms, and what is
/// not known is left out.
package enum Wire {
  package static func stream(
    _ facts: StreamFacts, _ live: LiveState, created: Date, showsKey: Bool, forms: DateForms,
    at now: MonotonicTime
  ) -> JSONValue {
    let ingests = JSONValue.object([
      .init("primaryIngestUrl", .string(facts.primaryIngestUrl)),
      .init("backupIngestUrl", .string(facts.backupIngestUrl)),
    ])
    let details = facts.details
    let key: [JSONValue.Member] = showsKey ? [.init("streamKey", .string(facts.streamKey))] : []
    return .object(
      [
        .init("videoLibraryId", .integer(facts.libraryId)), .init("guid", .string(facts.streamId)),
        .init("title", .string(facts.title)), .init("description", text(details.description)),
        .init("category", .null), .init("collectionId", text(details.collectionId)),
        .init("public", .bool(details.isPublic)),
        .init("status", .integer(live.status.rawValue)),
        .init("dateCreated", .string(forms[0].text(created))),
        .init("scheduledStartTime", text(details.start.map { forms[3].text($0) })),
        .init("scheduledEndTime", text(details.end.map { forms[4].text($0) })),
        .init("startedAt", date(live.startedAt, forms[1], now)),
        .init("endedAt", date(live.endedAt, forms[2], now)),
        .init("durationSeconds", live.duration(at: now).map { .integer($0) } ?? .null),
      ] + key + [
        .init("playbackUrlHls", .string(facts.hlsUrl)),
        .init("dvrEnabled", .bool(details.dvrEnabled)),
        .init("dvrWindowSeconds", details.dvrWindowSeconds.map { .integer($0) } ?? .null),
        .init("recordVod", .bool(details.recordVod)),
        .init("availableResolutions", .string("720p")), .init("width", .null),
        .init("height", .null), .init("framerate", .null), .init("ingestRegion", .string("DE")),
        .init("peakConcurrentViewers", .integer(0)), .init("totalViewerSeconds", .integer(0)),
        .init("thumbnailFileName", text(facts.thumbnail?.name)),
        .init("thumbnailUpdatedAt", text(facts.thumbnail.map { forms[0].text($0.at) })),
        .init("enableCountdown", .bool(details.enableCountdown)), .init("rtmpOutputs", .null),
        .init("preStreamTrailerVideoId", text(details.trailerId)),
        .init("ingestEndpoints", .object([.init("rtmp", ingests)])),
      ])
  }

  package static func status(
    _ live: LiveState, date: Date, forms: DateForms, fault: Fault.Kind? = nil,
    at now: MonotonicTime
  ) -> JSONValue {
    let ingests = [("primaryLive", IngestName.primary), ("backupLive", .backup)].compactMap {
      key, ingest in
      let told = fault == .falseFlags ? false : live.toldLive(ingest, at: now)
      return told.map { JSONValue.Member(key, .bool($0)) }
    }.filter { _ in fault != .noFlags }
    return .object(
      [.init("readyToStart", .bool(live.isReady(at: now)))] + ingests + [
        .init("lastPingAgo", live.lastPingAgo(at: now).map { .integer($0) } ?? .null),
        .init("duration", live.duration(at: now).map { .integer($0) } ?? .null),
        .init("statusTimeUtc", .string(forms[0].text(date))),
      ])
  }

  package static func playData(_ stream: JSONValue, hlsUrl: String) -> JSONValue {
    .object([
      .init("liveStream", stream), .init("libraryName", .string("bunny-sandbox")),
      .init("videoPlaylistUrl", .string(hlsUrl)), .init("fallbackUrl", .null),
      .init("thumbnailUrl", .null), .init("controls", .string("play, volume,fullscreen")),
      .init("enableDRM", .bool(false)), .init("showHeatmap", .bool(false)),
    ])
  }

  package static let statistics = JSONValue.object([
    .init("hourly", .bool(false)), .init("totalEncodingSeconds", .integer(0)),
    .init("encodingSecondsChart", .object([])),
    .init("encodingSecondsByLiveStream", .object([])),
    .init("encodingSecondsByVideoCodec", .object([])),
    .init("encodingSecondsByResolution", .object([])),
  ])

  /// The answer to `start` and `stop`: a StatusModel, also where the specification says otherwise.
  package static func answer(_ verdict: LiveState.Verdict) -> HTTPResponse {
    switch verdict {
    case .done: return .json(statusModel(true, "OK", 200))
    case .failed(let message): return .json(statusModel(false, message, 400))
    case .refused(let message): return refusal([message])
    }
  }

  /// A StatusModelOfListOfString.
  package static func refusal(_ reasons: [String]) -> HTTPResponse {
    .json(statusModel(false, reasons[0], 400, data: reasons), status: 400)
  }

  package static func page(
    _ streams: [JSONValue], total: Int, number: Int, size: Int
  ) -> JSONValue {
    .object([
      .init("totalItems", .integer(total)), .init("currentPage", .integer(number)),
      .init("itemsPerPage", .integer(size)), .init("items", .array(streams)),
    ])
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func statusModel(
    _ success: Bool, _ message: String, _ statusCode: Int, data: [String]? = nil
  ) -> JSONValue {
    let data = data.map { [JSONValue.Member("data", .array($0.map { .string($0) }))] } ?? []
    return .object(
      [
        .init("success", .bool(success)), .init("message", .string(message)),
        .init("statusCode", .integer(statusCode)),
      ] + data)
  }

  private static func date(
    _ moment: MonotonicTime?, _ form: DateForm, _ now: MonotonicTime
  ) -> JSONValue {
    guard let moment else { return .null }
    let ago = Double(now - moment) / 1_000_000_000
    return .string(form.text(Date(timeIntervalSinceNow: -ago)))
  }
}
