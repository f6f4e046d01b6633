package import BunnyMedia
package import BunnySystem

/// Puts the tags of both tracks into one order, by dts.
///
/// Sound leaves its encoder hundreds of milliseconds before the picture that belongs to it, so it
/// waits; but never longer than ``longestHold``, so that a track that stalls does not stop the other.
package struct Interleaver {
  private struct Held {
    var tag: MediaTag
    let since: Int64  // of `awake`
  }

  private struct Track {
    var held: [Held] = []
    var newest: Int64 = .min  // dts of the last tag that came in
    var lastOut: Int64 = .min  // dts of the last tag that went out
    var isFinished = false

    /// The first tag that is held.
    ///
    /// - Parameter newest: dts of the last tag that went out, of either track.
    mutating func take(after newest: inout Int64) -> MediaTag {
      var tag = held.removeFirst().tag
      let earliest = lastOut == .min ? newest : max(newest, lastOut + 1)
      if tag.dts < earliest { tag.delayDecoding(to: earliest) }
      (newest, lastOut) = (tag.dts, tag.dts)
      return tag
    }
  }

  /// Nanoseconds.
  package let longestHold: Int64
  private var video = Track()
  private var audio = Track()
  private var lastOut: Int64 = .min
  /// Nanoseconds in which something could have come: sound comes every 21 ms, so a second without
  /// anything is one in which the process was held up, and nothing was waited for.
  private var awake: Int64 = 0
  private var lastCall: MonotonicTime?

  /// - Parameter longestHold: nanoseconds: what the video encoder holds back, and a margin.
  package init(longestHold: Int64) { self.longestHold = longestHold }

  /// Takes a tag in; ``next()`` may have some to go out then.
  package mutating func offer(_ tag: MediaTag, at now: MonotonicTime) {
    let held = Held(tag: tag, since: pass(to: now))
    switch tag.kind {
    case .video:
      video.newest = max(video.newest, tag.dts)
      video.held.append(held)
    case .audio:
      audio.newest = max(audio.newest, tag.dts)
      audio.held.append(held)
    }
  }

  /// A track has ended: the other need not wait for it.
  package mutating func finish(_ kind: MediaTag.Kind, at now: MonotonicTime) {
    if kind == .video { video.isFinished = true } else { audio.isFinished = true }
    _ = pass(to: now)
  }

  private mutating func pass(to now: MonotonicTime) -> Int64 {
    awake += min(now - (lastCall ?? now), .seconds(1))
    lastCall = now
    return awake
  }

  /// What can go out now, in order: dts never falls, and rises within a track. A tag that came after its
  /// place had gone out is decoded later than it said, and still shown when it is to be.
  package mutating func next() -> MediaTag? {
    switch nextOut() {
    case .video: video.take(after: &lastOut)
    case .audio: audio.take(after: &lastOut)
    case nil: nil
    }
  }

  /// Which track's first tag goes next: the earlier one, once nothing earlier can still come.
  private func nextOut() -> MediaTag.Kind? {
    switch (video.held.first, audio.held.first) {
    case (let picture?, let sound?): return picture.tag.dts <= sound.tag.dts ? .video : .audio
    case (let picture?, nil): return mayGo(picture, awaiting: audio) ? .video : nil
    case (nil, let sound?): return mayGo(sound, awaiting: video) ? .audio : nil
    case (nil, nil): return nil
    }
  }

  private func mayGo(_ held: Held, awaiting other: Track) -> Bool {
    other.isFinished || other.newest >= held.tag.dts || awake - held.since >= longestHold
  }
}
