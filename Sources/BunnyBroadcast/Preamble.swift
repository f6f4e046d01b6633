package import BunnyMedia

/// The frames that a new ingest needs only so that decoders can follow, and a viewer has seen: squeezed
/// to steps of one millisecond just before the splice, so that a player goes on where it left off.
package enum Preamble {
  /// - Parameters:
  ///   - video: from a keyframe on, as the old ingest got it.
  ///   - splice: dts of what follows.
  /// - Returns: The same frames, dts strictly rising and below `splice`; shown in the order in which
  ///   they were, before `splice` too.
  package static func squeezed(_ video: [MediaTag], before splice: Int64) -> [MediaTag] {
    let shown = video.indices.sorted {
      (video[$0].dts + video[$0].cts, $0) < (video[$1].dts + video[$1].cts, $1)
    }
    var rank = Array(repeating: 0, count: video.count)
    for (place, index) in shown.enumerated() { rank[index] = place }
    // How many frames one waits for at most, before it is shown.
    let delay = video.indices.map { $0 - rank[$0] }.max() ?? 0
    return video.indices.map { index in
      var tag = video[index]
      let dts = splice - Int64(video.count - index + delay)
      tag.move(to: dts, shownAfter: Int64(rank[index] - index + delay))
      return tag
    }
  }
}
