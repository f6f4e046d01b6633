package import BunnyBroadcast
package import BunnyStreamAPI
import BunnySystem
import FoundationEssentials

/// What `streams` prints. Makes text only; stream keys are `•••` unless they are asked for.
package struct StreamsText: Sendable {
  private let showsKey: Bool

  package init(showsKey: Bool) { self.showsKey = showsKey }

  // MARK: For people

  package func list(_ page: BunnyLiveStreamList) -> String {
    let head = ["guid", "state", "planned", "started", "title"]
    let rows = page.items.map { stream in
      [
        stream.id ?? "?", stream.status.word, Self.time(stream.scheduledStartTime),
        Self.time(stream.startedAt), Self.shortened(stream.title ?? ""),
      ]
    }
    guard rows.isEmpty else { return Self.table([head] + rows) + Self.foot(page) }
    return page.currentPage > 1
      ? "no live streams on page \(page.currentPage)\n" : "no live streams\n"
  }

  /// A title in a table; ``details(_:)`` has the whole one.
  private static func shortened(_ title: String) -> String {
    title.count > 60 ? "\(title.prefix(59))…" : title
  }

  /// Says that there is more, and how to see it.
  private static func foot(_ page: BunnyLiveStreamList) -> String {
    guard page.itemsPerPage > 0 else { return "" }
    let last = (page.totalItems + page.itemsPerPage - 1) / page.itemsPerPage
    guard page.currentPage < last else { return "" }
    return "page \(page.currentPage) of \(last); --page \(page.currentPage + 1) is the next\n"
  }

  package func details(_ stream: BunnyLiveStream) -> String {
    let rows: [(String, String?)] = [
      ("title", stream.title), ("guid", stream.id), ("state", stream.status.word),
      ("description", stream.description), ("made", stream.createdAt.map { Self.time($0) }),
      ("planned", Self.span(stream.scheduledStartTime, stream.scheduledEndTime)),
      ("ran", Self.span(stream.startedAt, stream.endedAt)),
      ("watched by", stream.isPublic ? "anybody" : "not everybody"),
      ("recorded", stream.recordVod ? "yes" : "no"),
      ("going back", stream.dvrEnabled ? "\(stream.dvrWindowSeconds) s" : "no"),
      ("collection", stream.collectionId), ("ingest", stream.primaryIngestUrl.map(address)),
      ("backup", stream.backupIngestUrl.map(address)), ("key", key(stream.streamKey) ?? "none yet"),
      ("playback", stream.playbackUrl),
    ]
    let outputs = stream.rtmpOutputs.map { output in
      let parts = [output.endpoint.map(address), key(output.streamKey)].compactMap(\.self)
      return ("forwarded to", Optional(parts.joined(separator: " ")))
    }
    return (rows + outputs).compactMap { name, value in
      guard let value, !value.isEmpty else { return nil }
      return padded(name, 14) + Self.printable(value) + "\n"
    }.joined()
  }

  /// - Parameter isFirst: with the line that names the columns.
  package func status(
    _ status: BunnyLiveStreamIngestStatus, _ state: BunnyLiveStreamStatus, isFirst: Bool
  ) -> String {
    let head = ["asked", "state", "ready", "primary", "backup", "last ping", "running for"]
    let row = [
      Self.time(status.statusTime), state.word, status.readyToStart ? "yes" : "no",
      Self.live(status.primaryLive), Self.live(status.backupLive),
      status.lastPingAgo.map { "\($0) ms" } ?? "-", status.duration.map { "\($0) s" } ?? "-",
    ]
    let widths = [20, 13, 5, 7, 7, 10, 0]
    return (isFirst ? Self.row(head, widths) : "") + Self.row(row, widths)
  }

  /// What is asked before `action`.
  package static func question(_ action: StreamsAction, _ stream: BunnyLiveStream) -> String {
    let name = "“\(printable(stream.title ?? stream.id ?? ""))” (\(stream.status.word))"
    return action == .stop
      ? "End \(name) for good? It can never run again. y/N: "
      : "Give \(name) another key? Whoever publishes with the old one is refused. y/N: "
  }

  /// What was done.
  package static func done(_ action: StreamsAction, _ streamId: String) -> String {
    "\(action == .start ? "started" : "ended for good"): the live stream \(streamId)\n"
  }

  private static func live(_ isLive: Bool?) -> String {
    isLive.map { $0 ? "live" : "off" } ?? "unknown"
  }

  private static func time(_ date: Date?) -> String {
    date.map(BunnyTimestamp.wholeSeconds) ?? "-"
  }

  private static func span(_ start: Date?, _ end: Date?) -> String? {
    switch (start, end) {
    case (nil, nil): nil
    case (let start?, nil): "from \(time(start))"
    case (nil, let end?): "until \(time(end))"
    case (let start?, let end?): "from \(time(start)) to \(time(end))"
    }
  }

  private func key(_ key: String?) -> String? { key.map { showsKey ? $0 : "•••" } }

  /// Some put a key into the address itself.
  private func address(_ url: String) -> String {
    guard !showsKey, url.contains("@") || url.contains("?") else { return url }
    return hidingAddress(url)
  }

  private static func table(_ rows: [[String]]) -> String {
    let rows = rows.map { $0.map(printable) }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row($0, widths.dropLast() + [0]) }.joined()
  }

  private static func row(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).map { padded($0, $1) }.joined(separator: "  ") + "\n"
  }

  /// What people call their streams cannot steer the terminal, nor make a line of its own.
  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "?"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  // MARK: For programs

  package func json(_ page: BunnyLiveStreamList) -> JSONValue {
    .object([
      .init("items", .array(page.items.map(json))), .init("totalItems", .integer(page.totalItems)),
      .init("currentPage", .integer(page.currentPage)),
      .init("itemsPerPage", .integer(page.itemsPerPage)),
    ])
  }

  package func json(_ stream: BunnyLiveStream) -> JSONValue {
    .object([
      .init("id", .text(stream.id)), .init("title", .text(stream.title)),
      .init("status", .string(stream.status.word)),
      .init("description", .text(stream.description)),
      .init("createdAt", .date(stream.createdAt)),
      .init("scheduledStartTime", .date(stream.scheduledStartTime)),
      .init("scheduledEndTime", .date(stream.scheduledEndTime)),
      .init("startedAt", .date(stream.startedAt)), .init("endedAt", .date(stream.endedAt)),
      .init("isPublic", .bool(stream.isPublic)), .init("recordVod", .bool(stream.recordVod)),
      .init("dvrEnabled", .bool(stream.dvrEnabled)),
      .init("dvrWindowSeconds", .integer(stream.dvrWindowSeconds)),
      .init("collectionId", .text(stream.collectionId)),
      .init("streamKey", .text(key(stream.streamKey))),
      .init("primaryIngestUrl", .text(stream.primaryIngestUrl.map(address))),
      .init("backupIngestUrl", .text(stream.backupIngestUrl.map(address))),
      .init("playbackUrl", .text(stream.playbackUrl)),
      .init(
        "rtmpOutputs",
        .array(
          stream.rtmpOutputs.map { output in
            .object([
              .init("endpoint", .text(output.endpoint.map(address))),
              .init("streamKey", .text(key(output.streamKey))),
            ])
          })),
    ])
  }

  package static func json(
    _ status: BunnyLiveStreamIngestStatus, _ state: BunnyLiveStreamStatus
  ) -> JSONValue {
    .object([
      .init("status", .string(state.word)), .init("readyToStart", .bool(status.readyToStart)),
      .init("primaryLive", status.primaryLive.map { .bool($0) } ?? .null),
      .init("backupLive", status.backupLive.map { .bool($0) } ?? .null),
      .init("lastPingAgo", status.lastPingAgo.map { .integer($0) } ?? .null),
      .init("duration", status.duration.map { .integer($0) } ?? .null),
      .init("statusTime", .date(status.statusTime)),
    ])
  }

  package static func json(_ action: StreamsAction, _ streamId: String) -> JSONValue {
    .object([.init("id", .string(streamId)), .init("done", .string(action.rawValue))])
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  fileprivate static func date(_ date: Date?) -> JSONValue {
    text(date.map(BunnyTimestamp.text))
  }
}

extension BunnyLiveStreamStatus {
  /// As the events call it.
  var word: String { "\(self)" }
  /// It can never run again.
  var isOver: Bool { self == .ended || self == .vodProcessing || self == .error }
}
