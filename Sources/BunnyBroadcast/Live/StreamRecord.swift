package import BunnyRTMP
package import BunnyStreamAPI
package import BunnySystem
package import FoundationEssentials

/// What this machine knows of a live stream that it has broadcast to: outlives the process.
package struct StreamRecord: Equatable, Sendable {
  /// When this machine published to it last.
  package struct Publishing: Equatable, Sendable {
    /// The boot whose clock ``at`` is of.
    package var bootId: String
    package var at: MonotonicTime
    /// What the server's clock showed then; nil: it never told.
    package var serverTime: Date?
    /// It took its leave then, and did not just fall silent some time later.
    package var hasLeft: Bool

    package init(bootId: String, at: MonotonicTime, serverTime: Date?, hasLeft: Bool) {
      (self.bootId, self.at, self.serverTime) = (bootId, at, serverTime)
      self.hasLeft = hasLeft
    }
  }

  package var title: String?
  /// What it was published under.
  package var key: StreamKey
  /// Where to; nil: the API named none.
  package var primaryIngest: String?
  package var backupIngest: String?
  package var publishing: Publishing?
  /// Viewers have seen what was published; nil: it is not known.
  package var isShown: Bool?
  /// The GUID of the stream that was made in its place.
  package var successor: String?

  package init(key: String) { self.key = StreamKey(key) }
}

extension StreamRecord {
  /// What was published to, as the API told it.
  package init(_ stream: BunnyLiveStream, key: String) {
    self.init(key: key)
    title = stream.title
    primaryIngest = stream.primaryIngestUrl
    backupIngest = stream.backupIngestUrl
  }

  /// The stream as it was known last, when nobody tells how it is now.
  package func stream(id: String) -> BunnyLiveStream {
    BunnyLiveStream(
      id: id, title: title, streamKey: key.reveal(), primaryIngestUrl: primaryIngest,
      backupIngestUrl: backupIngest)
  }

  // MARK: As JSON

  package var json: JSONValue {
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    return .object([
      .init("title", text(title)), .init("key", .string(key.reveal())),
      .init("primaryIngest", text(primaryIngest)), .init("backupIngest", text(backupIngest)),
      .init("successor", text(successor)), .init("isShown", isShown.map { .bool($0) } ?? .null),
      .init("publishing", publishing?.json ?? .null),
    ])
  }

  /// - Returns: nil for what no version has written.
  package init?(_ json: JSONValue) {
    guard let key = json["key"]?.text else { return nil }
    self.init(key: key)
    title = json["title"]?.text
    primaryIngest = json["primaryIngest"]?.text
    backupIngest = json["backupIngest"]?.text
    successor = json["successor"]?.text
    if case .bool(let isShown)? = json["isShown"] { self.isShown = isShown }
    publishing = json["publishing"].flatMap { Publishing($0) }
  }
}

extension StreamRecord.Publishing {
  fileprivate var json: JSONValue {
    .object([
      .init("bootId", .string(bootId)), .init("monotonicMs", .integer(at.nanoseconds / 1_000_000)),
      .init(
        "serverTimeMs",
        serverTime.map { .number(($0.timeIntervalSince1970 * 1000).rounded()) } ?? .null),
      .init("hasLeft", .bool(hasLeft)),
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let bootId = json["bootId"]?.text, case .number(let milliseconds)? = json["monotonicMs"],
      case .bool(let hasLeft)? = json["hasLeft"], abs(milliseconds) < 1e15
    else { return nil }
    var serverTime: Date?
    if case .number(let time)? = json["serverTimeMs"] {
      serverTime = Date(timeIntervalSince1970: time / 1000)
    }
    self.init(
      bootId: bootId, at: MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000),
      serverTime: serverTime, hasLeft: hasLeft)
  }
}

extension JSONValue {
  fileprivate subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
