package import BunnyMedia
package import BunnySystem

/// Makes one stream for the viewer out of what both ingests deliver. Opens nothing.
///
/// One ingest carries the stream until its encoder leaves or it stalls; then the other one takes over
/// with the first picture that was not shown yet. An encoder that replays what had arrived already,
/// so that decoders can follow, is recognised by the pictures' content.
package struct Splicer: Sendable {
  /// How long, in nanoseconds, the carrying ingest may be silent while the other one is not.
  package static let stallLimit: Int64 = .milliseconds(700)
  /// Milliseconds by which a new publisher's time may run ahead and still be the same timeline.
  static let longestGap: Int64 = 60_000
  /// Where the viewer's time begins, in milliseconds.
  static let origin: Int64 = 1000

  /// Whether viewers see anything. False only fills the memory that a beginning or a switch needs.
  package var isOpen = false
  /// The ingest that carries the stream.
  package private(set) var carrier: IngestName?

  private var primary = SpliceSource()
  private var backup = SpliceSource()
  private var join = Join.joined
  private var history = ShownHistory()
  private var offset: Int64?
  private var lastVideo: Int64?
  private var lastAudio: Int64?
  private var headers: [MediaTag.Kind: MediaTag] = [:]

  /// How far the carrier's present publisher has been joined to what was shown.
  private enum Join: Sendable {
    /// No keyframe yet: what came is kept.
    case waiting([MediaTag])
    /// Its pictures were shown before, up to the place in the history; kept in case that it differs.
    case repeating(Int, [MediaTag])
    case joined
  }

  package init() {}

  /// Takes a tag as it came from an ingest.
  ///
  /// - Returns: What the viewer gets next, on the viewer's timeline: sequence headers where they
  ///   change, and media.
  package mutating func take(
    _ tag: MediaTag, from ingest: IngestName, at now: MonotonicTime
  ) -> [MediaTag] {
    let tag = self[ingest].receive(tag, at: now)
    if tag.isSequenceHeader {
      // Every publisher begins with one, and every one may have another timeline.
      if tag.kind == .video && ingest == carrier { join = .waiting([]) }
      return []
    }
    guard isOpen else { return [] }
    if ingest == carrier { return follow(tag) }
    return mayTakeOver(ingest, at: now) ? takeOver(ingest) : []
  }

  /// The ingest has lost its publisher, or is gone.
  ///
  /// - Returns: What the viewer gets next if the other one has taken over.
  package mutating func left(_ ingest: IngestName, at now: MonotonicTime) -> [MediaTag] {
    self[ingest].hasLeft = true
    let other = ingest.other
    guard isOpen, ingest == carrier, !isIdle(self[other], now) else { return [] }
    return takeOver(other)
  }

  private mutating func takeOver(_ ingest: IngestName) -> [MediaTag] {
    guard self[ingest].hasKeyframe else { return [] }
    carrier = ingest
    return begin(with: self[ingest].recent)
  }

  /// When both could begin, the primary does.
  private func mayTakeOver(_ ingest: IngestName, at now: MonotonicTime) -> Bool {
    guard let carrier else {
      return ingest == .primary || isIdle(primary, now) || !primary.hasKeyframe
    }
    return isIdle(carrier == .primary ? primary : backup, now)
  }

  private func isIdle(_ source: SpliceSource, _ now: MonotonicTime) -> Bool {
    source.hasLeft || now - source.lastArrival >= Self.stallLimit
  }

  // MARK: Joining a publisher to what was shown

  private mutating func follow(_ tag: MediaTag) -> [MediaTag] {
    switch join {
    case .joined: return show(tag)
    case .waiting(let held):
      guard tag.kind == .video && tag.isKeyframe else {
        join = .waiting(held.suffix(500) + [tag])
        return []
      }
      return begin(with: held + [tag])
    case .repeating(let place, let skipped):
      return tag.kind == .audio ? show(tag) : compare(tag, at: place, skipped)
    }
  }

  /// Begins with the right one of the keyframes among `tags`.
  private mutating func begin(with tags: [MediaTag]) -> [MediaTag] {
    join = .joined
    guard let first = chooseKeyframe(among: tags) else { return [] }
    if let place = offset == nil ? nil : history.place(of: tags[first]) {
      join = .repeating(place, [])
    }
    return tags.indices.flatMap { index -> [MediaTag] in
      let tag = tags[index]
      return tag.kind == .audio || index >= first ? follow(tag) : []
    }
  }

  /// The index of the keyframe to begin with. Sets ``offset``.
  private mutating func chooseKeyframe(among tags: [MediaTag]) -> Int? {
    let keyframes = tags.indices.filter { tags[$0].kind == .video && tags[$0].isKeyframe }
    guard let last = keyframes.last else { return nil }
    guard let offset, let lastVideo else {
      offset = Self.origin - tags[last].dts
      lastAudio = Self.origin - 1  // sound from before the first picture is left out
      return last
    }
    if let shown = keyframes.first(where: { history.place(of: tags[$0]) != nil }) { return shown }
    let ahead = keyframes.first { index in
      let step = tags[index].dts + offset - lastVideo
      return step > 0 && step <= Self.longestGap
    }
    if let ahead { return ahead }
    self.offset = max(lastVideo + 33, lastAudio ?? 0) - tags[last].dts  // another timeline
    return last
  }

  private mutating func compare(
    _ tag: MediaTag, at place: Int, _ skipped: [MediaTag]
  ) -> [MediaTag] {
    guard history.isSame(tag, at: place) else {
      join = .joined  // it is not what was shown: decoders need all of it
      return (skipped + [tag]).flatMap { show($0) }
    }
    join = place + 1 == history.end ? .joined : .repeating(place + 1, skipped + [tag])
    return []
  }

  // MARK: Showing

  private mutating func show(_ tag: MediaTag) -> [MediaTag] {
    guard let offset else { return [] }
    var shown = tag
    shown.dts += offset
    switch tag.kind {
    case .audio:
      if let lastAudio, shown.dts <= lastAudio { return [] }
      lastAudio = shown.dts
      return changedHeaders([.audio]) + [shown]
    case .video:
      if let lastVideo, shown.dts <= lastVideo { shown.delayDecoding(to: lastVideo + 1) }
      lastVideo = shown.dts
      history.add(shown)
      return (tag.isKeyframe ? changedHeaders([.audio, .video]) : []) + [shown]
    }
  }

  private mutating func changedHeaders(_ kinds: [MediaTag.Kind]) -> [MediaTag] {
    guard let carrier else { return [] }
    return kinds.compactMap { kind in
      guard let header = self[carrier].headers[kind], headers[kind]?.body != header.body else {
        return nil
      }
      headers[kind] = header
      return header
    }
  }

  private subscript(ingest: IngestName) -> SpliceSource {
    get { ingest == .primary ? primary : backup }
    set { if ingest == .primary { primary = newValue } else { backup = newValue } }
  }
}
