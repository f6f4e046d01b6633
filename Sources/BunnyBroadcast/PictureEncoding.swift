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

  private var quality: VideoEncoder.Settings
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
  private let notice: (String) -> Void

  /// - Parameter notice: is told when an encoder in hardware had to be given up.
  /// - Throws: ``AVFailure`` when x264 refuses the settings.
  package init(
    _ quality: VideoEncoder.Settings, fill: PictureFit.Fill, orders: EncodingOrders,
    notice: @escaping (String) -> Void = { _ in }
  ) throws(AVFailure) {
    (self.quality, self.fill, self.orders, self.notice) = (quality, fill, orders, notice)
    plan = orders.current.plan
    settings = plan.settings(quality)
    let encoder = try Self.encoder(&settings, notice)
    self.quality.kind = settings.kind
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
  /// - Returns: What the encoder before still held, if there is another one now.
  package func arrange(for slot: Int64, forcingKeyframe: Bool, shift: Int64) throws -> [MediaTag] {
    let (wanted, isUrgent) = orders.current
    if let encoder, encoder.followsBitrate && wanted.differsOnlyInBitrate(from: plan) {
      if wanted.bitrate != plan.bitrate { encoder.setBitrate(wanted.bitrate) }
      plan = wanted
      return []
    }
    if encoder != nil && wanted == plan { return [] }
    let isDue = forcingKeyframe || isUrgent || isKeyframeDue(slot)
    guard slot.isMultiple(of: Int64(wanted.frameDivisor)), isDue || encoder == nil else {
      return []
    }
    let rest = try finish(shift: shift)
    try open(wanted)
    orders.obeyed()
    return rest
  }

  private func isKeyframeDue(_ slot: Int64) -> Bool {
    guard let keyframe else { return true }
    return slot / Int64(plan.frameDivisor) - keyframe >= Int64(settings.keyframeInterval)
  }

  private func open(_ wanted: EncodingPlan) throws {
    let hadSize = (settings.width, settings.height)
    plan = wanted
    settings = wanted.settings(quality)
    let encoder = try Self.encoder(&settings, notice)
    quality.kind = settings.kind
    let muxer = try TagMuxer(encoder.parameters)
    (self.encoder, self.muxer) = (encoder, muxer)
    if hadSize != (settings.width, settings.height) {
      converter = PictureConverter(width: settings.width, height: settings.height, fill: fill)
    }
  }

  /// One in hardware, unless it does not work by now: then x264.
  private static func encoder(
    _ settings: inout VideoEncoder.Settings, _ notice: (String) -> Void
  ) throws(AVFailure) -> VideoEncoder {
    guard settings.kind != .x264 else { return try VideoEncoder(settings) }
    let name = settings.kind.rawValue
    do {
      // Only its pictures tell its parameter sets, which go ahead of them.
      return try VideoEncoder(settings, parameterSets: EncoderProbe(settings).parameterSets)
    } catch {
      notice("\(name) is given up for libx264: \(error)")
      settings.kind = .x264
      return try VideoEncoder(settings)
    }
  }

  /// A picture that was converted before, in the size that is encoded now.
  package func fitted(_ picture: Picture) throws -> Picture {
    picture.width == settings.width && picture.height == settings.height
      ? picture : try converter.convert(picture)
  }

  /// - Parameters:
  ///   - picture: what ``converter`` made.
  ///   - slot: one that is taken, greater than the last one's.
  /// - Returns: The tags that came out.
  package func encode(
    _ picture: Picture, in slot: Int64, forcingKeyframe: Bool, shift: Int64
  ) throws -> [MediaTag] {
    guard let encoder else { preconditionFailure("arrange(for:) opens one") }
    let index = slot / Int64(plan.frameDivisor)
    let isDue = isKeyframeDue(slot)
    // x264 counts pictures: where some were left out it would be late.
    let isLate = keyframe != nil && isDue && framesSinceKeyframe < settings.keyframeInterval
    let isForced = forcingKeyframe || isLate
    if isForced || isDue { (keyframe, framesSinceKeyframe) = (index, 0) }
    framesSinceKeyframe += 1
    let packets = try encoder.encode(picture, at: index, forcingKeyframe: isForced)
    return try tags(packets, shift)
  }

  package func trace(_ trace: MediaTag.Trace, of slot: Int64) {
    traces[slot / Int64(plan.frameDivisor)] = trace
  }

  /// What the encoder still holds; the next frame is encoded by another one.
  package func finish(shift: Int64) throws -> [MediaTag] {
    guard let encoder else { return [] }
    self.encoder = nil
    keyframe = nil
    defer { traces = [:] }
    return try tags(try encoder.finish(), shift)
  }

  private func tags(_ packets: [Packet], _ shift: Int64) throws -> [MediaTag] {
    try packets.compactMap { packet in
      guard var tag = try muxer.tag(packet, shift: shift) else { return nil }
      // Also for those who come later: what is encoded with may change in the middle.
      tag.carryParameters()
      tag.trace = traces.removeValue(forKey: packet.pts)
      return tag
    }
  }
}
