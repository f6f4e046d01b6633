package import BunnyMedia
import BunnySystem

/// Makes tags of pictures, as the orders of the moment say: with one encoder at a time, and another where
/// the orders ask for what a running one cannot change. Belongs to the video lane's thread.
package final class PictureEncoding {
  /// What a session begins with.
  package let header: MediaTag
  /// How many places of the grid a packet's dts lies before its pts at most.
  package let reorderDepth: Int
  /// Into the size that is encoded now.
  package private(set) var converter: PictureConverter

  private let fill: PictureFit.Fill
  private let orders: EncodingOrders
  private var encoder: VideoEncoder?
  private var settings: VideoEncoder.Settings
  /// What is encoded to now.
  package private(set) var plan: EncodingPlan
  private var muxer: TagMuxer
  /// The place of the last keyframe, counted in pictures; nil: the next one is the first.
  private var keyframe: Int64?
  private var framesSinceKeyframe = 0
  private var traces: [Int64: MediaTag.Trace] = [:]
  private let encoders: EncoderSupply
  private let notice: (String) -> Void
  private var saidWhyNot = false
  /// What could not be had last, and is not tried at every keyframe.
  private var refused: EncodingPlan?
  /// What is wanted waits only for a place that it can begin in.
  private var isChangeDue = false

  /// nil: nothing is encoded, as what comes is passed through.
  package var inUse: EncodingInUse? { encoder == nil ? nil : EncodingInUse(settings, plan) }

  /// - Parameter notice: is told when an encoder in hardware had to be given up.
  /// - Throws: ``AVFailure`` when x264 refuses the settings.
  package init(
    _ quality: VideoEncoder.Settings, fill: PictureFit.Fill, orders: EncodingOrders,
    notice: @escaping (String) -> Void = { _ in }
  ) throws(AVFailure) {
    (self.fill, self.orders, self.notice) = (fill, orders, notice)
    plan = orders.current.plan
    encoders = EncoderSupply(quality, orders, notice)
    let encoder: VideoEncoder
    (encoder, settings) = try encoders.next(&plan)
    muxer = try TagMuxer(encoder.parameters)
    header = muxer.sequenceHeader
    reorderDepth = encoder.reorderDepth
    self.encoder = encoder
    converter = PictureConverter(width: settings.width, height: settings.height, fill: fill)
  }

  /// Whether this place is encoded, and not left out to have fewer frames a second.
  package func takes(_ slot: Int64) -> Bool {
    encoder != nil && slot.isMultiple(of: Int64(plan.frameDivisor))
  }

  /// Does what the orders ask for, before `slot` is encoded.
  ///
  /// - Parameter hand: is handed what the encoder before still held, if there is another one now.
  package func arrange(
    for slot: Int64, forcingKeyframe: Bool, shift: Int64, _ hand: (MediaTag) -> Void
  ) throws {
    let (wanted, isUrgent) = orders.current
    let plan = taking(wanted)
    guard encoder == nil || plan != self.plan && plan != refused else {
      if isUrgent { orders.obeyed() }
      isChangeDue = false
      return
    }
    if isUrgent || forcingKeyframe || isKeyframeDue(slot) { isChangeDue = true }
    guard isChangeDue || encoder == nil, slot.isMultiple(of: Int64(plan.frameDivisor)) else {
      return
    }
    isChangeDue = false
    try finish(shift: shift, hand)
    try change(to: plan)
    orders.obeyed()
  }

  /// An encoder that can takes another bit rate at once, whatever else is wanted.
  ///
  /// - Returns: what is still to be done.
  private func taking(_ wanted: EncodingPlan) -> EncodingPlan {
    guard let encoder, wanted.bitrate != plan.bitrate else { return wanted }
    var wanted = wanted
    if encoder.followsBitrate {
      encoder.setBitrate(wanted.bitrate)
      plan.bitrate = wanted.bitrate
    } else if abs(wanted.bitrate - plan.bitrate) < plan.bitrate / 7 {
      wanted.bitrate = plan.bitrate  // not worth another encoder
    }
    return wanted
  }

  private func isKeyframeDue(_ slot: Int64) -> Bool {
    guard let keyframe else { return true }
    return slot / Int64(plan.frameDivisor) - keyframe >= Int64(settings.keyframeInterval)
  }

  /// What cannot be had is no reason to end: it is encoded as before.
  private func change(to wanted: EncodingPlan) throws {
    do { try open(wanted) } catch {
      refused = wanted
      if !saidWhyNot { notice("\(error): the picture is encoded as before") }
      saidWhyNot = true
      try open(plan)
    }
  }

  private func open(_ wanted: EncodingPlan) throws {
    var wanted = wanted
    let (encoder, settings) = try encoders.next(&wanted)
    let muxer = try TagMuxer(encoder.parameters)
    if (self.settings.width, self.settings.height) != (settings.width, settings.height) {
      converter = PictureConverter(width: settings.width, height: settings.height, fill: fill)
    }
    (plan, self.settings, self.encoder, self.muxer) = (wanted, settings, encoder, muxer)
  }

  /// A picture that was converted before, in the size that is encoded now.
  package func fitted(_ picture: Picture) throws -> Picture {
    picture.width == settings.width && picture.height == settings.height
      ? picture : try converter.convert(picture)
  }

  /// - Parameters:
  ///   - picture: what ``converter`` made.
  ///   - slot: one that is taken, greater than the last one's.
  ///   - hand: is handed the tags that came out.
  package func encode(
    _ picture: Picture, in slot: Int64, forcingKeyframe: Bool, shift: Int64,
    _ hand: (MediaTag) -> Void
  ) throws {
    guard let encoder else { preconditionFailure("arrange(for:) opens one") }
    let index = slot / Int64(plan.frameDivisor)
    let isDue = isKeyframeDue(slot)
    // x264 counts pictures: where some were left out it would be late.
    let isLate = keyframe != nil && isDue && framesSinceKeyframe < settings.keyframeInterval
    let isForced = forcingKeyframe || isLate
    if isForced || isDue { (keyframe, framesSinceKeyframe) = (index, 0) }
    framesSinceKeyframe += 1
    do {
      try pass(picture, to: encoder, at: index, isForced, shift, hand)
    } catch  where settings.kind != .x264 {
      encoders.giveUpHardware(error, for: &plan)
      (self.encoder, traces) = (nil, [:])
      try open(plan)
      guard let encoder = self.encoder else { return }
      try pass(picture, to: encoder, at: index, true, shift, hand)
    }
  }

  private func pass(
    _ picture: Picture, to encoder: VideoEncoder, at index: Int64, _ isForced: Bool,
    _ shift: Int64, _ hand: (MediaTag) -> Void
  ) throws {
    try encoder.encode(picture, at: index, forcingKeyframe: isForced) {
      (packet) throws(AVFailure) in try pass(packet, shift, hand)
    }
  }

  package func trace(_ trace: MediaTag.Trace, of slot: Int64) {
    if traces.count > 256 { traces = [:] }  // more than any encoder holds
    traces[slot / Int64(plan.frameDivisor)] = trace
  }

  /// What the encoder still holds; the next frame is encoded by another one.
  package func finish(shift: Int64, _ hand: (MediaTag) -> Void) throws {
    guard let encoder else { return }
    self.encoder = nil
    keyframe = nil
    defer { traces = [:] }
    do { try passRest(of: encoder, shift, hand) } catch  where settings.kind != .x264 {
      notice("what \(settings.kind.rawValue) still held is lost: \(error)")
    }
  }

  private func passRest(
    of encoder: VideoEncoder, _ shift: Int64, _ hand: (MediaTag) -> Void
  ) throws {
    for packet in try encoder.finish() { try pass(packet, shift, hand) }
  }

  private func pass(
    _ packet: Packet, _ shift: Int64, _ hand: (MediaTag) -> Void
  ) throws(AVFailure) {
    guard var tag = try muxer.tag(packet, shift: shift) else { return }
    tag.trace = traces.removeValue(forKey: packet.pts)
    hand(tag)
  }
}
