package import BunnyMedia

/// The frames that a new ingest needs only so that decoders can follow, and a viewer has seen: squeezed
/// to steps of one millisecond just before the splice, so that a player goes on where it left off.
package enum Preamble {
  /// - Parameters:
  ///   - video: from a keyframe on, as the old ingest got it.
  ///   - splice: dts of what follows.
  /// - Returns: The same frames, dts strictly rising and below `splice`; shown in the order in which
  ///   they were, before `splice` too. One that is to be shown after a frame that follows (a P-frame
  ///   whose B-frames have not arrived) keeps its time.
  package static func squeezed(_ video: [MediaTag], before splice: Int64) -> [MediaTag] {
    let shown = video.indices.sorted {
      (video[$0].pts, $0) < (video[$1].pts, $1)
    }
    var rank = Array(repeating: 0, count: video.count)
    for (place, index) in shown.enumerated() { rank[index] = place }
    let count = squeezable(video, shown, before: splice)
    // How much earlier frames must be decoded than without B-frames, so that none is shown before.
    let early =
      video.indices.lazy.filter { rank[$0] < count }
      .map { $0 - rank[$0] - (video.count - count) }.max().map { max(0, $0) } ?? 0
    return video.indices.map { index in
      var tag = video[index]
      let dts = splice - Int64(video.count - index + early)
      let pts = rank[index] < count ? splice - Int64(count - rank[index]) : tag.pts
      tag.move(to: dts, shownAfter: pts - dts)
      return tag
    }
  }

  /// How many frames, in the order of showing, are shown before any that is missing.
  ///
  /// Encoders make the times of decoding out of those of showing: sorted, and moved back by what the
  /// keyframe waits. So these times tell when the frames in between are shown, here or not.
  private static func squeezable(
    _ video: [MediaTag], _ shown: [Int], before splice: Int64
  ) -> Int {
    guard let wait = video.first?.cts else { return 0 }
    let rounding: Int64 = 3  // milliseconds: each of three times may be off by one
    return shown.enumerated().first { place, index in
      let pts = video[index].pts
      return pts >= splice && pts > video[place].dts + wait + rounding
    }?.offset ?? video.count
  }
}

extension MediaTag {
  /// When it is shown, in milliseconds.
  fileprivate var pts: Int64 { dts + cts }
}
