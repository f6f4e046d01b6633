import BunnyCapture
import BunnyMedia
import BunnySystem

/// The path of a picture, from its capture thread's mailbox to the tag log.
///
/// Belongs to one thread. Returns when the broadcast's duration is over or the mailbox is closed,
/// with the encoder flushed.
struct VideoLane {
  let pictures: Mailbox<Arrival>
  /// Is told the moment of the first picture: the broadcast's zero.
  let origin: Mailbox<MonotonicTime>
  let encoding: PictureEncoding
  let processing: (@Sendable () -> (Picture) -> Picture)?
  let passthrough: Passthrough
  let plea: KeyframePlea
  /// Asks a camera that codes its picture itself for a keyframe.
  let askCamera: @Sendable () -> Void
  let rate: Timebase
  /// Frames to make; nil until the mailbox is closed.
  let frameLimit: Int64?
  let outlet: Outlet
  let telemetry: Telemetry
  /// A keyframe is wanted as soon as can be; cleared here.
  let wantsKeyframe: Flag
  let watch: PictureWatch
  let processor: ProcessorWatch
  /// Is told, in words, that nothing of what comes can be shown.
  let cannotShow: @Sendable (String) -> Void
  let notice: @Sendable (String) -> Void

  func run() throws {
    defer {
      origin.close()
      outlet.finish(.video)
    }
    guard case .element(let first) = pictures.take(until: .distantFuture) else { return }
    origin.put(first.captured)
    var path = Path(lane: self, zero: first.captured)
    try path.take(first)
    try path.run()
    try path.finish()
  }

  /// An encoded frame goes to the log.
  fileprivate func hand(_ tag: MediaTag) {
    telemetry.encodedFrame()
    outlet.offer(tag)
  }
}

/// What changes from frame to frame.
private struct Path {
  let lane: VideoLane
  let zero: MonotonicTime
  private var grid: FrameGrid
  private var coded: CodedPictures
  private var passedTags = PassedTags()
  private var shown: Picture?  // the last one, in the broadcast's form
  private var decoding: Int64 = 0  // nanoseconds, of a camera's own H.264 since the last picture
  private var encoderFree = MonotonicTime.now  // since when nothing is being encoded here
  private var saidWhyNot = false
  private var brokenSince: MonotonicTime?  // since when nothing of the source can be shown
  private var watch: PictureWatch
  private var processor: ProcessorWatch
  private var plea: KeyframePlea
  private var processing: OwnProcessing<Picture>?
  private var told: EncodingPlan?  // how it is encoded, as the telemetry knows

  init(lane: VideoLane, zero: MonotonicTime) {
    self.lane = lane
    self.zero = zero
    grid = FrameGrid(rate: lane.rate)
    (watch, processor, plea) = (lane.watch, lane.processor, lane.plea)
    processing = lane.processing.map { OwnProcessing($0(), notice: lane.notice) }
    coded = CodedPictures(
      lane.passthrough,
      decodeError: { [telemetry = lane.telemetry] in telemetry.count { $0.decodeErrors += 1 } },
      notice: lane.notice)
  }

  private var isOver: Bool { lane.frameLimit.map { grid.next >= $0 } ?? false }

  mutating func run() throws {
    while !isOver {
      // The camera's own pictures have no places to be filled; of its loss the lane is told.
      let deadline = coded.isPassing ? .distantFuture : zero + grid.deadline
      switch lane.pictures.take(until: deadline) {
      case .element(let arrival): try take(arrival)
      case .timeout: try repeatMissed()
      case .closed: return
      }
      processor.look(lane.encoding.plan, waiting: lane.pictures.waiting)
    }
  }

  mutating func take(_ arrival: VideoLane.Arrival) throws {
    switch arrival.content {
    case .picture(let picture):
      coded.leave()
      try place(picture, arrival)
    case .hold:
      let last = coded.isPassing ? try coded.lastPicture() : nil
      coded.leave()
      if let last { try place(last.stamped(arrival.time), arrival) }
    case .coded(let unit):
      let began = MonotonicTime.now
      let step = try coded.take(unit)
      decoding += .now - began
      switch step {
      case .wait: lane.telemetry.count { $0.capturedFrames += 1 }
      case .pass:
        decoding = 0
        try pass(unit, arrival.time)
      case .show: for picture in coded.decoded { try place(picture, arrival) }
      }
    }
  }

  private mutating func place(_ picture: Picture, _ arrival: VideoLane.Arrival) throws {
    lane.telemetry.count { $0.capturedFrames += 1 }
    switch grid.place(picture.time - zero) {
    case .tooEarly:
      lane.telemetry.count { $0.skippedFrames += 1 }
    case .frame(let slot, let repeats):
      try show(from: slot - Int64(repeats), to: slot)
      try show(picture, arrival, in: slot, forcingKeyframe: false)
    case .afterHole(let slot):
      try show(picture, arrival, in: slot, forcingKeyframe: true)
    }
  }

  /// The camera's own coded picture goes to the log, at its own time. What this lane has encoded before it
  /// goes first.
  private mutating func pass(_ unit: AccessUnit, _ arrival: MonotonicTime) throws {
    try finish()
    shown = nil
    _ = grid.place(unit.time - zero)  // so that what is encoded next comes after it
    let isWanted = lane.wantsKeyframe.isSet
    if plea.passed(isKeyframe: unit.facts.isKeyframe, isWanted: isWanted, at: unit.time) {
      lane.askCamera()
    }
    if unit.facts.isKeyframe { lane.wantsKeyframe.isSet = false }
    let now = MonotonicTime.now
    lane.telemetry.count { $0.capturedFrames += 1 }
    lane.telemetry.encodedFrame(at: now)
    let milliseconds = max(0, unit.time - zero) / .milliseconds(1)
    lane.outlet.offer(
      passedTags.tag(
        unit, dts: milliseconds + lane.outlet.shift,
        trace: MediaTag.Trace(
          captured: unit.time, ready: arrival, encoding: now, logged: now)))
  }

  /// What the encoder still holds goes to the log.
  mutating func finish() throws {
    try lane.encoding.finish(shift: lane.outlet.shift) { lane.hand($0) }
    if told != nil {
      told = nil
      lane.telemetry.encodes(nil)
    }
  }

  private mutating func repeatMissed() throws {
    switch grid.missed(at: .now - zero) {
    case .frames(let slots): try show(from: slots.lowerBound, to: slots.upperBound)
    case .hole(let slot): try show(from: slot, to: slot + 1, forcingKeyframe: true)
    }
  }

  private mutating func show(
    _ picture: Picture, _ arrival: VideoLane.Arrival, in slot: Int64, forcingKeyframe: Bool
  ) throws {
    guard !leavesOut(arrival, forcingKeyframe), try prepare(slot, forcingKeyframe) else {
      if isWithin(slot) { lane.telemetry.count { $0.skippedFrames += 1 } }
      return
    }
    let began = MonotonicTime.now
    do {
      let fitted = try lane.encoding.converter.convert(picture, turned: arrival.turn)
      shown = arrival.origin == .slate ? fitted : processing?.take(fitted) ?? fitted
    } catch {
      lane.telemetry.count { $0.decodeErrors += 1 }
      if !saidWhyNot { lane.notice("pictures that cannot be converted are left out: \(error)") }
      saidWhyNot = true
      shown = shown ?? lane.encoding.converter.black(at: picture.time)
      noteBroken(error, at: arrival.time)
      return try show(from: slot, to: slot + 1)
    }
    guard let shown else { return }
    let now = MonotonicTime.now
    lane.encoding.trace(
      MediaTag.Trace(
        captured: picture.time, ready: max(arrival.time, encoderFree), encoding: now, logged: now),
      of: slot)
    try encode(
      shown, in: slot, forcingKeyframe: forcingKeyframe, converting: now - began + decoding)
    decoding = 0
    if arrival.origin != .slate {
      brokenSince = nil
      watch.see(
        shown, in: lane.encoding.converter.area, isOfSensor: arrival.origin == .sensor,
        at: arrival.time)
    }
  }

  /// Whether this picture is left out, so that those which wait do not grow old.
  private mutating func leavesOut(
    _ arrival: VideoLane.Arrival, _ forcingKeyframe: Bool
  ) -> Bool {
    guard arrival.origin != .slate,
      processor.leavesOutPicture(waiting: lane.pictures.waiting)
    else { return false }
    if forcingKeyframe { lane.wantsKeyframe.isSet = true }  // the next one is
    return true
  }

  /// A source of which nothing can be shown for so long is as good as lost.
  private mutating func noteBroken(_ error: any Error, at now: MonotonicTime) {
    let since = brokenSince ?? now
    brokenSince = since
    guard now - since >= .seconds(2) else { return }
    brokenSince = now + .seconds(10)  // opening it anew takes its time
    lane.cannotShow("\(error)")
  }

  /// The last picture again, in each place from `from` up to `to`.
  private mutating func show(
    from: Int64, to: Int64, forcingKeyframe: Bool = false
  ) throws {
    for slot in from..<to {
      if processor.leavesOutRepeat(waiting: lane.pictures.waiting), !forcingKeyframe { continue }
      guard try prepare(slot, forcingKeyframe) else { continue }
      guard let picture = shown else { return }
      let fitting = try lane.encoding.fitted(picture)
      shown = fitting
      lane.telemetry.count { $0.repeatedFrames += 1 }
      try encode(fitting, in: slot, forcingKeyframe: forcingKeyframe)
    }
  }

  private func isWithin(_ slot: Int64) -> Bool { lane.frameLimit.map { slot < $0 } ?? true }

  /// Gets the encoder ready for this place.
  ///
  /// - Returns: Whether it is to be encoded, and not left out to have fewer frames a second.
  private func prepare(_ slot: Int64, _ forcingKeyframe: Bool) throws -> Bool {
    guard isWithin(slot) else { return false }
    let forcingKeyframe = forcingKeyframe || lane.wantsKeyframe.isSet
    try lane.encoding.arrange(
      for: slot, forcingKeyframe: forcingKeyframe, shift: lane.outlet.shift
    ) { lane.hand($0) }
    let takes = lane.encoding.takes(slot)
    if !takes, forcingKeyframe { lane.wantsKeyframe.isSet = true }  // the next one is
    return takes
  }

  /// - Parameter converting: what it took to make this picture, nanoseconds.
  private mutating func encode(
    _ picture: Picture, in slot: Int64, forcingKeyframe: Bool, converting: Int64 = 0
  ) throws {
    let began = MonotonicTime.now
    let isWanted = lane.wantsKeyframe.isSet
    if isWanted { lane.wantsKeyframe.isSet = false }
    try lane.encoding.encode(
      picture, in: slot, forcingKeyframe: forcingKeyframe || isWanted, shift: lane.outlet.shift
    ) { lane.hand($0) }
    encoderFree = .now
    if told != lane.encoding.plan { tell() }
    processor.encoded(
      converting: converting, encoding: encoderFree - began, to: lane.encoding.plan)
  }

  private mutating func tell() {
    told = lane.encoding.plan
    lane.telemetry.encodes(lane.encoding.inUse)
  }
}
