package import Foundation

/// What a stream's owner may change about it.
package struct StreamDetails: Equatable, Sendable {
  package var description: String?
  package var collectionId: String?
  package var isPublic = true
  package var dvrEnabled = false
  package var dvrWindowSeconds: Int?
  package var recordVod = false
  package var start: Date?
  package var end: Date?
  package var enableCountdown = false
  package var trailerId: String?

  package init() {}
}

/// The body of a create or an update, and what the server makes of it.
package struct StreamChanges: Decodable, Sendable {
  private let title: String?
  private let description: String?
  private let collectionId: String?
  private let isPublic: Bool?
  private let dvrEnabled: Bool?
  private let dvrWindowSeconds: Int?
  private let recordVod: Bool?
  private let start: String?
  private let end: String?
  private let enableCountdown: Bool?
  private let trailerId: String?
  private let outputs: [[String: String?]]?

  private enum CodingKeys: String, CodingKey {
    case title, description, collectionId, dvrEnabled, dvrWindowSeconds, recordVod, enableCountdown
    case isPublic = "public"
    case start = "scheduledStartTime"
    case end = "scheduledEndTime"
    case trailerId = "preStreamTrailerVideoId"
    case outputs = "rtmpOutputs"
  }

  /// - Returns: nil when it is no such object.
  package init?(_ body: [UInt8]) {
    guard let changes = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
    self = changes
  }

  package var isPlanned: Bool { start != nil }

  /// Forwarding fails unless the account has it.
  package var isBeyondAccount: Bool { outputs?.isEmpty == false }

  /// What is wrong with it.
  package func reasons(isNew: Bool) -> [String] {
    var reasons: [String] = []
    if isNew ? title.isBlank : title != nil && title.isBlank { reasons.append("title is required") }
    if isNew, dvrEnabled == true, dvrWindowSeconds == nil {
      reasons.append("dvrWindowSeconds is required")
    }
    if let window = dvrWindowSeconds, !(1...43200).contains(window) {
      reasons.append("dvrWindowSeconds must be between 1 and 43200")
    }
    for (name, text) in [("scheduledStartTime", start), ("scheduledEndTime", end)]
    where text != nil && Self.date(text) == nil {
      reasons.append("\(name) is invalid")
    }
    if outputs?.isEmpty == true { reasons.append("rtmpOutputs is empty") }
    return reasons
  }

  /// What is absent stays as it is.
  package func apply(to facts: inout StreamFacts) {
    facts.title = title ?? facts.title
    var details = facts.details
    details.description = description ?? details.description
    details.collectionId = collectionId ?? details.collectionId
    details.isPublic = isPublic ?? details.isPublic
    details.dvrEnabled = dvrEnabled ?? details.dvrEnabled
    details.dvrWindowSeconds = dvrWindowSeconds ?? details.dvrWindowSeconds
    details.recordVod = recordVod ?? details.recordVod
    details.start = Self.date(start) ?? details.start
    details.end = Self.date(end) ?? details.end
    details.enableCountdown = enableCountdown ?? details.enableCountdown
    details.trailerId = trailerId ?? details.trailerId
    facts.details = details
  }

  private static func date(_ text: String?) -> Date? {
    guard let text else { return nil }
    return (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
  }
}

extension String? {
  fileprivate var isBlank: Bool { self?.allSatisfy(\.isWhitespace) ?? true }
}
