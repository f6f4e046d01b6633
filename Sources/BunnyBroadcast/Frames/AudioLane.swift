import BunnyCapture
import BunnyMedia
import BunnySystem

/// The path of sound, from its capture thread's mailbox to the tag log.
///
/// Belongs to one thread. Returns when the broadcast's duration is over or the mailbox is closed,
/// with the encoder flushed.
struct AudioLane {
  let samples: Mailbox<Samples>
  let processing: (@Sendable () -> (Samples) -> Samples)?
  /// Tells the moment of the first picture: the broadcast's zero.
  let origin: Mailbox<MonotonicTime>
  /// How far the source's times may be off, in nanoseconds; nil when there is no source but silence.
  let tolerance: Int64?
  let encoder: AudioEncoder
  let muxer: TagMuxer
  /// Samples to make; nil until the mailbox is closed.
  let sampleLimit: Int64?
  let isMuted: Flag
  let watch: SoundWatch
  let outlet: Outlet
  let telemetry: Telemetry
  let notice: @Sendable (String) -> Void

  func run() throws {
    defer { outlet.finish(.audio) }
    guard case .element(let zero) = origin.take(until: .distantFuture) else { return }
    var path = Path(lane: self, zero: zero)
    try path.run()
    for packet in try encoder.finish() { try hand(packet) }
  }

  /// One encoded packet goes to the log.
  fileprivate func hand(_ packet: Packet) throws(AVFailure) {
    guard let tag = try muxer.tag(packet, shift: outlet.shift) else { return }
    outlet.offer(tag)
  }
}

/// What changes from run to run.
private struct Path {
  let lane: AudioLane
  let zero: MonotonicTime
  private let converter = SampleConverter()
  private var converted: [Samples] = []  // kept for its memory
  private var grid = SampleGrid()
  private var saidWhyNot = false
  private var watch: SoundWatch
  private var processing: OwnProcessing<Samples>?
  /// How late sound may be before silence takes its place.
  private let grace: Int64

  init(lane: AudioLane, zero: MonotonicTime) {
    self.lane = lane
    self.zero = zero
    watch = lane.watch
    processing = lane.processing.map { OwnProcessing($0(), notice: lane.notice) }
    // Silence need not be waited for.
    grace = lane.tolerance.map { FrameGrid.grace + $0 } ?? 0
  }

  mutating func run() throws {
    while lane.sampleLimit.map({ grid.next < $0 }) ?? true {
      let packet = Int64(lane.encoder.samplesPerPacket)
      switch lane.samples.take(until: zero + SampleGrid.time(of: grid.next + packet) + grace) {
      case .element(let samples): try take(samples)
      case .timeout: try fillMissed()
      case .closed: return
      }
    }
  }

  private mutating func take(_ samples: Samples) throws {
    do {
      try convert(samples)
    } catch {
      lane.telemetry.count { $0.decodeErrors += 1 }
      if !saidWhyNot { lane.notice("sound that cannot be converted is left out: \(error)") }
      saidWhyNot = true
      return
    }
    for run in converted {
      watch.hear(run, isMuted: lane.isMuted.isSet)
      try place(processing?.take(run) ?? run)
    }
    converted.removeAll(keepingCapacity: true)
  }

  private mutating func convert(_ samples: Samples) throws {
    try converter.convert(samples) { converted.append($0) }
  }

  private mutating func place(_ run: Samples) throws {
    let before = grid.next
    let placement = grid.place(
      run.time - zero, count: run.count, tolerance: lane.tolerance ?? 0)
    try jump(placement)
    try fill(placement.silence, at: before)
    let from = placement.skipped
    let room = lane.sampleLimit.map { max(0, $0 - (grid.next - Int64(run.count - from))) }
    let to = room.map { min(run.count, from + Int($0)) } ?? run.count
    guard from < to else { return }
    try encode(lane.isMuted.isSet ? nil : run, from..<to)
  }

  private mutating func fillMissed() throws {
    let before = grid.next
    let missed = grid.missed(at: .now - zero, grace: grace)
    try jump(missed)
    try fill(missed.silence, at: before)
  }

  private func jump(_ placement: SampleGrid.Placement) throws {
    guard let jump = placement.jump else { return }
    for packet in try lane.encoder.jump(to: jump) { try lane.hand(packet) }
  }

  private mutating func fill(_ count: Int, at position: Int64) throws {
    let room = lane.sampleLimit.map { max(0, $0 - position) } ?? .max
    let count = Int(min(Int64(count), room))
    guard count > 0 else { return }
    lane.telemetry.count { $0.filledSamples += lane.tolerance == nil ? 0 : count }
    try encode(nil, 0..<count)
  }

  private func encode(_ run: Samples?, _ range: Range<Int>) throws {
    try lane.encoder.encode(run, range) { (packet) throws(AVFailure) in try lane.hand(packet) }
  }
}
