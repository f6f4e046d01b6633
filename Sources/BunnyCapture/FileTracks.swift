import BunnyMedia
import BunnySystem
import Synchronization

/// When what a file delivers is due: waits for it, or notices that it is far too late.
final class Pacing: Sendable {
  enum Verdict {
    case onTime
    case tooLate(Int64)
    case cancelled
  }

  /// After being held up for longer than this, a file goes on from where it was.
  static let patience: Int64 = .seconds(2)

  private let wake = WakeEvent()
  private let isCancelled = Atomic(false)

  func wait(until due: MonotonicTime) -> Verdict {
    let lateness = MonotonicTime.now - due
    if lateness > Self.patience { return .tooLate(lateness) }
    if lateness < 0 { wake.wait(until: due) }
    return isCancelled.load(ordering: .acquiring) ? .cancelled : .onTime
  }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    wake.signal()
  }
}

/// A file's picture track. ``next()`` belongs to one thread.
final class FilePictures: PictureSource, @unchecked Sendable {
  private let reader: LoopingReader
  private let track: Demuxer.Track
  private let decoder: Decoder
  private let name: String
  private let notice: @Sendable (String) -> Void
  private let pacing = Pacing()
  private let frameNanoseconds: Int64
  private var filter: FilterGraph?
  private var filterFailed = false
  private var isInterlaced = false
  private var decoded: [Picture] = []  // kept for its memory
  private var ready: [Picture] = []
  private var epoch = 0
  private var zero = MonotonicTime.now  // of the pass that is being decoded
  private var nextPts: Int64 = 0  // where a picture without a pts belongs

  init(
    _ reader: LoopingReader, _ track: Demuxer.Track, _ decoder: Decoder, name: String,
    notice: @escaping @Sendable (String) -> Void
  ) {
    self.reader = reader
    self.track = track
    self.decoder = decoder
    self.name = name
    self.notice = notice
    frameNanoseconds = min(Int64(1_000_000_000 / (track.frameRate?.value ?? 25)), .seconds(60))
  }

  /// Ends the sound of the same file too: they are read together.
  func cancel() {
    reader.cancel()
    pacing.cancel()
  }

  func next() throws -> Picture? {
    while true {
      while ready.isEmpty {
        guard try decodeMore() else { return nil }
      }
      let picture = ready.removeFirst()
      switch pacing.wait(until: picture.time) {
      case .onTime: return picture
      case .cancelled: return nil
      case .tooLate(let lateness): reader.postpone(by: lateness, epoch: epoch)
      }
    }
  }

  /// False when cancelled.
  private func decodeMore() throws(SourceError) -> Bool {
    switch try reader.next(.video) {
    case .packet(let packet, let zero, let epoch):
      self.epoch = epoch
      self.zero = zero
      decode(packet)
      nextPts += frameNanoseconds
    case .endOfPass:
      decode(nil)
      if let filter, let rest = try? filter.push(nil) { ready += rest }
      filter = nil
      decoder.flush()
      nextPts = 0
    case .starved:
      if case .cancelled = pacing.wait(until: .now + .milliseconds(100)) { return false }
    case .cancelled: return false
    }
    return true
  }

  /// Makes pictures progressive and upright where they are not. A chain that fails is done without.
  private func decode(_ packet: Packet?) {
    decoder.pictures(packet, at: zero, fallback: nextPts, into: &decoded)
    defer { decoded.removeAll(keepingCapacity: true) }
    for picture in decoded {
      isInterlaced = isInterlaced || picture.isInterlaced
      let chain = FilterGraph.chain(isInterlaced: isInterlaced, rotation: track.rotation)
      guard let chain, !filterFailed else {
        ready.append(picture)
        continue
      }
      do {
        let filter = try self.filter ?? FilterGraph(chain, for: picture)
        self.filter = filter
        ready += try filter.push(picture)
      } catch {
        filterFailed = true
        notice("\(name) is shown as it is, neither deinterlaced nor turned: \(error)")
        ready.append(picture)
      }
    }
  }
}

/// A file's sound track. ``next()`` belongs to one thread.
final class FileSound: SampleSource, @unchecked Sendable {
  /// Containers round times to a millisecond.
  let timeTolerance = Int64.milliseconds(2)
  private let reader: LoopingReader
  private let decoder: Decoder
  private let pacing = Pacing()
  private var ready: [Samples] = []
  private var epoch = 0
  private var zero = MonotonicTime.now  // of the pass that is being decoded

  init(_ reader: LoopingReader, _ decoder: Decoder) {
    self.reader = reader
    self.decoder = decoder
  }

  /// Ends the picture of the same file too: they are read together.
  func cancel() {
    reader.cancel()
    pacing.cancel()
  }

  func next() throws -> Samples? {
    while true {
      while ready.isEmpty {
        guard try decodeMore() else { return nil }
      }
      let samples = ready.removeFirst()
      // A run is there when its last sample is, as from a microphone.
      let length = Int64(samples.count) * 1_000_000_000 / Int64(max(1, samples.sampleRate))
      switch pacing.wait(until: samples.time + length) {
      case .onTime: return samples
      case .cancelled: return nil
      case .tooLate(let lateness): reader.postpone(by: lateness, epoch: epoch)
      }
    }
  }

  /// False when cancelled.
  private func decodeMore() throws(SourceError) -> Bool {
    switch try reader.next(.audio) {
    case .packet(let packet, let zero, let epoch):
      self.epoch = epoch
      self.zero = zero
      decoder.samples(packet, at: zero, into: &ready)
    case .endOfPass:
      decoder.samples(nil, at: zero, into: &ready)
      decoder.flush()
    case .starved:
      if case .cancelled = pacing.wait(until: .now + .milliseconds(100)) { return false }
    case .cancelled: return false
    }
    return true
  }
}
