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

  private let quality: VideoEncoder.Settings
  private let fill: PictureFit.Fill
  private let orders: EncodingOrders
  private var encoder: VideoEncoder?
  private var settings: VideoEncoder.Settings
  private var plan: EncodingPlan
  private var muxer: TagMuxer
  private var framesSinceKeyframe = 0
  private var traces: [Int64: MediaTag.Trace] = [:]

  /// - Throws: ``AVFailure`` when x264 refuses the settings.
  package init(
    _ quality: VideoEncoder.Settings, fill: PictureFit.Fill, orders: EncodingOrders
  ) throws(AVFailure) {
    (self.quality, self.fill, self.orders) = (quality, fill, orders)
    plan = orders.current.plan
    settings = plan.settings(quality)
    let encoder = try VideoEncoder(settings)
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
    if let encoder, wanted.differsOnlyInBitrate(from: plan) {
      if wanted.bitrate != plan.bitrate { encoder.setBitrate(wanted.bitrate) }
      plan = wanted
      return []
    }
    let isDue = forcingKeyframe || isUrgent || framesSinceKeyframe >= settings.keyframeInterval
    guard slot.isMultiple(of: Int64(wanted.frameDivisor)), isDue || encoder == nil else {
      return []
    }
    let rest = try finish(shift: shift)
    try open(wanted)
    orders.obeyed()
    return rest
  }

  private func open(_ wanted: EncodingPlan) throws {
    let hadSize = (settings.width, settings.height)
    plan = wanted
    settings = wanted.settings(quality)
    let encoder = try VideoEncoder(settings)
    let muxer = try TagMuxer(encoder.parameters)
    (self.encoder, self.muxer) = (encoder, muxer)
    if hadSize != (settings.width, settings.height) {
      converter = PictureConverter(width: settings.width, height: settings.height, fill: fill)
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
    if forcingKeyframe || framesSinceKeyframe >= settings.keyframeInterval {
      framesSinceKeyframe = 0
    }
    framesSinceKeyframe += 1
    let packets = try encoder.encode(
      picture, at: slot / Int64(plan.frameDivisor), forcingKeyframe: forcingKeyframe)
    return try tags(packets, shift)
  }

  package func trace(_ trace: MediaTag.Trace, of slot: Int64) {
    traces[slot / Int64(plan.frameDivisor)] = trace
  }

  /// What the encoder still holds; the next frame is encoded by another one.
  package func finish(shift: Int64) throws -> [MediaTag] {
    guard let encoder else { return [] }
    self.encoder = nil
    framesSinceKeyframe = 0
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
