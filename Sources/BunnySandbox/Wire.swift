package import BunnyBroadcast
package import BunnySystem
package import Foundation

/// The bodies of Bunny's answers, oddities included: dates come in several forms, most without a zone.
package enum Wire {
  package static func stream(
    _ facts: StreamFacts, _ live: LiveState, created: Date, showsKey: Bool, at now: MonotonicTime
  ) -> JSONValue {
    let ingests = JSONValue.object([
      .init("primaryIngestUrl", .string(facts.primaryIngestUrl)),
      .init("backupIngestUrl", .string(facts.backupIngestUrl)),
    ])
    let key: [JSONValue.Member] = showsKey ? [.init("streamKey", .string(facts.streamKey))] : []
    return .object(
      [
        .init("videoLibraryId", .integer(facts.libraryId)), .init("guid", .string(facts.streamId)),
        .init("title", .string(facts.title)), .init("description", .null),
        .init("category", .null), .init("collectionId", .null), .init("public", .bool(true)),
        .init("status", .integer(live.status.rawValue)),
        .init("dateCreated", .string(date(created, .seconds))),
        .init("scheduledStartTime", .null), .init("scheduledEndTime", .null),
        .init("startedAt", date(live.startedAt, .milliseconds, now)),
        .init("endedAt", date(live.endedAt, .milliseconds, now)),
        .init("durationSeconds", live.duration(at: now).map { .integer($0) } ?? .null),
      ] + key + [
        .init("playbackUrlHls", .string(facts.hlsUrl)), .init("dvrEnabled", .bool(false)),
        .init("dvrWindowSeconds", .null), .init("recordVod", .bool(false)),
        .init("availableResolutions", .string("720p")), .init("width", .null),
        .init("height", .null), .init("framerate", .null), .init("ingestRegion", .string("DE")),
        .init("peakConcurrentViewers", .integer(0)), .init("totalViewerSeconds", .integer(0)),
        .init("thumbnailFileName", .null), .init("enableCountdown", .bool(false)),
        .init("rtmpOutputs", .null), .init("preStreamTrailerVideoId", .null),
        .init("ingestEndpoints", .object([.init("rtmp", ingests)])),
      ])
  }

  package static func status(_ live: LiveState, now: MonotonicTime, date: Date) -> JSONValue {
    .object([
      .init("readyToStart", .bool(live.isReady(at: now))),
      .init("primaryLive", .bool(live.isLive(.primary, at: now))),
      .init("backupLive", .bool(live.isLive(.backup, at: now))),
      .init("lastPingAgo", live.lastPingAgo(at: now).map { .integer($0) } ?? .null),
      .init("duration", live.duration(at: now).map { .integer($0) } ?? .null),
      .init("statusTimeUtc", .string(Self.date(date, .ticks))),
    ])
  }

  /// The answer to `start` and `stop`: a StatusModel, also where the specification says otherwise.
  package static func answer(_ verdict: LiveState.Verdict) -> HTTPResponse {
    switch verdict {
    case .done: return .json(statusModel(true, "OK", 200))
    case .failed(let message): return .json(statusModel(false, message, 400))
    case .refused(let message):
      return .json(statusModel(false, message, 400, data: [message]), status: 400)
    }
  }

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

  // MARK: Dates

  package enum DateForm: Sendable {
    /// `2026-07-01T08:20:00`
    case seconds
    /// `2026-07-01T08:20:00.123`
    case milliseconds
    /// `2026-07-01T08:20:00.1234567Z`
    case ticks
  }

  package static func date(_ date: Date, _ form: DateForm) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let ticks = Int((date.timeIntervalSince1970 * 10_000_000).rounded(.down))
    let seconds = Date(timeIntervalSince1970: Double(ticks / 10_000_000))
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: seconds)
    func digits(_ number: Int?, _ count: Int) -> String {
      let text = String(number ?? 0)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = [digits(parts.year, 4), digits(parts.month, 2), digits(parts.day, 2)]
    let time = [digits(parts.hour, 2), digits(parts.minute, 2), digits(parts.second, 2)]
    let whole = day.joined(separator: "-") + "T" + time.joined(separator: ":")
    switch form {
    case .seconds: return whole
    case .milliseconds: return "\(whole).\(digits(ticks % 10_000_000 / 10_000, 3))"
    case .ticks: return "\(whole).\(digits(ticks % 10_000_000, 7))Z"
    }
  }

  private static func date(
    _ moment: MonotonicTime?, _ form: DateForm, _ now: MonotonicTime
  ) -> JSONValue {
    guard let moment else { return .null }
    let ago = Double(now - moment) / 1_000_000_000
    return .string(date(Date(timeIntervalSinceNow: -ago), form))
  }
}
