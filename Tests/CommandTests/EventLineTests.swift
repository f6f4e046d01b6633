import BunnyBroadcast
import BunnyCapture
import BunnyCommand
import BunnyRTMP
import Testing

struct EventLineTests {
  // 2026-01-02T03:04:05.006Z
  private static let moment = Moment(unixMs: 1_767_323_045_006, monotonicMs: 77)
  private static let head = #"{"v":1,"at":"2026-01-02T03:04:05.006Z","monotonicMs":77,"event":"#
  private static let ingest = try! Ingest("rtmp://host/app/SECRET")
  private static let delays =
    #""handlingP50Ms":0.25,"handlingP99Ms":3,"latencyP50Ms":340.5,"latencyP99Ms":362"#
  private static let network =
    #""confirmedBitrate":2400000,"targetBitrate":2300000,"targetReason":"why","#
    + #""encodedWidth":1280,"encodedHeight":720,"encodedFrameRate":29.97,"encoder":"libx264","#
    + #""effort":"light","queueAgeMs":12.25,"roundTripMs":0.5,"kernelQueueBytes":4096"#
  private static let zeros =
    #""capturedFrames":1,"repeatedFrames":2,"skippedFrames":3,"missedFrames":12,"#
    + #""encodedFrames":4,"droppedFrames":5,"publishedFrames":6,"filledSamples":7,"bytes":8000000000,"#
    + #""connections":9,"liveMs":10500,"decodeErrors":11"#

  private static var totals: BroadcastTotals {
    var totals = BroadcastTotals()
    totals.capturedFrames = 1
    totals.repeatedFrames = 2
    totals.skippedFrames = 3
    totals.missedFrames = 12
    totals.encodedFrames = 4
    totals.droppedFrames = 5
    totals.publishedFrames = 6
    totals.filledSamples = 7
    totals.bytes = 8_000_000_000
    totals.connections = 9
    totals.liveSeconds = 10.5
    totals.decodeErrors = 11
    totals.handlingP50Ms = 0.2504
    totals.handlingP99Ms = 3
    return totals
  }

  private static var statistics: BroadcastStatistics {
    var statistics = BroadcastStatistics()
    statistics.state = "live"
    statistics.elapsedSeconds = 3.0004
    statistics.framesPerSecond = 29.97002
    statistics.bitrate = 2_500_000.4
    statistics.queueAgeMs = 12.25
    statistics.targetBitrate = 2_300_000
    statistics.targetReason = "why"
    statistics.encoding = EncodingInUse(
      width: 1280, height: 720, frameRate: 30000.0 / 1001, encoder: "libx264", effort: "light",
      threads: 1)
    statistics.confirmedBitrate = 2_400_000
    statistics.roundTripMs = 0.5
    statistics.kernelQueueBytes = 4096
    statistics.handlingP50Ms = 0.25
    statistics.handlingP99Ms = 3
    statistics.latencyP50Ms = 340.5
    statistics.latencyP99Ms = 362
    statistics.left = SoundLevel(peak: -6.02, rms: -9.04)
    statistics.brightness = 0.50049
    statistics.totals = totals
    return statistics
  }

  @Test(arguments: [
    (BunnyBroadcastEvent.preparing, #""preparing"}"#),
    (.published(ingest), #""published","ingest":"rtmp://host/app/•••"}"#),
    (.started(ingest), #""started","ingest":"rtmp://host/app/•••"}"#), (.stopped, #""stopped"}"#),
    (
      .reconnecting(
        attempt: 2, usingBackup: true, after: .milliseconds(512), reason: "say \"no\"\n"),
      #""reconnecting","attempt":2,"usingBackup":true,"afterMs":512,"reason":"say \"no\"\n"}"#
    ),
    (.reconnected(ingest), #""reconnected","ingest":"rtmp://host/app/•••"}"#),
    (.failed(message: "a\\b\u{1B}"), #""failed","message":"a\\b\u001b"}"#),
    (.notice(message: "ü"), #""notice","message":"ü"}"#),
    (
      .lost(ingest, reason: "end of file"),
      #""lost","ingest":"rtmp://host/app/•••","reason":"end of file"}"#
    ),
    (
      .connection(ingest, .handshaking),
      #""connection","ingest":"rtmp://host/app/•••","state":"handshaking"}"#
    ),
    (
      .chosen(.camera, source: "/dev/video0: the only camera"),
      #""chosen","device":"camera","source":"/dev/video0: the only camera"}"#
    ),
    (
      .bitrateChanged(from: 4_000_000, to: 1_250_000, reason: "less"),
      #""bitrateChanged","from":4000000,"to":1250000,"reason":"less"}"#
    ),
    (.dropped(frames: 3, reason: "late"), #""dropped","frames":3,"reason":"late"}"#),
    (
      .statistics(statistics),
      #""statistics","state":"live","elapsedMs":3000,"waitingFor":null,"waitingMs":null,"framesPerSecond":29.97,"bitrate":2500000,"#
        + "\(network),\(delays),"
        + #""peakLeft":-6,"peakRight":null,"rmsLeft":-9,"rmsRight":null,"brightness":0.5,"#
        + "\(zeros),\"eventsLost\":4}"
    ),
  ])
  func `an event is one line of JSON`(_ event: BunnyBroadcastEvent, _ rest: String) throws {
    let line = try #require(EventLine(event, eventsLost: 4))
    #expect(line.text(at: Self.moment) == "\(Self.head)\(rest)\n")
  }

  @Test func `what is lost and comes back is named`() {
    func text(_ event: BunnyBroadcastEvent) -> String? {
      EventLine(event, eventsLost: 0)?.text(at: Self.moment)
    }
    #expect(
      text(.cameraLost(reason: "gone")) == Self.head + #""cameraLost","reason":"gone"}"# + "\n")
    #expect(text(.cameraBack) == Self.head + #""cameraBack"}"# + "\n")
    #expect(
      text(.microphoneLost(reason: "gone"))
        == Self.head + #""microphoneLost","reason":"gone"}"# + "\n")
    #expect(text(.microphoneBack) == Self.head + #""microphoneBack"}"# + "\n")
  }

  @Test func `another camera, and a hand that is needed, are named`() {
    func text(_ event: BunnyBroadcastEvent) -> String? {
      EventLine(event, eventsLost: 0)?.text(at: Self.moment)
    }
    #expect(
      text(.cameraChanged(source: "/dev/video2"))
        == Self.head + #""cameraChanged","source":"/dev/video2"}"# + "\n")
    #expect(
      text(.cameraNotChanged(source: "test", reason: "busy"))
        == Self.head + #""cameraNotChanged","source":"test","reason":"busy"}"# + "\n")
    #expect(
      text(.cameraNeedsHand(reason: "dead"))
        == Self.head + #""cameraNeedsHand","reason":"dead"}"# + "\n")
    #expect(
      text(.microphoneNeedsHand(reason: "dead"))
        == Self.head + #""microphoneNeedsHand","reason":"dead"}"# + "\n")
  }

  @Test(arguments: [
    (
      BunnyBroadcastEvent.pictureFrozen(for: .seconds(30), reopens: true),
      #""pictureFrozen","forMs":30000,"reopens":true}"#
    ),
    (.pictureMoves, #""pictureMoves"}"#),
    (
      .pictureBlack(for: .seconds(2.5), colour: "blue (#0000ff)"),
      #""pictureBlack","forMs":2500,"colour":"blue (#0000ff)"}"#
    ),
    (.pictureVaried, #""pictureVaried"}"#),
    (
      .soundSilent(for: .seconds(30), reason: nil),
      #""soundSilent","forMs":30000,"reason":null}"#
    ),
    (
      .soundSilent(for: .seconds(30), reason: "x"),
      #""soundSilent","forMs":30000,"reason":"x"}"#
    ),
    (.soundHeard, #""soundHeard"}"#),
  ])
  func `what is dead though it flows is named`(_ event: BunnyBroadcastEvent, _ rest: String) throws
  {
    let line = try #require(EventLine(event, eventsLost: 0))
    #expect(line.text(at: Self.moment) == "\(Self.head)\(rest)\n")
  }

  @Test func `a processor that cannot keep up is told of with figures`() {
    func text(_ event: BunnyBroadcastEvent) -> String? {
      EventLine(event, eventsLost: 0)?.text(at: Self.moment)
    }
    let load = ProcessorLoad(
      pictureMs: 41.25, frameMs: 33.3333, used: 1.5, free: 0.1, processors: 2)
    let figures =
      #""pictureMs":41.25,"frameMs":33.333,"usedProcessors":1.5,"freeProcessors":0.1,"#
      + #""processors":2,"answer":"less""#
    #expect(
      text(.processorOverloaded(load, answer: "less", trouble: "hot"))
        == Self.head + #""processorOverloaded",\#(figures),"trouble":"hot"}"# + "\n")
    #expect(
      text(.processorRecovered(load, answer: "less"))
        == Self.head + #""processorRecovered",\#(figures)}"# + "\n")
    #expect(text(.detail(message: "x")) == Self.head + #""detail","message":"x"}"# + "\n")
    #expect(
      LogText.of(.processorOverloaded(load, answer: "less", trouble: "it is hot")).sentence
        == "the processor cannot keep up: a picture takes 41.3 ms, and there are 33.3; of 2.0 "
        + "processors this program uses 1.5, and 0.1 are free; it is hot; from now on: less")
  }

  @Test func `the last line waits for the exit code`() {
    #expect(EventLine(.ended(Self.totals, reason: "x"), eventsLost: 0) == nil)
    let line = EventLine.ended(
      Self.totals, reason: "SIGTERM", exitCode: .unreachable, eventsLost: 5)
    #expect(
      line.text(at: Self.moment)
        == "\(Self.head)\"ended\",\"reason\":\"SIGTERM\",\"exitCode\":69,\(Self.zeros),"
        + "\"handlingP50Ms\":0.25,\"handlingP99Ms\":3,\"eventsLost\":5}\n")
  }

  @Test func `the first line says what is broadcast, without the key`() {
    let configuration = BroadcastConfiguration(ingest: Self.ingest, quality: .hd720)
    var options = PublishOptions(.ingest(IngestOptions(to: PublishURL("rtmp://host/app/SECRET"))))
    options.videoText = "test"
    options.otherVideos = [.camera("/dev/video2"), .file("rtmp://host/app/SECRET")]
    #expect(
      EventLine.begin(
        options, configuration.quality, ingests: (configuration.ingest, configuration.backup)
      ).text(at: Self.moment)
        == "\(Self.head)\"begin\",\"version\":\"\(bunnyBroadcastVersion)\","
        + #""ingest":"rtmp://host/app/•••","backup":null,"stream":null,"video":"test","#
        + #""otherVideos":["/dev/video2","file:rtmp://host/•••"],"audio":"auto","#
        + #""width":1280,"height":720,"frameRate":30,"videoBitrate":2500000,"#
        + #""audioBitrate":128000,"isMuted":false}"# + "\n")
  }

  @Test func `muting is an event`() {
    #expect(
      EventLine.muted(true).text(at: Self.moment) == "\(Self.head)\"muted\",\"isMuted\":true}\n")
  }
}
