public import BunnyRTMP
public import BunnySystem

/// What several ingests recorded of one broadcast of the test picture, put together: what a viewer of
/// all of them could have seen and heard.
///
/// The grid is gapless, so a frame's own time is its number; where it comes again as part of a squeezed
/// preamble, it is known by its content, which is unlike any other frame's: each carries its number.
/// Packets of sound may equal each other, but always come at their own time.
public struct MergedRecording: Sendable {
  /// The video frames that arrived at their own time at least once, by number: when they first did.
  public let arrivals: [Int64: MonotonicTime]
  /// Milliseconds that each of them came later than the most punctual one, its place in time
  /// considered. The longest is what a player without a buffer stood still.
  public let delays: [Int64: Double]
  /// Frames that arrived only at a time that was not theirs: they were taken for seen, and were not.
  public let squeezedOnly: Int
  /// Packets of sound that arrived, and those that are missing between the first and the last.
  public let audioPackets: Int
  public let missingAudio: Int
  /// Milliseconds of picture that arrived at their own time over more than one connection.
  public let shownTwice: Double
  /// Frames that were sent again squeezed, a millisecond each.
  public let squeezed: Int
  /// Milliseconds from the newest packet of sound to the newest frame.
  public let soundLag: Int64
  /// Every rule that a connection broke.
  public let faults: [String]

  /// - Parameter visits: of all ingests, in any order.
  public init(_ visits: [IngestVisit], framesPerSecond: Double) {
    let grid = Grid(framesPerSecond: framesPerSecond)
    let carriers = visits.filter { !$0.media.isEmpty }.sorted {
      $0.media[0].arrival < $1.media[0].arrival
    }
    let video = carriers.map { $0.media.filter { $0.kind == .video } }
    var numbers: [ArraySlice<UInt8>: Int64] = [:]  // by content
    var arrivals: [Int64: [MonotonicTime]] = [:]
    for tag in video.joined() {
      guard let number = grid.number(at: tag.timestamp) else { continue }
      numbers[tag.content] = min(number, numbers[tag.content] ?? number)
    }
    var (squeezed, strangers) = (0, Set<ArraySlice<UInt8>>())
    for tag in video.joined() {
      guard let number = numbers[tag.content] else {
        strangers.insert(tag.content)
        continue
      }
      if grid.number(at: tag.timestamp) == number {
        arrivals[number, default: []].append(tag.arrival)
      } else {
        squeezed += 1
      }
    }
    let sound = Set(carriers.flatMap(\.media).filter { $0.kind == .audio }.map(\.timestamp))
      .sorted()
    let first = arrivals.compactMapValues { $0.min() }
    let began = first.map { $1 + .milliseconds(-grid.time(of: $0)) }.min()
    self.arrivals = first
    delays = .init(
      uniqueKeysWithValues: first.map { number, arrival in
        let due = began! + .milliseconds(grid.time(of: number))
        return (number, Double(arrival - due) / 1e6)
      })
    squeezedOnly = strangers.count
    self.squeezed = squeezed
    shownTwice = Double(arrivals.values.reduce(0) { $0 + $1.count - 1 }) * 1000 / framesPerSecond
    audioPackets = sound.count
    missingAudio = zip(sound, sound.dropFirst()).reduce(0) { $0 + Self.packets($1.1 - $1.0) - 1 }
    soundLag = grid.time(of: first.keys.max() ?? 0) - (sound.last ?? 0)
    faults = carriers.enumerated().flatMap { index, visit in
      Self.faults(of: visit, numbers).map { "connection \(index): \($0)" }
    }
  }

  public var frames: Set<Int64> { Set(arrivals.keys) }
  public var longestDelay: Double { delays.values.max() ?? 0 }

  /// Seconds from `moment` until the last frame that was over a second late.
  public func secondsLate(after moment: MonotonicTime) -> Double {
    let last = delays.filter { $0.value > 1000 }.compactMap { arrivals[$0.key] }.max() ?? moment
    return Double(last - moment) / 1e9
  }

  /// How many packets of 1024 samples at 48 kHz that many milliseconds are.
  private static func packets(_ milliseconds: Int64) -> Int {
    Int((Double(milliseconds) * 48 / 1024).rounded())
  }

  /// Frames without a gap, from the first to the newest, as ranges of their numbers.
  public var runs: [ClosedRange<Int64>] {
    frames.sorted().reduce(into: []) { runs, number in
      if let last = runs.last, last.upperBound == number - 1 {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
  }
}

// The rules of every connection.
extension MergedRecording {
  private static func faults(
    of visit: IngestVisit, _ numbers: [ArraySlice<UInt8>: Int64]
  ) -> [String] {
    var faults: [String] = []
    if let violation = visit.violation { faults.append(violation) }
    let isOpened =
      visit.tags.count > 2 && visit.tags[0].kind == .data && visit.metadata != nil
      && visit.tags[1...2].allSatisfy { $0.tag.isSequenceHeader }
      && Set(visit.tags[1...2].map(\.kind)) == [.video, .audio]
    if !isOpened { faults.append("metadata and sequence headers do not come first") }
    let video = visit.media.filter { $0.kind == .video }
    if visit.media[0].tag.isVideoKeyframe == false { faults.append("no keyframe comes first") }
    for (kind, tags) in [("video", video), ("audio", visit.media.filter { $0.kind == .audio })] {
      for (one, next) in zip(tags, tags.dropFirst()) where next.timestamp <= one.timestamp {
        faults.append("\(kind) dts \(next.timestamp) after \(one.timestamp)")
      }
    }
    for (one, next) in zip(visit.media, visit.media.dropFirst())
    where next.timestamp < one.timestamp {
      faults.append("\(next.kind) \(next.timestamp) after \(one.kind) \(one.timestamp)")
    }
    for (one, next) in zip(video, video.dropFirst()) where !next.tag.isVideoKeyframe {
      let (number, after) = (numbers[one.content], numbers[next.content])
      if number.map({ $0 + 1 }) != after {
        faults.append("frame \(after ?? -1) follows \(number ?? -1) and is no keyframe")
      }
    }
    return faults
  }
}

extension MergedRecording: CustomStringConvertible {
  public var description: String {
    "frames \(runs), squeezed \(squeezed) (\(squeezedOnly) only so), \(audioPackets) of sound, "
      + "missing \(missingAudio), sound lags \(soundLag) ms, at most \(Int(longestDelay)) ms late, twice \(shownTwice) ms, \(faults)"
  }
}

/// Where frames belong in time.
private struct Grid {
  let framesPerSecond: Double

  func time(of number: Int64) -> Int64 {
    Int64((Double(number) * 1000 / framesPerSecond).rounded())
  }

  /// nil where no frame belongs.
  func number(at milliseconds: Int64) -> Int64? {
    let number = Int64((Double(milliseconds) * framesPerSecond / 1000).rounded())
    return time(of: number) == milliseconds ? number : nil
  }
}

extension IngestVisit.Tag {
  /// A frame without its head, whose composition time a preamble changes.
  fileprivate var content: ArraySlice<UInt8> { Array(body).dropFirst(5) }
}

extension RTMPTag {
  public var isVideoKeyframe: Bool { kind == .video && (body.first ?? 0) >> 4 == 1 }
}
