import BunnyBroadcast
import BunnyCommand
import BunnyRTMP
import Testing

struct ConsoleTests {
  private let moment = Moment(unixMs: 1_767_323_045_006, monotonicMs: 0)

  @Test(arguments: [
    (false, ["TERM": "xterm"], false, false), (true, ["TERM": "xterm"], true, true),
    (true, ["TERM": "dumb"], false, false), (true, [:], false, false),
    (true, ["TERM": "xterm", "NO_COLOR": "1"], true, false),
    (true, ["TERM": "xterm", "NO_COLOR": ""], true, true),
  ])
  func `terminals are redrawn and coloured unless told otherwise`(
    _ isTerminal: Bool, _ environment: [String: String], _ redraws: Bool, _ colours: Bool
  ) {
    let style = ConsoleStyle(isTerminal: isTerminal, environment: environment)
    #expect(style.redraws == redraws)
    #expect(style.colours == colours)
  }

  @Test func `a log that is no terminal holds no escape codes`() {
    var text = ConsoleText(ConsoleStyle(isTerminal: false, environment: [:]))
    #expect(text.draw("live") == nil)
    #expect(text.clear() == nil)
    #expect(
      text.line(.warning, "lost it", at: moment) == "2026-01-02T03:04:05.006Z warning lost it\n")
  }

  @Test func `a log line goes above the status line`() {
    let environment = ["TERM": "xterm", "NO_COLOR": "1"]
    var text = ConsoleText(ConsoleStyle(isTerminal: true, environment: environment))
    let time = moment.localTime
    #expect(text.line(.info, "one", at: moment) == "\(time) info one\n")
    #expect(text.draw("live 1") == "\rlive 1\u{1B}[K")
    #expect(text.draw("live 1") == nil)
    #expect(text.line(.error, "two", at: moment) == "\r\u{1B}[K\(time) error two\nlive 1")
    #expect(text.draw("live 2") == "\rlive 2\u{1B}[K")
    #expect(text.clear() == "\r\u{1B}[K")
    #expect(text.clear() == nil)
    #expect(text.line(.info, "three", at: moment) == "\(time) info three\n")
  }

  @Test func `warnings and errors are coloured, nothing else`() {
    let text = ConsoleText(ConsoleStyle(isTerminal: true, environment: ["TERM": "xterm"]))
    let time = moment.localTime
    #expect(text.line(.error, "x", at: moment) == "\(time) \u{1B}[31merror\u{1B}[0m x\n")
    #expect(text.line(.warning, "x", at: moment) == "\(time) \u{1B}[33mwarning\u{1B}[0m x\n")
    #expect(text.line(.info, "x", at: moment) == "\(time) info x\n")
  }

  @Test func `nothing that is named can steer the terminal`() {
    #expect(ConsoleText.printable("a\u{1B}[2J\r\n\u{9B}b•ü") == "a?[2J???b•ü")
  }

  @Test func `a moment is told in UTC to the millisecond`() {
    #expect(Moment(unixMs: 0, monotonicMs: 0).iso8601 == "1970-01-01T00:00:00.000Z")
    #expect(Moment(unixMs: 951_782_399_999, monotonicMs: 0).iso8601 == "2000-02-28T23:59:59.999Z")
  }
}

struct LogTextTests {
  private static let ingest = try! Ingest("rtmp://host/app/SECRET")

  @Test(arguments: [
    (BunnyBroadcastEvent.published(ingest), LogLevel.info, "publishing to rtmp://host/app/•••"),
    (BunnyBroadcastEvent.started(ingest), LogLevel.info, "live at rtmp://host/app/•••"),
    (.reconnected(ingest), .info, "live again at rtmp://host/app/•••"),
    (.lost(ingest, reason: "end of file"), .warning, "lost rtmp://host/app/•••: end of file"),
    (
      .reconnecting(attempt: 1, usingBackup: false, after: .zero, reason: "x"), .debug,
      "trying the ingest at once (attempt 1): x"
    ),
    (
      .standbyLost(ingest, reason: "x"), .warning,
      "nothing stands by: rtmp://host/app/••• is tried again and again (x)"
    ),
    (
      .reconnecting(attempt: 4, usingBackup: true, after: .milliseconds(2340), reason: "x"),
      .warning, "trying the backup ingest in 2.3 s (attempt 4): x"
    ),
    (
      .bitrateChanged(from: 4_000_000, to: 1_250_000, reason: "the network takes 1.50 Mbit/s"),
      .warning,
      "the picture's bit rate goes from 4.00 Mbit/s to 1.25 Mbit/s: the network takes 1.50 Mbit/s"
    ),
    (
      .bitrateChanged(from: 850_000, to: 4_000_000, reason: "the network takes all of it"), .info,
      "the picture's bit rate goes from 850 kbit/s to 4.00 Mbit/s: the network takes all of it"
    ),
    (.dropped(frames: 1, reason: "late"), .warning, "left out 1 frame: late"),
    (.dropped(frames: 2, reason: "late"), .warning, "left out 2 frames: late"),
    (.chosen(.camera, source: "a camera"), .info, "a camera"),
    (.cameraLost(reason: "x"), .warning, "no picture: x"),
    (
      .pictureFrozen(for: .seconds(30), reopens: true), .warning,
      "the picture is frozen: it has been the same for 30 s; the camera is opened anew"
    ),
    (
      .pictureBlack(for: .seconds(30), colour: "black"), .warning,
      "the picture has been black all over for 30 s; see what the camera looks at"
    ),
    (
      .soundSilent(for: .seconds(30), reason: nil), .warning,
      "the microphone has been silent for 30 s; see that it is switched on and turned up"
    ),
    (
      .soundSilent(for: .seconds(30), reason: "x"), .warning,
      "the microphone has been silent for 30 s: x"
    ),
    (.failed(message: "x"), .error, "x"), (.notice(message: "x"), .warning, "x"),
    (
      .ended(BroadcastTotals(), reason: "SIGTERM"), .info,
      "ended (SIGTERM): 0 frames published of 0 encoded and 0 captured, 0 repeated, 0 dropped; "
        + "0 bytes, 0 connections, live 00:00:00"
    ),
    (
      .statistics(BroadcastStatistics()), .debug,
      "idle 00:00:00, 0.0 fps, 0 kbit/s, queue 0 ms, 0 frames published, 0 repeated, 0 skipped, "
        + "0 dropped"
    ),
  ])
  func `an event is a sentence`(
    _ event: BunnyBroadcastEvent, _ level: LogLevel, _ sentence: String
  ) {
    #expect(LogText.of(event).level == level)
    #expect(LogText.of(event).sentence == sentence)
  }
}
