import BunnyBroadcast
import Foundation
import Support
import Testing

struct QualityFileTests {
  private static let small =
    #""resolution":{"width":640,"height":360},"frameRate":25,"videoBitrate":800000"#

  private func read(_ json: String) throws(QualityFileError) -> QualityFile {
    try QualityFile(json: Array(json.utf8), path: "q.json")
  }

  private func refusal(_ json: String) -> String? {
    do throws(QualityFileError) {
      _ = try read(json)
      return nil
    } catch {
      return error.description
    }
  }

  private static var presets: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path + "/presets/"
  }

  @Test(arguments: BroadcastQuality.presets.map(\.name))
  func `a preset's file holds the built-in's values, all of them written out`(
    _ name: String
  ) throws {
    let builtIn = try #require(BroadcastQuality.presets.first { $0.name == name })
    let path = Self.presets + name + ".json"
    let file = try QualityFile(path: path)
    #expect(file.name == name)
    #expect(file.quality == builtIn.quality)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == file.json.page() + "\n")
  }

  @Test func `there is a file for each built-in, and the README explains every key`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.presets)
    let names = BroadcastQuality.presets.map { $0.name + ".json" }
    #expect(files.sorted() == (names + ["README.md"]).sorted())
    let readme = try String(contentsOfFile: Self.presets + "README.md", encoding: .utf8)
    guard case .object(let members) = QualityFile(name: nil, quality: .default).json,
      case .object(let encoder)? = members.first(where: { $0.key == "encoder" })?.value
    else { throw QualityFileError.missing("keys") }
    for key in (members + encoder).map(\.key) {
      #expect(readme.contains("`\(key)") || readme.contains("## `\(key)`"), "\(key)")
    }
  }

  @Test func `what is left out has its default`() throws {
    let expected = BroadcastQuality(
      resolution: .custom(width: 640, height: 360), frameRate: 25, videoBitrate: 800_000)
    #expect(try read("{\(Self.small)}") == QualityFile(name: nil, quality: expected))
    #expect(try read("{\(Self.small),\"encoder\":{}}").quality == expected)
  }

  @Test func `every encoder key is read`() throws {
    let json = """
      {"name":"mine",\(Self.small),"audioBitrate":96000,"encoder":{"preset":"fast","tune":"film",
      "profile":"main","keyframeSeconds":1.5,"lookahead":20,"bFrames":2,"references":3,"threads":4,
      "slicedThreads":true,"bufferSeconds":0.5,"filler":true,"aacCoder":"twoloop",
      "x264":{"subme":4,"aq-strength":0.8,"deblock":"1,1"}}}
      """
    var expected = BroadcastQuality(
      resolution: .custom(width: 640, height: 360), frameRate: 25, videoBitrate: 800_000,
      audioBitrate: 96_000)
    expected.encoder.preset = "fast"
    expected.encoder.tune = "film"
    expected.encoder.profile = "main"
    expected.encoder.keyframeSeconds = 1.5
    expected.encoder.lookahead = 20
    expected.encoder.bFrames = 2
    expected.encoder.references = 3
    expected.encoder.threads = 4
    expected.encoder.slicedThreads = true
    expected.encoder.bufferSeconds = 0.5
    expected.encoder.filler = true
    expected.encoder.aacCoder = "twoloop"
    expected.encoder.x264 = ["subme": "4", "aq-strength": "0.8", "deblock": "1,1"]
    let file = try read(json)
    #expect(file == QualityFile(name: "mine", quality: expected))
    #expect(try read(file.json.line) == file)
  }

  @Test(arguments: [
    ("[]", "q.json: the file is []; it takes an object"),
    ("{}", "q.json: resolution is missing; it takes an object"),
    (
      #"{"resolution":{"width":640},"frameRate":25,"videoBitrate":1}"#,
      "q.json: resolution.height is missing; it takes a whole number"
    ),
    (
      #"{"resolution":"hd720","frameRate":25,"videoBitrate":1}"#,
      #"q.json: resolution is "hd720"; it takes an object"#
    ),
    ("{\(small),\"framerate\":25}", "q.json: framerate is unknown; did you mean frameRate?"),
    ("{\(small),\"colour\":1}", "q.json: colour is unknown"),
    (
      "{\(small),\"encoder\":{\"lookahed\":1}}",
      "q.json: encoder.lookahed is unknown; did you mean lookahead?"
    ),
    (
      "{\(small),\"encoder\":{\"lookahead\":\"ten\"}}",
      "q.json: encoder.lookahead is \"ten\"; it takes a whole number"
    ),
    (
      "{\(small),\"encoder\":{\"lookahead\":1.5}}",
      "q.json: encoder.lookahead is 1.5; it takes a whole number"
    ),
    (
      "{\(small),\"encoder\":{\"filler\":1}}",
      "q.json: encoder.filler is 1; it takes true or false"
    ),
    (
      "{\(small),\"encoder\":{\"references\":true}}",
      "q.json: encoder.references is true; it takes a whole number or null"
    ),
    (
      "{\(small),\"encoder\":{\"tune\":[]}}",
      "q.json: encoder.tune is []; it takes a string or null"
    ),
    (
      "{\(small),\"encoder\":{\"profile\":null}}",
      "q.json: encoder.profile is null; it takes a string"
    ),
    (
      "{\(small),\"encoder\":{\"x264\":{\"subme\":null}}}",
      "q.json: encoder.x264.subme is null; it takes a string or a number"
    ),
    (
      "{\(small),\"audioBitrate\":1}", "q.json: audioBitrate is 1; it takes 32000 to 320000 (bit/s)"
    ),
    (
      "{\(small),\"encoder\":{\"x264\":{\"bitrate\":9}}}",
      "q.json: encoder.x264.bitrate cannot be set: the bit rate is videoBitrate over "
        + "encoder.bufferSeconds"
    ),
  ])
  func `a mistake is told with the file, the key and what it takes`(
    _ json: String, _ sentence: String
  ) {
    #expect(refusal(json) == sentence)
  }

  @Test(arguments: [
    ("", "it ends where a value should be (line 1, column 1)"),
    ("{", "it ends where a key in quotes, or } should be (line 1, column 2)"),
    ("{\"name\": }", "} stands where a value should be (line 1, column 10)"),
    ("{\"a\":1,}", "} stands where a key in quotes should be (line 1, column 8)"),
    ("[1,]", "] stands where a value should be (line 1, column 4)"),
    ("{\n  \"a\": 1\n  \"b\": 2\n}", "\" stands where , or } should be (line 3, column 3)"),
    ("{\"a\" 1}", "1 stands where : after the key \"a\" should be (line 1, column 6)"),
    ("{\"a\":1,\"a\":2}", "\"a\" is there twice (line 1, column 11)"),
    ("{} x", "x stands where nothing more should be (line 1, column 4)"),
    ("tru", "t stands where true should be (line 1, column 1)"),
    ("nonsense", "n stands where null should be (line 1, column 1)"),
    ("\u{0}", "byte 0 stands where a value should be (line 1, column 1)"),
    ("01", "0 stands where a number should be (line 1, column 1)"),
    ("1.", "1 stands where a number should be (line 1, column 1)"),
    ("-", "- stands where a number should be (line 1, column 1)"),
    ("1e999", "1 stands where a number should be (line 1, column 1)"),
    ("\"a", "it ends where \" at the string's end should be (line 1, column 3)"),
    ("\"a\nb\"", "byte 10 stands where \" at the string's end should be (line 1, column 3)"),
    ("\"\\x\"", "\\x is no escape (line 1, column 4)"),
    ("\"\\u12\"", "1 stands where four hexadecimal digits should be (line 1, column 4)"),
    ("\"\\ud800\"", "half a surrogate pair (line 1, column 8)"),
    (
      String(repeating: "[", count: 40),
      "[ stands where no more than 32 levels should be (line 1, column 33)"
    ),
  ])
  func `what is no JSON is told so, with the place`(_ json: String, _ reason: String) {
    #expect(
      refusal(json)
        == "the quality file q.json is not JSON: \(reason); "
        + "`bunny-broadcast presets --json` shows how one is written")
  }

  @Test func `strings may hold escapes, and are written with them`() throws {
    let file = try read(#"{"name":"\u00fc\ud83d\ude00\"\\\/\b\f\n\r\t",\#(Self.small)}"#)
    #expect(file.name == "ü😀\"\\/\u{8}\u{C}\n\r\t")
    #expect(try read(file.json.line) == file)
  }

  @Test func `names are taken in any case, and the nearest is suggested`() throws {
    #expect(try BroadcastQuality(named: "FULLHD1080P60") == .fullHd1080p60)
    #expect(throws: QualityFileError.unknownName("hd1080")) {
      try BroadcastQuality(named: "hd1080")
    }
    #expect(
      QualityFileError.unknownName("hd702").description
        == "hd702 is no quality; it takes sd480, hd720, fullHd1080, fullHd1080p60 or the path of a "
        + ".json file; did you mean hd720?")
  }

  @Test func `a path is read, or said to be missing or unreadable`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("q.json")
    try Data("{\(Self.small)}".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try BroadcastQuality(named: path).frameRate == 25)
    let missing = directory.file("r.json")
    #expect(throws: QualityFileError.missing(missing)) { try BroadcastQuality(named: missing) }
    #expect(throws: QualityFileError.unreadable(path: directory.path, reason: "Is a directory")) {
      try BroadcastQuality(named: directory.path)
    }
  }
}

struct QualitySpellingTests {
  @Test(
    arguments: [
      ("--qualty", "--quality"), ("--vidoe", "--video"), ("--MUTE", "--mute"), ("--x", nil),
      ("", nil), ("--retrys", "--retry"),
    ] as [(String, String?)])
  func `the nearest word is meant, if it is near`(_ word: String, _ expected: String?) {
    let candidates = ["--quality", "--video", "--mute", "--retry"]
    #expect(nearestWord(to: word, among: candidates) == expected)
  }
}
