/// A value of a quality that cannot be broadcast.
public struct QualityError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it stands in a quality file: `encoder.keyframeSeconds`.
  public let field: String
  /// What is wrong with it, with its value and what it may be.
  public let problem: String

  public var description: String { "\(field) \(problem)" }
}

extension BroadcastQuality {
  /// Checks every value against its range. ``EncoderTuning/x264``, where it says something, is tried on an
  /// encoder, which takes some milliseconds.
  ///
  /// - Throws: ``QualityError`` for the first that is out of it.
  public func validate() throws(QualityError) {
    try Self.check("resolution.width", side: resolution.width)
    try Self.check("resolution.height", side: resolution.height)
    try Self.check("frameRate", frameRate, 1...120, "frames a second")
    try Self.check("videoBitrate", videoBitrate, 50_000...50_000_000, "bit/s")
    try Self.check("audioBitrate", audioBitrate, 32_000...320_000, "bit/s")
    try encoder.validate(frameRate: frameRate)
    try X264Options.check(videoSettings)
    try validateOutbox()
  }

  /// A replay begins with a keyframe: one GOP has to fit what is kept for an ingest that fails.
  private func validateOutbox() throws(QualityError) {
    // A rate over a buffer lets through what the buffer holds, on top of the rate.
    let video = Double(videoBitrate) * (encoder.keyframeSeconds + encoder.bufferSeconds)
    let gop = (video + Double(audioBitrate) * encoder.keyframeSeconds) / 8
    let kept = TagLog.Bound().bytes
    guard gop > Double(kept) else { return }
    throw QualityError(
      field: "encoder.keyframeSeconds",
      problem: "is \(JSONValue.shown(encoder.keyframeSeconds)), which at videoBitrate "
        + "\(videoBitrate) and encoder.bufferSeconds \(JSONValue.shown(encoder.bufferSeconds)) "
        + "makes up to \(Int(gop / 1e6)) MB from one keyframe to the next; an ingest that fails is "
        + "made up for from \(kept / 1_000_000) MB, so lower one of the three")
  }

  private static func check(_ field: String, side: Int) throws(QualityError) {
    guard (64...4096).contains(side), side.isMultiple(of: 2) else {
      throw QualityError(
        field: field, problem: "is \(side); it takes an even number from 64 to 4096 (pixels)")
    }
  }

  fileprivate static func check(
    _ field: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
  ) throws(QualityError) {
    guard range.contains(value) else {
      throw outOfRange(
        field, shown(value), "\(shown(range.lowerBound)) to \(shown(range.upperBound))", unit)
    }
  }

  fileprivate static func check(
    _ field: String, _ value: Int, _ range: ClosedRange<Int>, _ unit: String
  ) throws(QualityError) {
    guard range.contains(value) else {
      throw outOfRange(field, "\(value)", "\(range.lowerBound) to \(range.upperBound)", unit)
    }
  }

  private static func outOfRange(
    _ field: String, _ value: String, _ range: String, _ unit: String
  ) -> QualityError {
    QualityError(field: field, problem: "is \(value); it takes \(range) (\(unit))")
  }

  private static func shown(_ value: Double) -> String {
    value.isFinite ? JSONValue.shown(value) : "\(value)"
  }
}

extension EncoderTuning {
  static let presetNames = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    "placebo",
  ]
  static let tuneNames = [
    "film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency",
  ]
  static let profileNames = ["baseline", "main", "high"]
  static let aacCoderNames = ["twoloop", "fast"]

  fileprivate func validate(frameRate: Double) throws(QualityError) {
    if let preset { try Self.check("preset", preset, Self.presetNames) }
    if let tune { try Self.check("tune", tune, Self.tuneNames) }
    try Self.check("profile", profile, Self.profileNames)
    try Self.check("aacCoder", aacCoder, Self.aacCoderNames)
    try BroadcastQuality.check("encoder.keyframeSeconds", keyframeSeconds, 0.5...10, "seconds")
    try BroadcastQuality.check("encoder.lookahead", lookahead, 0...60, "pictures")
    try BroadcastQuality.check("encoder.bFrames", bFrames, 0...4, "pictures")
    if let references {
      try BroadcastQuality.check("encoder.references", references, 1...16, "pictures")
    }
    try BroadcastQuality.check(
      "encoder.threads", threads, 0...64, "0 fits them to the picture and the cores")
    try BroadcastQuality.check("encoder.bufferSeconds", bufferSeconds, 0.2...10, "seconds")
    try validateTogether(frameRate: frameRate)
  }

  /// What is fine alone and not in company.
  private func validateTogether(frameRate: Double) throws(QualityError) {
    guard frameRate * keyframeSeconds >= 1 else {
      let shortest = (1000 / frameRate).rounded(.up) / 1000
      throw QualityError(
        field: "encoder.keyframeSeconds",
        problem: "is \(JSONValue.shown(keyframeSeconds)), less than one picture at frameRate "
          + "\(JSONValue.shown(frameRate)); it takes at least \(JSONValue.shown(shortest))")
    }
    guard profile != "baseline" || bFrames == 0 else {
      throw QualityError(
        field: "encoder.bFrames",
        problem: "is \(bFrames), and H.264's baseline profile has no B-frames; it takes 0, "
          + "or profile main or high")
    }
  }

  private static func check(
    _ field: String, _ value: String, _ names: [String]
  ) throws(QualityError) {
    guard !names.contains(value) else { return }
    throw QualityError(
      field: "encoder.\(field)",
      problem: "is \"\(value)\"; it takes \(names.joined(separator: ", "))"
        + didYouMean(value, among: names))
  }
}
