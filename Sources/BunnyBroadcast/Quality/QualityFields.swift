// Which key of a quality file is which value: read, and written.

extension BroadcastQuality {
  init(_ fields: inout JSONFields) throws(QualityError) {
    var size = try fields.fields("resolution", isOptional: false)
    let resolution = Resolution(
      width: try size.integer("width"), height: try size.integer("height"))
    try size.finish()
    self.init(
      resolution: resolution, frameRate: try fields.number("frameRate"),
      videoBitrate: try fields.integer("videoBitrate"),
      audioBitrate: try fields.integer("audioBitrate", or: 128_000))
    var tuning = try fields.fields("encoder", isOptional: true)
    encoder = try EncoderTuning(&tuning)
    try tuning.finish()
  }
}

extension BroadcastQuality.Resolution {
  /// The named one of that size, if there is one, so that a file equals what it describes.
  init(width: Int, height: Int) {
    let named = [Self.sd480, .hd720, .fullHd1080].first {
      $0.width == width && $0.height == height
    }
    self = named ?? .custom(width: width, height: height)
  }
}

extension EncoderTuning {
  fileprivate init(_ fields: inout JSONFields) throws(QualityError) {
    self.init()
    preset = try fields.text("preset", orNull: preset)
    tune = try fields.text("tune", orNull: tune)
    profile = try fields.text("profile", or: profile)
    keyframeSeconds = try fields.number("keyframeSeconds", or: keyframeSeconds)
    lookahead = try fields.integer("lookahead", or: lookahead)
    bFrames = try fields.integer("bFrames", or: bFrames)
    references = try fields.integer("references", orNull: references)
    threads = try fields.integer("threads", or: threads)
    slicedThreads = try fields.flag("slicedThreads", or: slicedThreads)
    bufferSeconds = try fields.number("bufferSeconds", or: bufferSeconds)
    filler = try fields.flag("filler", or: filler)
    aacCoder = try fields.text("aacCoder", or: aacCoder)
    var options = try fields.fields("x264", isOptional: true)
    x264 = try options.remainingTexts()
  }
}

extension QualityFile {
  /// As `presets/*.json` hold it: every key written out.
  package var json: JSONValue {
    .object([
      .init("name", name.map(JSONValue.string) ?? .null),
      .init("resolution", quality.resolution.json),
      .init("frameRate", .number(quality.frameRate)),
      .init("videoBitrate", .integer(quality.videoBitrate)),
      .init("audioBitrate", .integer(quality.audioBitrate)),
      .init("encoder", quality.encoder.json),
    ])
  }
}

extension BroadcastQuality.Resolution {
  fileprivate var json: JSONValue {
    .object([.init("width", .integer(width)), .init("height", .integer(height))])
  }
}

extension EncoderTuning {
  fileprivate var json: JSONValue {
    .object([
      .init("preset", preset.map(JSONValue.string) ?? .null),
      .init("tune", tune.map(JSONValue.string) ?? .null),
      .init("profile", .string(profile)),
      .init("keyframeSeconds", .number(keyframeSeconds)),
      .init("lookahead", .integer(lookahead)),
      .init("bFrames", .integer(bFrames)),
      .init("references", references.map { .integer($0) } ?? .null),
      .init("threads", .integer(threads)),
      .init("slicedThreads", .bool(slicedThreads)),
      .init("bufferSeconds", .number(bufferSeconds)),
      .init("filler", .bool(filler)),
      .init("aacCoder", .string(aacCoder)),
      .init(
        "x264", .object(x264.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
    ])
  }
}
