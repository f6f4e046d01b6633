/// What does not change about the one stream of the one library.
package struct StreamFacts: Equatable, Sendable {
  package var title = "bunny-sandbox"
  package var libraryId: Int64 = 12345
  package var streamId: String
  package var accessKey: String
  package var streamKey: String
  package var primaryIngestUrl = ""
  package var backupIngestUrl = ""
  package var hlsUrl = ""

  /// Fresh names and keys.
  package init() {
    streamId = Self.guid()
    accessKey = "sandbox-\(Self.guid())"
    streamKey = "live-\(Self.guid().prefix(18))"
  }

  private static func guid() -> String {
    let digits = (0..<32).map { _ in "0123456789abcdef".randomElement()! }
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
