package import BunnyMedia

/// Opens one encoder after the other, for one broadcast. Belongs to the video lane's thread.
package final class EncoderSupply {
  /// Of x264, once an encoder in hardware was given up.
  private(set) var quality: VideoEncoder.Settings
  private var isFirst = true
  private let orders: EncodingOrders
  private let notice: (String) -> Void
  /// Of encoders in hardware, by size and frame rate: only their pictures tell them, and they go ahead of these.
  private var parameterSets: [String: [UInt8]] = [:]

  /// - Parameter notice: is told when an encoder in hardware is given up.
  package init(
    _ quality: VideoEncoder.Settings, _ orders: EncodingOrders,
    _ notice: @escaping (String) -> Void
  ) {
    (self.quality, self.orders, self.notice) = (quality, orders, notice)
  }

  /// One in hardware, unless it does not work by now: then x264.
  ///
  /// - Parameter plan: says afterwards what x264 was ordered to instead.
  /// - Throws: ``AVFailure`` when x264 refuses the settings.
  package func next(
    _ plan: inout EncodingPlan
  ) throws(AVFailure) -> (encoder: VideoEncoder, settings: VideoEncoder.Settings) {
    let settings = settings(plan)
    defer { isFirst = false }
    guard settings.kind != .x264 else { return (try VideoEncoder(settings), settings) }
    do {
      return (try VideoEncoder(settings, parameterSets: probed(settings)), settings)
    } catch {
      giveUpHardware(error, for: &plan)
      let settings = self.settings(plan)
      return (try VideoEncoder(settings), settings)
    }
  }

  /// One that takes over in mid-broadcast, often as there is too little of something, does not begin with all that
  /// its buffer (VBV) may save up.
  private func settings(_ plan: EncodingPlan) -> VideoEncoder.Settings {
    var settings = plan.settings(quality)
    if !isFirst, settings.kind == .x264 { settings.x264["vbv-init"] = "0.5" }
    return settings
  }

  /// From now on it is x264, with the effort and the threads that were ordered for that. The frame rate and the size
  /// stay: the picture at hand is of these.
  package func giveUpHardware(_ error: any Error, for plan: inout EncodingPlan) {
    notice("\(quality.kind.rawValue) is given up for libx264: \(error)")
    quality.kind = .x264
    orders.giveUpHardware()
    let ordered = orders.current.plan
    (plan.effort, plan.threads) = (ordered.effort, ordered.threads)
  }

  /// Looked for once, at the quality's own bit rate: noise does not fit a low one.
  private func probed(_ settings: VideoEncoder.Settings) throws -> [UInt8] {
    let form = "\(settings.width)x\(settings.height) \(settings.frameRate)"
    if let known = parameterSets[form] { return known }
    var settings = settings
    settings.bitrate = quality.bitrate
    let found = try EncoderProbe(settings).parameterSets
    parameterSets[form] = found
    return found
  }
}
