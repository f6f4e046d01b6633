package import BunnyMedia
package import BunnySystem
import Synchronization

/// Reads a file over and over, for a picture and a sound thread that share it.
///
/// A pass lasts as long as its longer track. Where one thread asks for more than has been read, the
/// other track's packets wait in memory, ten seconds of them at most. Where times leap by more than
/// that, as in recordings that were joined, it goes on as if they did not.
package final class LoopingReader: Sendable {
  package enum Track: Int, Sendable {
    case video
    case audio
  }

  package enum Step {
    /// `zero` is when a pts of 0 is due.
    case packet(Packet, zero: MonotonicTime, epoch: Int)
    /// The decoder is to be drained: what follows begins anew.
    case endOfPass
    /// This track has nothing for the next ten seconds.
    case starved
    case cancelled
  }

  package let video: Demuxer.Track?
  package let audio: Demuxer.Track?
  private let name: String
  private let interrupter: Interrupter
  private let state: Mutex<State>

  /// Opens `location`.
  ///
  /// - Parameters:
  ///   - name: what errors call it.
  ///   - stallLimit: how long, in nanoseconds, it may deliver nothing, also while it is opened; nil
  ///     for a file of this machine.
  ///   - outer: makes opening and reading give up.
  package init(
    _ location: String, name: String, wanting tracks: Set<Track>, stallLimit: Int64? = nil,
    interrupter outer: Interrupter = Interrupter()
  ) throws(SourceError) {
    interrupter = Interrupter(within: outer)
    let input = LoopingInput(location, StallGuard(within: interrupter, after: stallLimit))
    do { try input.open() } catch {
      if input.guardian.hasFired { throw .unreadable(name, reason: input.guardian.words) }
      throw SourceError(error, opening: name)
    }
    self.name = name
    video = tracks.contains(.video) ? input.demuxer?.video : nil
    audio = tracks.contains(.audio) ? input.demuxer?.audio : nil
    state = Mutex(State(input, video: video, audio: audio))
  }

  /// Makes ``next(_:)`` return `cancelled` from now on, also where it waits for the input.
  package func cancel() { interrupter.interrupt() }

  /// What comes next on one track. Reads from the file when nothing waits in memory.
  ///
  /// - Throws: ``SourceError/lost(_:reason:)``; another call tries to open the file again.
  package func next(_ track: Track) throws(SourceError) -> Step {
    do throws(ReadFailure) {
      return try state.withLock { state throws(ReadFailure) in
        if interrupter.isInterrupted { return .cancelled }
        return try state.next(track, now: .now)
      }
    } catch {
      if interrupter.isInterrupted { return .cancelled }
      throw .lost(name, reason: error.reason)
    }
  }

  /// Moves all that is not yet delivered to the present, after the process was held up.
  ///
  /// - Parameter epoch: of the packet that was late: the first of two threads to notice moves both.
  package func postpone(by nanoseconds: Int64, epoch: Int) {
    state.withLock { $0.postpone(by: nanoseconds, epoch: epoch) }
  }
}

/// Why nothing more can be read.
private struct ReadFailure: Error { let reason: String }

// The demuxer inside is used under the lock only.
private struct State: ~Copyable, @unchecked Sendable {
  fileprivate enum Entry {
    case packet(Packet, zero: MonotonicTime)
    case endOfPass
  }

  private let input: LoopingInput
  private let tracks: [Demuxer.Track?]  // by LoopingReader.Track
  private var waiting: [[Entry]] = [[], []]
  private var waitingBytes = [0, 0]
  private var passStart: MonotonicTime?
  private var shift: Int64 = 0  // from a packet's time to its place in the pass, nanoseconds
  private var ends: [Int64] = [0, 0]  // of each track in this pass, nanoseconds
  private var passPackets = 0
  /// The first of this pass.
  private var first: (packet: Packet, index: Int)?
  /// A film of one frame, which is all there is: nothing is opened for it any more.
  private var still: (packet: Packet, index: Int, start: Int64)?
  /// Nothing was read since it was put back to its beginning, which some inputs only pretend to do.
  private var isRewound = false
  private var epoch = 0

  static let mostWaiting: Int64 = .seconds(10)
  static let mostWaitingBytes = 32 << 20
  /// Times that are further apart are not meant so.
  static let longestLeap: Int64 = .seconds(10)

  init(_ input: LoopingInput, video: Demuxer.Track?, audio: Demuxer.Track?) {
    self.input = input
    tracks = [video, audio]
    prepare()
  }

  private mutating func prepare() {
    input.demuxer?.keepOnly(tracks.compactMap { $0 })
    shift = -(input.demuxer?.start ?? 0)
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
    guard let first = waiting[index].lazy.compactMap(\.due).first,
      let last = waiting[index].reversed().lazy.compactMap(\.due).first
    else { return false }
    return last - first > Self.mostWaiting
  }

  private mutating func read(now: MonotonicTime) throws(ReadFailure) {
    if let still {
      add(still.packet, still.index, at: passStart ?? now)
      return endPass(start: still.start)
    }
    let demuxer = try opened()
    let start = passStart ?? now
    passStart = start
    input.guardian.begin()
    do {
      guard let (track, packet) = try demuxer.next() else {
        if demuxer.isStill, passPackets == 1, let first {
          still = (first.packet, first.index, demuxer.start)
          input.close()
          return endPass(start: demuxer.start)
        }
        return try endPass(demuxer)
      }
      guard let index = tracks.firstIndex(where: { $0?.index == track }) else { return }
      if passPackets == 0 { first = (packet, index) }
      isRewound = false
      add(packet, index, at: start)
    } catch let failure as AVFailure where input.guardian.interrupter.isInterrupted {
      lose()
      let reason = input.guardian.hasFired ? input.guardian.words : failure.reason
      throw ReadFailure(reason: reason)
    } catch let failure as AVFailure where passPackets == 0 {
      input.close()
      throw ReadFailure(reason: failure.reason)
    } catch is AVFailure {
      try endPass(demuxer)  // broken in the middle: what could be read is the pass
    } catch let failure as ReadFailure {
      throw failure
    } catch {
      throw ReadFailure(reason: "\(error)")
    }
  }

  private mutating func add(_ packet: Packet, _ index: Int, at start: MonotonicTime) {
    passPackets += 1
    place(packet, index)
    waiting[index].append(.packet(packet, zero: start + shift))
    waitingBytes[index] += packet.size
  }

  /// Notes where a packet ends in the pass. One whose time leaps is made to follow on the last one.
  private mutating func place(_ packet: Packet, _ index: Int) {
    guard let time = packet.nanoseconds else { return }
    let latest = max(ends[0], ends[1])
    let leapsAhead = time + shift - latest > Self.longestLeap
    if leapsAhead || ends[index] - (time + shift) > Self.longestLeap {
      // A track that has been silent for long goes on where the other one is.
      let place = latest - ends[index] < .seconds(1) ? ends[index] : latest
      shift = place - time
    }
    ends[index] = max(ends[index], time + shift + packet.length(in: tracks[index]))
  }

  /// Nothing more comes of what is open: the next pass begins when something does.
  private mutating func lose() {
    input.close()
    passStart = nil
    ends = [0, 0]
    if passPackets > 0 { drain() }
  }

  private mutating func drain() {
    passPackets = 0
    for index in tracks.indices where tracks[index] != nil { waiting[index].append(.endOfPass) }
  }

  private mutating func endPass(_ demuxer: Demuxer) throws(ReadFailure) {
    guard passPackets > 0 else {
      input.close()
      if isRewound {
        isRewound = false
        return  // it is opened again
      }
      throw ReadFailure(reason: "it has no packets")
    }
    endPass(start: demuxer.start)
    do {
      try demuxer.rewind()
      isRewound = true
    } catch {
      input.close()  // it is opened again instead
    }
  }

  /// - Parameter start: when the first track of the next one begins, by its own time.
  private mutating func endPass(start: Int64) {
    // Never so short that looping spins: a still picture is shown 25 times a second at most.
    passStart = passStart.map { $0 + max(ends[0], ends[1], .milliseconds(40)) }
    shift = -start
    ends = [0, 0]
    drain()
  }

  private mutating func opened() throws(ReadFailure) -> Demuxer {
    if let demuxer = input.demuxer { return demuxer }
    do throws(AVFailure) { try input.open() } catch {
      passStart = nil  // what comes then is due then
      throw ReadFailure(reason: input.guardian.hasFired ? input.guardian.words : error.reason)
    }
    prepare()
    guard let demuxer = input.demuxer else { throw ReadFailure(reason: "it is closed") }
    return demuxer
  }
}

extension State.Entry {
  /// When its packet is due, as well as it is known; nil at the end of a pass.
  fileprivate var due: MonotonicTime? {
    guard case .packet(let packet, let zero) = self else { return nil }
    return zero + (packet.nanoseconds ?? 0)
  }
}

extension Packet {
  /// Its place in nanoseconds; nil when nothing tells it.
  fileprivate var nanoseconds: Int64? { timebase.nanoseconds(pts) ?? timebase.nanoseconds(dts) }

  /// How long it is shown, in nanoseconds; no longer than its track makes likely.
  fileprivate func length(in track: Demuxer.Track?) -> Int64 {
    let usual = track?.frameRate.map { min(Int64(1_000_000_000 / $0.value), .seconds(60)) } ?? 0
    guard duration > 0, let length = timebase.nanoseconds(duration) else { return usual }
    return min(length, max(2 * usual, State.longestLeap))
  }
}
