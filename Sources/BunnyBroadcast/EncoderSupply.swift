import BunnyMedia

/// Opens one encoder after the other, for one broadcast. Belongs to the video lane's thread.
final class EncoderSupply {
  private let bitrate: Int
  private let notice: (String) -> Void
  /// Of encoders in hardware, by size and frame rate: only their pictures tell them, and they go ahead of these.
  private var parameterSets: [String: [UInt8]] = [:]

  /// - Parameter notice: is told when an encoder in hardware is given up.
  init(_ quality: VideoEncoder.Settings, _ notice: @escaping (String) -> Void) {
    (bitrate, self.notice) = (quality.bitrate, notice)
  }

  /// One in hardware, unless it does not work by now: then x264, as `settings` say afterwards.
  ///
  /// - Throws: ``AVFailure`` when x264 refuses the settings.
  func next(_ settings: inout VideoEncoder.Settings) throws(AVFailure) -> VideoEncoder {
    guard settings.kind != .x264 else { return try VideoEncoder(settings) }
    do {
      return try VideoEncoder(settings, parameterSets: probed(settings))
    } catch {
      notice("\(settings.kind.rawValue) is given up for libx264: \(error)")
      settings.kind = .x264
      return try VideoEncoder(settings)
    }
  }

  /// Looked for once, at the quality's own bit rate: noise does not fit a low one.
  private func probed(_ settings: VideoEncoder.Settings) throws -> [UInt8] {
    let form = "\(settings.width)x\(settings.height) \(settings.frameRate)"
    if let known = parameterSets[form] { return known }
    var settings = settings
    settings.bitrate = bitrate
    let found = try EncoderProbe(settings).parameterSets
    parameterSets[form] = found
    return found
  }
}
