import BunnyBroadcast
import BunnyCapture
import BunnyCommand
import BunnyMedia
import Testing

struct InvocationTests {
  private static let saysNothing =
    "say what to do: --stream GUID, streams, publish, inspect, devices, presets or encoders; "
    + "`bunny-broadcast --help` explains them"

  static let to = ["publish", "--to", "rtmp://host/app/key"]

  private func publish(_ arguments: [String]) throws -> PublishOptions {
    guard case .publish(let options) = try Invocation(Self.to + arguments) else {
      throw CommandError(.fault, "not publish")
    }
    return options
  }

  private func refusal(_ arguments: [String]) -> CommandError? {
    do {
      _ = try Invocation(arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a URL is all that publish needs`() throws {
    let ingests = IngestOptions(to: PublishURL("rtmp://host/app/key"))
    #expect(try publish([]) == PublishOptions(.ingest(ingests)))
  }

  @Test func `every option of publish is understood`() throws {
    var ingests = IngestOptions(to: PublishURL("rtmp://host/app"))
    ingests.backup = PublishURL("rtmp://other/app")
    ingests.keyFile = "-"
    var expected = PublishOptions(.ingest(ingests))
    expected.video = .file("/a b.mp4")
    expected.videoText = "file:/a b.mp4"
    expected.audio = .silence
    expected.audioText = "silence"
    expected.otherVideos = [.test, .camera("/dev/video2")]
    expected.onCameraLoss = .next
    expected.resetsUSB = true
    expected.turn = PictureTurn(.threeQuarters, isMirrored: true)
    expected.quality = "HD720"
    expected.cpu = .better
    expected.latency = .low
    expected.encoder = .vaapi
    expected.isPortrait = true
    expected.fill = .crop
    expected.bitrate = .fixed
    expected.fillsUp = true
    expected.duration = .seconds(90)
    expected.triesAgain = false
    expected.isMuted = true
    expected.writesEvents = true
    expected.logLevel = .trace
    let arguments = [
      "publish", "--to=rtmp://host/app", "--backup", "rtmp://other/app", "--key-file", "-",
      "--video", "file:/a b.mp4", "--audio=silence", "--quality", "HD720", "--orientation",
      "Portrait", "--fill", "crop", "--bitrate", "fixed", "--filler", "--duration", "90s",
      "--retry", "never", "--mute",
      "--events", "json", "--log-level", "trace", "--video=test", "--video", "/dev/video2",
      "--on-camera-loss", "next", "--usb-reset", "--rotate", "270", "--mirror",
      "--cpu", "Better", "--latency", "low", "--encoder", "h264_vaapi",
    ]
    #expect(try Invocation(arguments) == .publish(expected))
  }

  @Test func `the other subcommands, help and version are understood`() throws {
    var inspect = InspectOptions(location: "-a.flv")
    inspect.asJSON = true
    inspect.seconds = 2.5
    let table: [([String], Invocation)] = [
      (["inspect", "--json", "--seconds", "2.5", "--", "-a.flv"], .inspect(inspect)),
      (["inspect", "a=b"], .inspect(InspectOptions(location: "a=b"))),
      (["presets"], .presets(asJSON: false)), (["presets", "--json"], .presets(asJSON: true)),
      (["encoders"], .encoders(EncoderListOptions())),
      (
        ["encoders", "--json", "--quality", "x.json"],
        .encoders(EncoderListOptions(asJSON: true, quality: "x.json"))
      ),
      (["--help"], .help(nil)), (["-h"], .help(nil)), (["--version"], .version),
      (["publish", "--too", "--help"], .help(.publish)), (["presets", "-h"], .help(.presets)),
    ]
    for (arguments, expected) in table {
      #expect(try Invocation(arguments) == expected, "\(arguments)")
    }
  }

  static let mistakes: [([String], String)] = [
    ([], saysNothing),
    (["publsih"], "publsih is no subcommand; did you mean publish?"),
    (
      ["play"],
      "play is no subcommand; it takes streams, publish, inspect, devices, presets or encoders"
    ),
    (["--halp"], "--halp is no option here; did you mean --help?"),
    (["publish"], "--to is missing; write --to rtmp://HOST/APP/KEY"),
    (["publish", "--to"], "--to needs a value; write --to URL"),
    (["publish", "--to="], "--to needs a value; write --to URL"),
    (["publish", "--to", "--mute"], "--to needs a value; write --to URL"),
    (to + ["--to", "rtmp://b/c/d"], "--to is given twice; give it once"),
    (to + ["--mute", "--mute"], "--mute is given twice; give it once"),
    (to + ["--mute=yes"], "--mute takes no value; write it alone"),
    (to + ["--qualty", "hd720"], "--qualty is no option of publish; did you mean --quality?"),
    (to + ["--Video", "test"], "--Video is no option of publish; did you mean --video?"),
    (
      to + ["--frames", "3"],
      "--frames is no option of publish; `bunny-broadcast publish --help` lists them"
    ),
    (to + ["x"], "argument 4 is stray: publish takes options only, such as --to URL"),
    (["presets", "x"], "argument 2 is stray: presets takes options only, such as --json"),
    (["inspect"], "inspect takes one FILE or URL; 0 were given"),
    (["inspect", "a", "b"], "inspect takes one FILE or URL; 2 were given"),
    (
      ["inspect", "a", "--seconds", "0"],
      "--seconds is 0; it takes a number of seconds greater than 0"
    ),
    (
      to + ["--orientation", "potrait"],
      "--orientation is potrait; it takes landscape or portrait; did you mean portrait?"
    ),
    (
      to + ["--cpu", "medum"],
      "--cpu is medum; it takes lightest, lighter, light, medium, good, better, best or auto; did you "
        + "mean medium?"
    ),
    (to + ["--rotate", "45"], "--rotate is 45; it takes 0, 90, 180 or 270"),
    (
      to + ["--on-camera-loss", "next"],
      "--on-camera-loss next needs a second camera; give --video once more for it"
    ),
    (
      to + ["--video", "test", "--video", "auto", "--video=test"],
      "--video names the same thing twice; name it once"
    ),
    (
      to + (1...9).flatMap { ["--video", "/dev/video\($0)"] },
      "--video is given more than 8 times; leave some out"
    ),
    (to + ["--bitrate", "x"], "--bitrate is x; it takes adaptive or fixed"),
    (to + ["--fill", "x"], "--fill is x; it takes letterbox or crop"),
    (
      to + ["--redundancy", "dual"],
      "--redundancy dual needs a second ingest; give --backup URL, or leave it out"
    ),
    (
      to + ["--prefer-primary"],
      "--prefer-primary needs a second ingest; give --backup URL, or leave it out"
    ),
    (
      to + ["--backup", "rtmp://b/c/d", "--redundancy", "dual", "--replay", "none"],
      "--redundancy dual publishes to both ingests at once, which leaves nothing to --replay none; "
        + "leave one of the two out"
    ),
    (
      to + ["--backup", "rtmp://host:1935/app/key"],
      "--backup is the same as --to; name another ingest, or leave it out: the one is tried again "
        + "anyway"
    ),
    (to + ["--stall-limit", "0x10"], "--stall-limit is 0x10; it takes seconds, 0.2 to 60"),
    (to + ["--retry", "x"], "--retry is x; it takes always or never"),
    (to + ["--events", "xml"], "--events is xml; it takes json"),
    (
      to + ["--log-level", "inof"],
      "--log-level is inof; it takes error, warning, info, debug or trace; did you mean info?"
    ),
    (
      to + ["--video", "camera"],
      "--video camera is no source; it takes test, file:PATH, pipe:[FIFO], av:FORMAT:DEVICE, "
        + "/dev/videoN, v4l2:NAME or auto"
    ),
    (
      to + ["--video", "pipe:", "--camera-size", "64x64"],
      "--video pipe: is read as H.264, which says that itself; leave out --camera-size, or give "
        + "--camera-format for raw frames"
    ),
    (
      to + ["--video", "pipe:", "--key-file", "-"],
      "the key and --video pipe: cannot both be read from standard input; put the key in a file, or "
        + "give pipe:PATH of a FIFO"
    ),
    (
      to + ["--duration", "1:60"],
      "--duration is 1:60; it takes SECONDS, MM:SS, HH:MM:SS, or a number with s, m or h "
        + "(more than 0, at most 10000h)"
    ),
    (
      ["publish", "--to", "http://host/app"],
      "--to: the publish URL does not begin with rtmp:// or rtmps://; write rtmp://HOST/APP/KEY"
    ),
    (
      to + ["--backup", "rtmp://host/app"],
      "--backup: the publish URL for host ends before the stream key; write rtmp://host/APP/KEY "
        + "or give the key apart"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told in one sentence`(_ arguments: [String], _ sentence: String) {
    #expect(refusal(arguments) == CommandError(.usage, sentence))
    #expect(ConsoleText.printable(sentence) == sentence)
  }

  @Test(arguments: [
    ["rtmp://host/app/SECRET-1"], to + ["SECRET-1"], to + ["--SECRET-1"], to + ["--key=SECRET-1"],
    ["publish", "--to", "rtmp://host:x/app/SECRET-1"], ["publish", "--to", "rtmp://h/ SECRET-1"],
    to + ["--video", "rtmp://host/app/SECRET-1"], ["publish", "rtmp://host/app/SECRET-1"],
  ])
  func `a key in the wrong place is not shown`(_ arguments: [String]) throws {
    let error = try #require(refusal(arguments))
    #expect(error.code == .usage)
    #expect(!error.description.contains("SECRET"))
  }

  @Test func `options print without the key in their URLs`() throws {
    let options = try publish(["--backup", "rtmp://other/app/key"])
    var dumped = ""
    dump(options, to: &dumped)
    #expect(!"\(options) \(dumped)".contains("/app/key"))
  }

  @Test(arguments: [
    ("90", 90.0), ("1.5", 1.5), ("90s", 90), ("5m", 300), ("2h", 7200), ("0.5m", 30),
    ("01:30", 90), ("90:00", 5400), ("1:00:00", 3600), ("100:00:01", 360_001),
  ])
  func `a duration is read`(_ text: String, _ seconds: Double) throws {
    #expect(try DurationText.read(text, option: "--duration") == .seconds(seconds))
  }

  @Test(arguments: [
    "0", "-1", "", "s", "x", "1e9", "inf", "nan", "0x10", "1d", "1:2:3:4", "1:", ":1", "1:60",
    "1:60:00", "10001h", "99999999999999999999", "1 s", "+1",
  ])
  func `what is no duration is refused`(_ text: String) {
    #expect(throws: CommandError.self) { try DurationText.read(text, option: "--duration") }
  }
}
