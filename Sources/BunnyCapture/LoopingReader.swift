import BunnyMedia
import BunnySystem
import Synchronization

/// Reads a file over and over, for a picture and a sound thread that share it.
///
/// A pass lasts as long as its longer track. Where one thread asks for more than has been read, the
/// other track's packets wait in memory, ten seconds of them at most.
final class LoopingReader: Sendable {
  enum Track: Int, Sendable {
    case video
    case audio
  }

  enum Step {
    /// `zero` is when a pts of 0 is due.
    case packet(Packet, zero: MonotonicTime, epoch: Int)
    /// The decoder is to be drained: what follows begins anew.
    case endOfPass
    /// This track has nothing for the next ten seconds.
    case starved
  }

  let video: Demuxer.Track?
  let audio: Demuxer.Track?
  private let name: String
  private let state: Mutex<State>

  /// Opens `location`.
  ///
  /// - Parameter name: what errors call it.
  init(_ location: String, name: String, wanting tracks: Set<Track>) throws(SourceError) {
    let demuxer: Demuxer
    do { demuxer = try Demuxer(location) } catch { throw SourceError(error, opening: name) }
    self.name = name
    video = tracks.contains(.video) ? demuxer.video : nil
    audio = tracks.contains(.audio) ? demuxer.audio : nil
    state = Mutex(State(location: location, demuxer: demuxer, video: video, audio: audio))
  }

  /// What comes next on one track. Reads from the file when nothing waits in memory.
  ///
  /// - Throws: ``SourceError/lost(_:reason:)``; another call tries to open the file again.
  func next(_ track: Track) throws(SourceError) -> Step {
    do throws(ReadFailure) {
      return try state.withLock { state throws(ReadFailure) in
        try state.next(track, now: .now)
      }
    } catch {
      throw .lost(name, reason: error.reason)
    }
  }

  /// Moves all that is not yet delivered to the present, after the process was held up.
  ///
  /// - Parameter epoch: of the packet that was late: the first of two threads to notice moves both.
  func postpone(by nanoseconds: Int64, epoch: Int) {
    state.withLock { $0.postpone(by: nanoseconds, epoch: epoch) }
  }
}

/// Why nothing more can be read.
private struct ReadFailure: Error { let reason: String }

// The demuxer inside is used under the lock only.
private struct State: ~Copyable, @unchecked Sendable {
  private enum Entry {
    case packet(Packet, zero: MonotonicTime)
    case endOfPass
  }

  private let location: String
  private var demuxer: Demuxer?
  private let tracks: [Demuxer.Track?]  // by LoopingReader.Track
  private var waiting: [[Entry]] = [[], []]
  private var waitingBytes = [0, 0]
  private var passStart: MonotonicTime?
  private var ends: [Int64] = [0, 0]  // of each track in this pass, nanoseconds
  private var passPackets = 0
  private var epoch = 0

  static let mostWaiting: Int64 = .seconds(10)
  static let mostWaitingBytes = 32 << 20

  init(location: String, demuxer: Demuxer, video: Demuxer.Track?, audio: Demuxer.Track?) {
    self.location = location
    self.demuxer = demuxer
    tracks = [video, audio]
    demuxer.keepOnly(tracks.compactMap { $0 })
  }

  mutating func next(
    _ track: LoopingReader.Track, now: MonotonicTime
  ) throws(ReadFailure) -> LoopingReader.Step {
    let index = track.rawValue
    while waiting[index].isEmpty {
      if isFull(1 - index) { return .starved }
      try read(now: now)
    }
    switch waiting[index].removeFirst() {
    case .endOfPass: return .endOfPass
    case .packet(let packet, let zero):
      waitingBytes[index] -= packet.size
      return .packet(packet, zero: zero, epoch: epoch)
    }
  }

  mutating func postpone(by nanoseconds: Int64, epoch: Int) {
    guard epoch == self.epoch, let start = passStart else { return }
    self.epoch += 1
    passStart = start + nanoseconds
    for index in waiting.indices {
      waiting[index] = waiting[index].map {
        if case .packet(let packet, let zero) = $0 {
          .packet(packet, zero: zero + nanoseconds)
        } else {
          $0
        }
      }
    }
  }

  private func isFull(_ index: Int) -> Bool {
    guard waitingBytes[index] < Self.mostWaitingBytes else { return true }
    guard case .packet(let first, _)? = waiting[index].first,
      case .packet(let last, _)? = waiting[index].last
    else { return false }
    return last.nanoseconds - first.nanoseconds > Self.mostWaiting
  }

  private mutating func read(now: MonotonicTime) throws(ReadFailure) {
    let demuxer = try opened()
    let start = passStart ?? now
    passStart = start
    do {
      guard let (track, packet) = try demuxer.next() else { return try endPass(demuxer) }
      guard let index = tracks.firstIndex(where: { $0?.index == track }) else { return }
      passPackets += 1
      waiting[index].append(.packet(packet, zero: start + -demuxer.start))
      waitingBytes[index] += packet.size
      ends[index] = max(ends[index], packet.end(in: tracks[index]) - demuxer.start)
    } catch let failure as AVFailure where passPackets == 0 {
      self.demuxer = nil
      throw ReadFailure(reason: failure.reason)
    } catch is AVFailure {
      try endPass(demuxer)  // broken in the middle: what could be read is the pass
    } catch let failure as ReadFailure {
      throw failure
    } catch {
      throw ReadFailure(reason: "\(error)")
    }
  }

  private mutating func endPass(_ demuxer: Demuxer) throws(ReadFailure) {
    guard passPackets > 0, let start = passStart else {
      self.demuxer = nil
      throw ReadFailure(reason: "it has no packets")
    }
    // Never so short that looping spins: a still picture is shown 25 times a second at most.
    let length = max(ends[0], ends[1], .milliseconds(40))
    passStart = start + length
    ends = [0, 0]
    passPackets = 0
    for index in tracks.indices where tracks[index] != nil { waiting[index].append(.endOfPass) }
    do { try demuxer.rewind() } catch { self.demuxer = nil }  // it is opened again instead
  }

  private mutating func opened() throws(ReadFailure) -> Demuxer {
    if let demuxer { return demuxer }
    do {
      let demuxer = try Demuxer(location)
      demuxer.keepOnly(tracks.compactMap { $0 })
      self.demuxer = demuxer
      return demuxer
    } catch {
      throw ReadFailure(reason: error.reason)
    }
  }
}

extension Packet {
  /// Its place in nanoseconds, as well as it is known.
  fileprivate var nanoseconds: Int64 {
    timebase.convert(pts != Int64.min ? pts : dts != Int64.min ? dts : 0, to: .nanoseconds)
  }

  /// When it has been shown, in nanoseconds.
  fileprivate func end(in track: Demuxer.Track?) -> Int64 {
    let shown =
      duration > 0
      ? timebase.convert(duration, to: .nanoseconds)
      : track?.frameRate.map { Int64(1_000_000_000 / $0.value) } ?? 0
    return nanoseconds + shown
  }
}
