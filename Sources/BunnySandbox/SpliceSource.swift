import BunnyMedia
import BunnySystem

/// What is remembered of one ingest.
struct SpliceSource: Sendable {
  /// Milliseconds of media that are kept for taking over.
  private static let span: Int64 = 10_000

  private(set) var headers: [MediaTag.Kind: MediaTag] = [:]
  /// The media of the present publisher's last seconds.
  private(set) var recent: [MediaTag] = []
  private(set) var lastArrival = MonotonicTime(nanoseconds: 0)
  var hasLeft = true
  private var times = TimeUnwrapper()

  var hasKeyframe: Bool { recent.contains { $0.kind == .video && $0.isKeyframe } }

  /// - Returns: the tag with its time in 64 bits.
  mutating func receive(_ tag: MediaTag, at now: MonotonicTime) -> MediaTag {
    lastArrival = now
    hasLeft = false
    guard !tag.isSequenceHeader else {
      headers[tag.kind] = tag
      if tag.kind == .video { recent = [] }
      return tag
    }
    var tag = tag
    tag.dts = times.unwrap(tag.dts)
    recent.append(tag)
    trim()
    return tag
  }

  /// Drops the oldest group of pictures once the ones after it are enough; all of one too long.
  private mutating func trim() {
    guard let newest = recent.last?.dts else { return }
    let second = recent.indices.dropFirst().first {
      recent[$0].kind == .video && recent[$0].isKeyframe
    }
    if let second, recent[second].dts < newest - Self.span { recent.removeFirst(second) }
    if recent.count > 20_000 { recent = [] }
  }
}

/// Continues times that RTMP counts in 32 bits.
struct TimeUnwrapper: Sendable {
  private var last: Int64?

  mutating func unwrap(_ time: Int64) -> Int64 {
    guard let last else {
      self.last = time
      return time
    }
    let step = Int64(Int32(truncatingIfNeeded: time - last))  // the shorter way round
    self.last = last + step
    return last + step
  }
}
