import BunnyBroadcast

/// What `presets` prints.
package enum PresetList {
  package static var text: String {
    let rows = BroadcastQuality.presets.map { name, quality in
      let size = "\(quality.resolution.width)x\(quality.resolution.height)"
      return padded(name, 16) + padded(size, 12)
        + padded("\(fixed(quality.frameRate, 0)) fps", 9)
        + padded(Wording.bitrate(Double(quality.videoBitrate)), 14)
        + Wording.bitrate(Double(quality.audioBitrate))
        + (quality == .default ? "  (the default)" : "")
    }
    let head =
      padded("name", 16) + padded("size", 12) + padded("rate", 9) + padded("video", 14) + "audio"
    return ([head] + rows).map { $0 + "\n" }.joined()
  }

  /// An array of them, in the format of quality files.
  package static var json: String {
    let files = BroadcastQuality.presets.map {
      QualityFile(name: $0.name, quality: $0.quality).json
    }
    return JSONValue.array(files).page() + "\n"
  }
}
