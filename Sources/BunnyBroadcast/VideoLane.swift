import BunnyCapture
import BunnyMedia
import BunnySystem

/// The path of a picture, from its capture thread's mailbox to the tag log.
///
/// Belongs to one thread. Returns when the broadcast's duration is over or the mailbox is closed,
/// with the encoder flushed.
struct VideoLane {
  /// A picture and the moment it reached this program.
  struct Arrival: Sendable {
    enum Origin: Sendable {
      /// It stands for one that did not come.
      case slate
      /// A sensor, which may be dead though it flows, or something else.
      case sensor, other
    }
    let picture: Picture
    let time: MonotonicTime
    /// How it is to be shown.
    var turn = PictureTurn.none
    var origin = Origin.slate
  }

  let pictures: Mailbox<Arrival>
  /// Is told the moment of the first picture: the broadcast's zero.
  let origin: Mailbox<MonotonicTime>
  let converter: PictureConverter
  let encoder: VideoEncoder
  let muxer: TagMuxer
  let rate: Timebase
  /// Frames to make; nil until the mailbox is closed.
  let frameLimit: Int64?
  let outlet: Outlet
  let telemetry: Telemetry
  /// A keyframe is wanted as soon as can be; cleared here.
  let wantsKeyframe: Flag
  let watch: PictureWatch
  let notice: @Sendable (String) -> Void

  func run() throws {
    defer {
      origin.close()
      outlet.finish(.video)
    }
    guard case .element(let first) = pictures.take(until: .distantFuture) else { return }
    origin.put(first.picture.time)
    var path = Path(lane: self, zero: first.picture.time)
    try path.take(first)
    try path.run()
    for packet in try encoder.finish() { try path.hand(packet) }
  }
}

/// What changes from frame to frame.
private struct Path {
  let lane: VideoLane
  let zero: MonotonicTime
  private var grid: FrameGrid
  private var shown: Picture?  // the last one, in the broadcast's form
  private var traces: [Int64: MediaTag.Trace] = [:]
  private var encoderFree = MonotonicTime.now  // since when nothing is being encoded here
  private var saidWhyNot = false
  private var watch: PictureWatch

  init(lane: VideoLane, zero: MonotonicTime) {
    self.lane = lane
    self.zero = zero
    grid = FrameGrid(rate: lane.rate)
    watch = lane.watch
  }

  private var isOver: Bool { lane.frameLimit.map { grid.next >= $0 } ?? false }

  mutating func run() throws {
    while !isOver {
      switch lane.pictures.take(until: zero + grid.deadline) {
      case .element(let arrival): try take(arrival)
      case .timeout: try repeatMissed()
      case .closed: return
      }
    }
  }

  mutating func take(_ arrival: VideoLane.Arrival) throws {
    lane.telemetry.count { $0.capturedFrames += 1 }
    switch grid.place(arrival.picture.time - zero) {
    case .tooEarly:
      lane.telemetry.count { $0.skippedFrames += 1 }
    case .frame(let slot, let repeats):
      try show(from: slot - Int64(repeats), to: slot)
      try show(arrival, in: slot, forcingKeyframe: false)
    case .afterHole(let slot):
      try show(arrival, in: slot, forcingKeyframe: true)
    }
  }

  private mutating func repeatMissed() throws {
    switch grid.missed(at: .now - zero) {
    case .frames(let slots): try show(from: slots.lowerBound, to: slots.upperBound)
    case .hole(let slot): try show(from: slot, to: slot + 1, forcingKeyframe: true)
    }
  }

  private mutating func show(
    _ arrival: VideoLane.Arrival, in slot: Int64, forcingKeyframe: Bool
  ) throws {
    guard isWithin(slot) else { return }
    do {
      shown = try lane.converter.convert(arrival.picture, turned: arrival.turn)
    } catch {
      lane.telemetry.count { $0.decodeErrors += 1 }
      if !saidWhyNot { lane.notice("pictures that cannot be converted are left out: \(error)") }
      saidWhyNot = true
      shown = shown ?? lane.converter.black(at: arrival.picture.time)
      return try show(from: slot, to: slot + 1)
    }
    guard let shown else { return }
    let now = MonotonicTime.now
    traces[slot] = MediaTag.Trace(
      ready: max(arrival.time, encoderFree), encoding: now, logged: now)
    try encode(shown, in: slot, forcingKeyframe: forcingKeyframe)
    if arrival.origin != .slate {
      watch.see(
        shown, in: lane.converter.area, isOfSensor: arrival.origin == .sensor, at: arrival.time)
    }
  }

  /// The last picture again, in each place from `from` up to `to`.
  private mutating func show(
    from: Int64, to: Int64, forcingKeyframe: Bool = false
  ) throws {
    guard let shown else { return }
    for slot in from..<to where isWithin(slot) {
      lane.telemetry.count { $0.repeatedFrames += 1 }
      try encode(shown, in: slot, forcingKeyframe: forcingKeyframe)
    }
  }

  private func isWithin(_ slot: Int64) -> Bool { lane.frameLimit.map { slot < $0 } ?? true }

  private mutating func encode(_ picture: Picture, in slot: Int64, forcingKeyframe: Bool) throws {
    let isWanted = lane.wantsKeyframe.isSet
    if isWanted { lane.wantsKeyframe.isSet = false }
    let packets = try lane.encoder.encode(
      picture, at: slot, forcingKeyframe: forcingKeyframe || isWanted)
    encoderFree = .now
    for packet in packets { try hand(packet) }
  }

  /// One encoded frame goes to the log.
  mutating func hand(_ packet: Packet) throws {
    lane.telemetry.count { $0.encodedFrames += 1 }
    guard var tag = try lane.muxer.tag(packet, shift: lane.outlet.shift) else { return }
    tag.trace = traces.removeValue(forKey: packet.pts)
    lane.outlet.offer(tag)
  }
}
