import BunnyBroadcast
import Testing

struct QualityValidationTests {
  typealias Change = @Sendable (inout BroadcastQuality) -> Void

  struct Case: Sendable, CustomStringConvertible {
    let name: String
    let change: Change
    var description: String { name }

    init(_ name: String, _ change: @escaping Change) {
      self.name = name
      self.change = change
    }
  }

  private func problem(_ change: Change) -> String? {
    var quality = BroadcastQuality.hd720
    change(&quality)
    do throws(QualityError) {
      try quality.validate()
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `the built-in qualities are valid, either way round`() throws {
    for (_, quality) in BroadcastQuality.presets {
      try quality.validate()
      try quality.oriented(.portrait).validate()
    }
  }

  static let wrong: [Case] = [
    Case(
      "encoder.keyframeSeconds is 0.5, less than one picture at frameRate 1.5; it takes at least "
        + "0.667"
    ) {
      $0.frameRate = 1.5
      $0.encoder.keyframeSeconds = 0.5
    },
    Case("resolution.width is 17; it takes an even number from 64 to 4096 (pixels)") {
      $0.resolution = .custom(width: 17, height: 9)
    },
    Case("resolution.height is 4098; it takes an even number from 64 to 4096 (pixels)") {
      $0.resolution = .custom(width: 64, height: 4098)
    },
    Case("resolution.height is 721; it takes an even number from 64 to 4096 (pixels)") {
      $0.resolution = .custom(width: 1280, height: 721)
    },
    Case("frameRate is 0; it takes 1 to 120 (frames a second)") { $0.frameRate = 0 },
    Case("frameRate is 120.5; it takes 1 to 120 (frames a second)") { $0.frameRate = 120.5 },
    Case("frameRate is nan; it takes 1 to 120 (frames a second)") { $0.frameRate = .nan },
    Case("videoBitrate is 900000000; it takes 50000 to 50000000 (bit/s)") {
      $0.videoBitrate = 900_000_000
    },
    Case("videoBitrate is 49999; it takes 50000 to 50000000 (bit/s)") { $0.videoBitrate = 49_999 },
    Case("audioBitrate is 31999; it takes 32000 to 320000 (bit/s)") { $0.audioBitrate = 31_999 },
    Case("audioBitrate is 320001; it takes 32000 to 320000 (bit/s)") { $0.audioBitrate = 320_001 },
    Case("encoder.keyframeSeconds is 60; it takes 0.5 to 10 (seconds)") {
      $0.encoder.keyframeSeconds = 60
    },
    Case("encoder.keyframeSeconds is 0.49; it takes 0.5 to 10 (seconds)") {
      $0.encoder.keyframeSeconds = 0.49
    },
    Case("encoder.lookahead is 61; it takes 0 to 60 (pictures)") { $0.encoder.lookahead = 61 },
    Case("encoder.bFrames is -1; it takes 0 to 4 (pictures)") { $0.encoder.bFrames = -1 },
    Case("encoder.references is 0; it takes 1 to 16 (pictures)") { $0.encoder.references = 0 },
    Case("encoder.threads is 65; it takes 0 to 64 (0 fits them to the picture and the cores)") {
      $0.encoder.threads = 65
    },
    Case("encoder.bufferSeconds is 0.1; it takes 0.2 to 10 (seconds)") {
      $0.encoder.bufferSeconds = 0.1
    },
    Case(
      "encoder.preset is \"veryfats\"; it takes ultrafast, superfast, veryfast, faster, fast, "
        + "medium, slow, slower, veryslow, placebo; did you mean veryfast?"
    ) { $0.encoder.preset = "veryfats" },
    Case(
      "encoder.tune is \"x\"; it takes film, animation, grain, stillimage, psnr, ssim, fastdecode, "
        + "zerolatency"
    ) { $0.encoder.tune = "x" },
    Case("encoder.profile is \"high10\"; it takes baseline, main, high") {
      $0.encoder.profile = "high10"
    },
    Case("encoder.aacCoder is \"anmr\"; it takes twoloop, fast") { $0.encoder.aacCoder = "anmr" },
    Case(
      "encoder.bFrames is 2, and H.264's baseline profile has no B-frames; it takes 0, or profile "
        + "main or high"
    ) {
      $0.encoder.profile = "baseline"
      $0.encoder.bFrames = 2
    },
    Case(
      "encoder.keyframeSeconds is 10, which at videoBitrate 50000000 and encoder.bufferSeconds 1 "
        + "makes up to 68 MB from one keyframe to the next; an ingest that fails is made up for from "
        + "16 MB, so lower one of the three"
    ) {
      $0.videoBitrate = 50_000_000
      $0.encoder.keyframeSeconds = 10
    },
    Case("encoder.x264.keyint cannot be set: keyframes come by time; use encoder.keyframeSeconds") {
      $0.encoder.x264 = ["keyint": "250"]
    },
    Case("encoder.x264.subm is no option of x264's that can be set here; did you mean subme?") {
      $0.encoder.x264 = ["subm": "4"]
    },
    Case(
      "encoder.x264.deblock is \"1:1\"; it takes x264's own value without spaces, quotes and colons "
        + "(write 1,1 for 1:1)"
    ) { $0.encoder.x264 = ["deblock": "1:1"] },
  ]

  static let refused: [(String, String)] = [
    ("me", "banana"), ("subme", "x"), ("no-mbtree", "x"), ("psy-rd", "x"), ("psy_rd", "1,x"),
    ("deblock", "1,x"), ("partitions", "p8x8,q"), ("level", "banana"), ("cqm", "/no/such/file"),
    ("aq-strength", "1.0x"),
  ]

  @Test(arguments: refused)
  func `a value that x264 does not take is named`(_ name: String, _ value: String) {
    #expect(
      problem { $0.encoder.x264 = ["aq-mode": "2", "trellis": "1", name: value] }
        == "encoder.x264.\(name) is \"\(value)\", which x264 does not take; `x264 --fullhelp` lists "
        + "what it takes, or leave it out")
  }

  @Test(arguments: wrong)
  func `a value out of range is named with its range`(_ value: Case) {
    #expect(problem(value.change) == value.name)
  }

  static let ends: [Case] = [
    Case("0") { $0.resolution = .custom(width: 64, height: 4096) },
    Case("1") { $0.frameRate = 1 },
    Case("2") { $0.frameRate = 29.97 },
    Case("3") { $0.frameRate = 120 },
    Case("4") { $0.videoBitrate = 50_000 },
    Case("5") {
      $0.videoBitrate = 50_000_000
      $0.encoder.keyframeSeconds = 1.5
    },
    Case("6") { $0.audioBitrate = 32_000 },
    Case("7") { $0.audioBitrate = 320_000 },
    Case("9") { $0.encoder.keyframeSeconds = 10 },
    Case("10") { $0.encoder.lookahead = 0 },
    Case("11") { $0.encoder.lookahead = 60 },
    Case("12") { $0.encoder.bFrames = 4 },
    Case("13") { $0.encoder.references = 16 },
    Case("14") { $0.encoder.threads = 64 },
    Case("15") { $0.encoder.bufferSeconds = 0.2 },
    Case("16") { $0.encoder.bufferSeconds = 10 },
    Case("17") { $0.encoder.tune = "zerolatency" },
    Case("18") { $0.encoder.profile = "baseline" },
    Case("19") { $0.encoder.aacCoder = "twoloop" },
    Case("20") { $0.encoder.x264 = ["subme": "4", "no-mbtree": "1", "psy_rd": "1.0,0.15"] },
    Case("21") {
      $0.encoder.x264 = [
        "me": "umh", "deblock": "-1,1", "partitions": "p8x8,i4x4", "level": "4.1", "no-cabac": "1",
      ]
    },
  ]

  @Test(arguments: ends)
  func `the ends of each range are taken`(_ value: Case) {
    #expect(problem(value.change) == nil, "number \(value.name)")
  }

  @Test(arguments: [
    "nal-hrd", "nal_hrd", "bitrate", "vbv-maxrate", "vbv-bufsize", "crf", "qp", "keyint",
    "min-keyint", "scenecut", "no-scenecut", "open-gop", "intra-refresh", "fullrange", "colorprim",
    "transfer", "colormatrix", "chromaloc", "interlaced", "fps", "bframes", "ref", "threads",
    "sliced-threads", "rc-lookahead", "filler", "stats", "dump-yuv", "keyint=9:bitrate", "",
  ])
  func `what a broadcast promises cannot be undone by x264's own options`(_ name: String) {
    #expect(problem { $0.encoder.x264 = [name: "1"] } != nil)
  }

  @Test(arguments: ["1:keyint=9", "", "a'b", "a\\b", "1 2"])
  func `no value can smuggle in another option`(_ value: String) {
    #expect(problem { $0.encoder.x264 = ["subme": value] } != nil)
  }

  @Test func `portrait turns what is wider than tall, and nothing else`() {
    let turned = BroadcastQuality.hd720.oriented(.portrait)
    #expect(turned.resolution == .custom(width: 720, height: 1280))
    #expect(turned.oriented(.portrait) == turned)
    #expect(BroadcastQuality.hd720.oriented(.landscape) == .hd720)
  }
}
