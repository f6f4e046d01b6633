import BunnyMedia

/// Which of x264's own options a quality may set: those that trade effort, look and speed.
///
/// The others decide what a broadcast promises (bit rate, keyframes, colour, timing) or have a field
/// of their own. x264 itself passes over a name that it does not know, and over a value that it cannot
/// read, so both are checked here: the value by asking x264.
enum X264Options {
  static func check(_ settings: VideoEncoder.Settings) throws(QualityError) {
    let options = settings.x264.sorted { $0.key < $1.key }
    try checkNames(options)
    try checkLists(options)
    try ask(settings, options)
  }

  /// - Parameter options: of which x264 may be asked, in order.
  private static func ask(
    _ settings: VideoEncoder.Settings, _ options: [(key: String, value: String)]
  ) throws(QualityError) {
    guard !options.isEmpty, !settings.isTakenByX264 else { return }
    var alone = settings
    alone.x264 = [:]
    guard alone.isTakenByX264 else { return }  // not the options' fault: the start says what it is
    for (name, value) in options {
      alone.x264 = [name: value]
      guard alone.isTakenByX264 else { throw refused(name, value) }
    }
    let words = options.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    throw QualityError(
      field: "encoder.x264",
      problem: "is \(words), each of which x264 takes, but not together; leave one out")
  }

  private static func refused(_ name: String, _ value: String) -> QualityError {
    QualityError(
      field: "encoder.x264.\(name)",
      problem: "is \"\(value)\", which x264 does not take; `x264 --fullhelp` lists what it takes, "
        + "or leave it out")
  }

  /// What x264 makes something of whatever it says.
  private static func checkLists(
    _ options: [(key: String, value: String)]
  ) throws(QualityError) {
    for (name, value) in options {
      let parts = value.split(omittingEmptySubsequences: false) { ",|".contains($0) }
        .map(String.init)
      let isRight =
        switch name.replacing("_", with: "-") {
        case "psy-rd": parts.count <= 2 && parts.allSatisfy { Double($0)?.isFinite ?? false }
        case "deblock": parts.count <= 2 && parts.allSatisfy { Int($0) != nil } || isSwitch(value)
        case "partitions": parts.allSatisfy(partitions.contains)
        default: true
        }
      guard isRight else { throw refused(name, value) }
    }
  }

  private static func isSwitch(_ value: String) -> Bool {
    ["true", "yes", "false", "no"].contains(value)
  }

  private static let partitions: Set<String> = [
    "none", "all", "p8x8", "p4x4", "b8x8", "i8x8", "i4x4",
  ]

  private static func checkNames(
    _ options: [(key: String, value: String)]
  ) throws(QualityError) {
    for (name, value) in options {
      let field = "encoder.x264.\(name)"
      let meant = plain(name)
      if let instead = decided[meant] {
        throw QualityError(field: field, problem: "cannot be set: \(instead)")
      }
      guard settable.contains(meant) else {
        throw QualityError(
          field: field,
          problem: "is no option of x264's that can be set here"
            + didYouMean(meant, among: settable.sorted()))
      }
      // FFmpeg parts options by colons, and reads quotes and backslashes; x264 takes commas as well.
      guard !value.isEmpty, !value.contains(where: { ":'\\".contains($0) || $0.isWhitespace })
      else {
        throw QualityError(
          field: field,
          problem: "is \"\(value)\"; it takes x264's own value without spaces, quotes and colons "
            + "(write 1,1 for 1:1)")
      }
    }
  }

  /// As x264 reads a name: `_` is `-`, and a leading `no-` or `no` turns an option off.
  private static func plain(_ name: String) -> String {
    let name = String(name.map { $0 == "_" ? "-" : $0 })
    for prefix in ["no-", "no"] where name.hasPrefix(prefix) {
      let rest = String(name.dropFirst(prefix.count))
      if decided[rest] != nil || settable.contains(rest) { return rest }
    }
    return name
  }

  private static let settable: Set<String> = [
    "8x8dct", "aq-mode", "aq-strength", "asm", "aud", "b-adapt", "b-bias", "b-pyramid", "cabac",
    "chroma-me", "chroma-qp-offset", "constrained-intra", "cplxblur", "cpu-independent", "cqm",
    "dct-decimate", "deadzone-inter", "deadzone-intra", "deblock", "direct", "fast-pskip",
    "ipratio",
    "level", "lookahead-threads", "mbtree", "me", "merange", "mixed-refs", "mvrange",
    "mvrange-thread", "non-deterministic", "nr", "partitions", "pbratio", "psy", "psy-rd", "qblur",
    "qcomp", "qpmax", "qpmin", "qpstep", "ratetol", "slice-max-mbs", "slice-max-size",
    "slice-min-mbs", "slices", "slices-max", "subme", "trellis", "weightb", "weightp",
  ]

  private static let decided: [String: String] = {
    let reasons: [(String, [String])] = [
      (
        "the bit rate is videoBitrate over encoder.bufferSeconds",
        [
          "bitrate", "crf", "crf-max", "qp", "qp-constant", "vbv-maxrate", "vbv-bufsize",
          "vbv-init",
          "pass", "stats", "zones",
        ]
      ),
      (
        "a signalled HRD keeps the bit rate from changing while running; use encoder.filler",
        ["nal-hrd", "filler"]
      ),
      (
        "keyframes come by time; use encoder.keyframeSeconds",
        [
          "keyint", "keyint-min", "min-keyint", "scenecut", "open-gop", "intra-refresh",
          "bluray-compat", "stitchable",
        ]
      ),
      (
        "every broadcast is bt709, limited range, 4:2:0",
        [
          "fullrange", "range", "input-range", "colorprim", "transfer", "colormatrix", "chromaloc",
          "videoformat", "overscan", "alternative-transfer", "output-csp", "input-csp",
        ]
      ),
      (
        "pictures are progressive, with square pixels, at frameRate",
        [
          "fps", "timebase", "force-cfr", "vfr-input", "interlaced", "tff", "bff",
          "fake-interlaced", "pulldown", "pic-struct", "sar", "frame-packing",
        ]
      ),
      ("use encoder.bFrames", ["bframes", "b"]), ("use encoder.references", ["ref", "frameref"]),
      ("use encoder.threads", ["threads"]), ("use encoder.slicedThreads", ["sliced-threads"]),
      ("use encoder.lookahead", ["rc-lookahead", "sync-lookahead"]),
      ("use encoder.profile", ["profile"]), ("use encoder.preset", ["preset"]),
      ("use encoder.tune", ["tune"]),
      ("sequence headers go ahead of the stream", ["repeat-headers", "annexb", "global-header"]),
      (
        "it writes files or to the terminal",
        ["dump-yuv", "log", "log-file", "log-level", "qpfile"]
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: reasons.flatMap { reason, names in names.map { ($0, reason) } })
  }()
}
