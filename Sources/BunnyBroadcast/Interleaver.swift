package import BunnyMedia
package import BunnySystem

/// Puts the tags of both tracks into one order, by dts.
///
/// Sound leaves its encoder hundreds of milliseconds before the picture that belongs to it, so it
/// waits; but never longer than ``longestHold``, so that a track that stalls does not stop the other.
package struct Interleaver {
  private struct Held {
    var tag: MediaTag
    let since: MonotonicTime
  }

  private struct Track {
    var held: [Held] = []
    var newest: Int64 = .min  // dts of the last tag that came in
    var lastOut: Int64 = .min
    var isFinished = false
  }

  /// Nanoseconds.
  package let longestHold: Int64
  private var video = Track()
  private var audio = Track()
  private var lastOut: Int64 = .min

  /// - Parameter longestHold: nanoseconds: what the video encoder holds back, and a margin.
  package init(longestHold: Int64) { self.longestHold = longestHold }

  /// Takes a tag in.
  ///
  /// - Returns: What can go out now, in order: dts never falls, and rises within each track. A tag
  ///   that comes after its place has gone out is decoded later than it said, and still shown when it
  ///   is to be.
  package mutating func offer(_ tag: MediaTag, at now: MonotonicTime) -> [MediaTag] {
    let held = Held(tag: tag, since: now)
    switch tag.kind {
    case .video:
      video.newest = max(video.newest, tag.dts)
      video.held.append(held)
    case .audio:
      audio.newest = max(audio.newest, tag.dts)
      audio.held.append(held)
    }
    return release(at: now)
  }

  /// A track has ended: the other need not wait for it.
  package mutating func finish(_ kind: MediaTag.Kind, at now: MonotonicTime) -> [MediaTag] {
    if kind == .video { video.isFinished = true } else { audio.isFinished = true }
    return release(at: now)
  }

  private mutating func release(at now: MonotonicTime) -> [MediaTag] {
    var out: [MediaTag] = []
    while let kind = nextOut(at: now) {
      out.append(takeFirst(kind))
    }
    return out
  }

  private mutating func takeFirst(_ kind: MediaTag.Kind) -> MediaTag {
    var track = kind == .video ? video : audio
    defer { if kind == .video { video = track } else { audio = track } }
    var tag = track.held.removeFirst().tag
    let earliest = max(lastOut, track.lastOut == .min ? .min : track.lastOut + 1)
    if tag.dts < earliest { tag.delayDecoding(to: earliest) }
    track.lastOut = tag.dts
    lastOut = tag.dts
    return tag
  }

  /// Which track's first tag goes next: the earlier one, once nothing earlier can still come.
  private func nextOut(at now: MonotonicTime) -> MediaTag.Kind? {
    switch (video.held.first, audio.held.first) {
    case (let picture?, let sound?): return picture.tag.dts <= sound.tag.dts ? .video : .audio
    case (let picture?, nil): return mayGo(picture, awaiting: audio, now) ? .video : nil
    case (nil, let sound?): return mayGo(sound, awaiting: video, now) ? .audio : nil
    case (nil, nil): return nil
    }
  }

  private func mayGo(_ held: Held, awaiting other: Track, _ now: MonotonicTime) -> Bool {
    other.isFinished || other.newest >= held.tag.dts || now - held.since >= longestHold
  }
}
