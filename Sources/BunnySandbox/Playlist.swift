/// An HLS media playlist that only grows, and what it says.
package struct Playlist: Equatable, Sendable {
  package struct Segment: Equatable, Sendable {
    package let name: String
    package let seconds: Double
    /// Its times, or its codecs, do not go on from the one before.
    package let isDiscontinuous: Bool
  }

  package private(set) var segments: [Segment] = []
  package private(set) var isFinished = false

  package init() {}

  package mutating func add(_ segment: Segment) { segments.append(segment) }
  package mutating func finish() { isFinished = true }

  package var text: String {
    let longest = segments.map(\.seconds).max() ?? 0
    let head = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:\(max(2, Int(longest.rounded())))
      #EXT-X-MEDIA-SEQUENCE:0
      #EXT-X-PLAYLIST-TYPE:EVENT

      """
    return head + segments.map(Self.lines).joined() + (isFinished ? "#EXT-X-ENDLIST\n" : "")
  }

  private static func lines(_ segment: Segment) -> String {
    let milliseconds = Int((segment.seconds * 1000).rounded())
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    return (segment.isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : "")
      + "#EXTINF:\(milliseconds / 1000).\(fraction),\n\(segment.name)\n"
  }
}
