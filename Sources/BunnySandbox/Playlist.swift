/// An HLS media playlist that only grows, and what it says.
package struct Playlist: Equatable, Sendable {
  package struct Segment: Equatable, Sendable {
    package let name: String
    package let seconds: Double
    /// Its times, or its codecs, do not go on from the one before.
    package let isDiscontinuous: Bool

    package init(name: String, seconds: Double, isDiscontinuous: Bool) {
      self.name = name
      self.seconds = seconds
      self.isDiscontinuous = isDiscontinuous
    }
  }

  private static let windowLength = 6

  package private(set) var segments: [Segment] = []
  package private(set) var isFinished = false

  package init() {}

  package mutating func add(_ segment: Segment) { segments.append(segment) }
  package mutating func finish() { isFinished = true }

  /// All of it, as it stays after the stream.
  package var whole: String { text(segments[...], type: "#EXT-X-PLAYLIST-TYPE:EVENT\n") }

  /// What viewers get while it is live: the last few segments.
  package var window: String {
    let shown = segments.suffix(Self.windowLength)
    let breaks = segments.prefix(shown.startIndex).count { $0.isDiscontinuous }
    return text(shown, type: "#EXT-X-DISCONTINUITY-SEQUENCE:\(breaks)\n")
  }

  private func text(_ shown: ArraySlice<Segment>, type: String) -> String {
    let longest = segments.map(\.seconds).max() ?? 0
    let head = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:\(max(2, Int(longest.rounded())))
      #EXT-X-MEDIA-SEQUENCE:\(shown.startIndex)
      \(type)
      """
    return head + shown.map(Self.lines).joined() + (isFinished ? "#EXT-X-ENDLIST\n" : "")
  }

  private static func lines(_ segment: Segment) -> String {
    let milliseconds = Int((segment.seconds * 1000).rounded())
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    return (segment.isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : "")
      + "#EXTINF:\(milliseconds / 1000).\(fraction),\n\(segment.name)\n"
  }
}
