import Foundation
import Support
import Testing

/// The real process and what it is given: 64, 65, 66.
struct InputExitTests {
  private let small: SmallPublish
  private let folder: TemporaryDirectory
  // Nobody listens there: whatever is wrong with an input is found before anybody is called.
  private let url = "rtmp://127.0.0.1:9/live/\(Refusal.secret)"

  init() throws {
    small = try SmallPublish()
    folder = small.folder
  }

  private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let path = folder.file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `64: a mistyped option is told the nearest one`() async throws {
    #expect(
      try await Refusal(small.arguments(to: url, "--log-levle", "debug"))
        == Refusal(64, "--log-levle is no option of publish; did you mean --log-level?"))
    #expect(
      try await Refusal(["pubish", "--to", url])
        == Refusal(64, "pubish is no subcommand; did you mean publish?"))
  }

  @Test(arguments: [
    (
      #""width":1280,"height":720},"frameRate":0,"videoBitrate":2500000"#,
      "frameRate is 0; it takes 1 to 120 (frames a second)"
    ),
    (
      #""width":17,"height":9},"frameRate":30,"videoBitrate":2500000"#,
      "resolution.width is 17; it takes an even number from 64 to 4096 (pixels)"
    ),
    (
      #""width":1280,"height":720},"frameRate":30,"videoBitrate":900000000"#,
      "videoBitrate is 900000000; it takes 50000 to 50000000 (bit/s)"
    ),
    (
      #""width":1280,"height":720},"frameRate":30,"videoBitrate":2500000,"#
        + #""encoder":{"keyframeSeconds":60}"#,
      "encoder.keyframeSeconds is 60; it takes 0.5 to 10 (seconds)"
    ),
    (
      #""width":1280,"height":720},"frameRate":30,"videoBitrate":2500000,"#
        + #""encoder":{"x264":{"aq-mode":2,"me":"banana"}}"#,
      "encoder.x264.me is \"banana\", which x264 does not take; `x264 --fullhelp` lists what it "
        + "takes, or leave it out"
    ),
  ])
  func `64: a quality that cannot be is told its field and range`(
    _ values: String, _ sentence: String
  ) async throws {
    let path = try write("quality.json", #"{"resolution":{\#(values)}"#.utf8)
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "test", "--quality", path])
        == Refusal(64, "--quality: \(path): \(sentence)"))
  }

  @Test func `64: a format that libavdevice does not have`() async throws {
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "av:nosuch:x"])
        == Refusal(
          64,
          "av:nosuch is no format of this machine's libavdevice; `ffmpeg -devices` lists them"))
  }

  @Test func `65: a text is no picture, whatever its name`() async throws {
    let path = try write("text.mp4", "This is no film.\n".utf8)
    let expected = Refusal(
      65,
      "\(path) holds no media that can be played: Invalid data found when processing input; "
        + "try `ffprobe` on it")
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "file:\(path)"]) == expected)
    let inspection = try await Refusal(["inspect", path])
    #expect(inspection.status == 65)
    #expect(inspection.sentence.hasPrefix("\(path) is no media: "))
  }

  @Test func `65: a sound is no picture`() async throws {
    let path = try write("sound.wav", Self.silentWAV)
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "file:\(path)"])
        == Refusal(
          65,
          "\(path) holds no media that can be played: it has no picture; try `ffprobe` on it"))
  }

  /// A tenth of a second of 8-bit mono at 8 kHz.
  private static let silentWAV: [UInt8] =
    Array("RIFF".utf8) + [68, 3, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
    + [0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0] + Array("data".utf8) + [0x20, 3, 0, 0]
    + [UInt8](repeating: 0x80, count: 800)

  @Test func `66: a file that is not there, or cannot be read`() async throws {
    let missing = folder.file("nothing.mp4")
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "file:\(missing)"])
        == Refusal(66, "\(missing) does not exist; check its spelling, and the folder this runs in")
    )
    #expect(
      try await Refusal(["publish", "--to", url, "--video", "file:\(folder.path)"])
        == Refusal(
          66, "\(folder.path) cannot be opened: Is a directory; check that this user may read it"))
    #expect(
      try await Refusal(["inspect", missing])
        == Refusal(66, "\(missing) does not exist; check its spelling, and the folder this runs in")
    )
    #expect(
      try await Refusal(["publish", "--to", url, "--quality", "\(folder.path)/no.json"])
        == Refusal(
          66,
          "--quality: the quality file \(folder.path)/no.json does not exist; check its spelling, "
            + "and the folder this runs in"))
  }

  @Test(arguments: [
    ("/dev/video99", "does not exist"), ("v4l2:A camera that nobody has", "does not exist"),
    ("av:x11grab::99", "cannot be opened"),
  ])
  func `0: a device that is not there is waited for, live`(
    _ name: String, _ why: String
  ) async throws {
    let ingest = try ScriptedIngest()
    let arguments = small.arguments(to: ingest.url(), "--events", "json").map {
      $0 == "test" ? name : $0
    }
    let command = try Command.start(arguments)
    try await ingest.waitUntil { $0.first.map { $0.media.count > 60 } ?? false }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    let reasons = log.all("cameraLost").compactMap(\.reason)
    #expect(reasons.count == 1 && reasons[0].hasPrefix("\(name) \(why)"), "\(reasons)")
    #expect(log.all("cameraBack").isEmpty && log.all("failed").isEmpty)
  }

  @Test func `66: a slate that is not there`() async throws {
    let missing = folder.file("nothing.png")
    #expect(
      try await Refusal(small.arguments(to: url, "--slate", missing))
        == Refusal(66, "\(missing) does not exist; check its spelling, and the folder this runs in")
    )
  }

  @Test func `66: a key file that is not there; it may be the key itself, so it is not named`()
    async throws
  {
    let missing = folder.file("key.txt")
    let why = "cannot be opened: No such file or directory; --key-file takes the path of a file"
    #expect(
      try await Refusal(small.arguments(to: "rtmp://h/app", "--key-file", missing))
        == Refusal(66, "the key file \(missing) \(why) that holds the key"))
    #expect(
      try await Refusal(small.arguments(to: "rtmp://h/app", "--key-file", Refusal.secret))
        == Refusal(66, "the file that --key-file names \(why) that holds the key"))
  }

  @Test func `66: a spare that does not exist is found before anything begins`() async throws {
    #expect(
      try await Refusal(small.arguments(to: url, "--video", "file:/nowhere/clip.mp4"))
        == Refusal(
          66,
          "/nowhere/clip.mp4 does not exist; check its spelling, and the folder this runs in"))
  }
}
