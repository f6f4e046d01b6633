/// What somebody has settled about a stream: its owner, or this sandbox.
package struct StreamFacts: Equatable, Sendable {
  package var title = "bunny-sandbox"
  package var libraryId: Int64 = 12345
  package var streamId: String
  package var accessKey: String
  package var streamKey: String
  package var primaryIngestUrl = ""
  package var backupIngestUrl = ""
  package var hlsUrl = ""
  package var details = StreamDetails()
  /// The picture that its owner has set.
  package var thumbnail: Thumbnails.Picture?

  /// Fresh names and keys.
  package init() {
    streamId = Self.guid()
    accessKey = "sandbox-\(Self.guid())"
    streamKey = Self.newKey()
  }

  /// Those of another stream of the same library, on the same ingests.
  func successor() -> Self {
    var facts = self
    facts.streamId = Self.guid()
    facts.streamKey = Self.newKey()
    facts.hlsUrl = hlsUrl.replacing(streamId, with: facts.streamId)
    facts.details = StreamDetails()
    facts.thumbnail = nil
    return facts
  }

  static func newKey() -> String { "live-\(guid().prefix(18))" }

  private static func guid() -> String {
    let digits = (0..<32).map { _ in "0123456789abcdef".randomElement()! }
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
