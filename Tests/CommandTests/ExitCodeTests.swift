import BunnyBroadcast
import BunnyCapture
import BunnyCommand
import BunnyInspect
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Testing

struct ExitCodeTests {
  @Test func `the codes are those of sysexits`() {
    #expect(
      ExitCode.allCases.map(\.rawValue)
        == [0, 1, 64, 65, 66, 67, 69, 70, 73, 75, 76, 77, 78, 79, 80])
  }

  @Test(arguments: [
    (SourceError.missing("x"), ExitCode.noInput), (.unreadable("x", reason: "y"), .noInput),
    (.lost("x", reason: "y"), .noInput),
    (.microphone("x", .forbidden), .noInput),
    (.camera("x", .unplugged), .noInput),
    (.camera("x", .controlRefused("y", value: 1, takes: "2 to 3")), .usage),
    (.pipe("x", .ended), .noInput), (.pipe("x", .notFIFO), .usage), (.pipe("x", .terminal), .usage),
    (.notMedia("x", reason: "y"), .notMedia), (.unknownFormat("x"), .usage),
  ])
  func `a source's error has its code`(_ error: SourceError, _ code: ExitCode) {
    #expect(ExitCode(BroadcastError.source(error)) == code)
  }

  @Test(arguments: [
    (RTMPError.Reason.unreachable("x"), ExitCode.unreachable), (.unknownHost("x"), .unreachable),
    (.timedOut(.connect, seconds: 1), .unreachable), (.lost("x"), .unreachable),
    (.stalled(seconds: 1), .unreachable), (.hungUp(.connect, cause: "x"), .refused),
    (.connectRejected(ServerStatus(code: "x", text: "")), .refused),
    (.nameInUse(ServerStatus(code: "x", text: "")), .refused), (.tagTooLong(bytes: 1), .usage),
    (.hungUpOnPublish(cause: "x"), .keyRefused),
    (.keyRefused(ServerStatus(code: "x", text: "")), .keyRefused),
  ])
  func `an ingest's error has its code`(_ reason: RTMPError.Reason, _ code: ExitCode) throws {
    let error = RTMPError(reason, at: try Ingest("rtmp://h/a/k"))
    #expect(ExitCode(BroadcastError.ingest(error)) == code)
  }

  @Test(arguments: [
    (RTMPError.Category.unreachable, ExitCode.unreachable), (.lost, .unreachable),
    (.refused, .refused), (.protocolViolation, .refused), (.keyRefused, .keyRefused),
    (.unsendable, .usage),
  ])
  func `every category of an ingest's errors has a code`(
    _ category: RTMPError.Category, _ code: ExitCode
  ) {
    #expect(ExitCode(category) == code)
  }

  @Test(arguments: [
    (QualityFileError.unknownName("x"), ExitCode.usage), (.missing("x"), .noInput),
    (.unreadable(path: "x", reason: "y"), .noInput), (.malformed(path: "x", reason: "y"), .usage),
  ])
  func `a quality file's error has its code`(_ error: QualityFileError, _ code: ExitCode) {
    #expect(ExitCode(error) == code)
  }

  @Test(arguments: [
    (InspectError.missing("x"), ExitCode.noInput), (.unreadable("x", reason: "y"), .noInput),
    (.notMedia("x", reason: "y"), .notMedia),
  ])
  func `an inspection's error has its code`(_ error: InspectError, _ code: ExitCode) {
    #expect(ExitCode(error) == code)
  }

  @Test func `what becomes of a live stream has its code`() {
    #expect(ExitCode(BroadcastError.streamOver("s", .ended)) == .streamOver)
    #expect(ExitCode(BroadcastError.streamDeleted("s")) == .streamOver)
    #expect(ExitCode(BroadcastError.streamTaken("s", lastPing: .zero)) == .streamTaken)
    #expect(ExitCode(BroadcastError.streamHeld("s", process: nil)) == .streamTaken)
    for kind in BunnyLiveStreamError.Kind.allCases {
      let error = BroadcastError.undone(.stop, "s", BunnyLiveStreamError(kind: kind))
      #expect(ExitCode(error) == ExitCode(kind))
    }
  }

  @Test(arguments: [
    (BunnyLiveStreamError.Kind.unauthorized, ExitCode.keyRefused), (.notFound, .noSuchStream),
    (.invalidRequest, .refused), (.unprocessable, .refused), (.server, .apiUnreachable),
    (.transport, .apiUnreachable), (.invalidResponse, .apiUnreachable),
    (.unexpected, .apiUnreachable),
  ])
  func `what the API does not do has its code`(_ kind: BunnyLiveStreamError.Kind, _ code: ExitCode)
  {
    #expect(ExitCode(kind) == code)
  }

  @Test func `our own fault is 70`() {
    #expect(ExitCode(BroadcastError.fault("x")) == .fault)
  }

  @Test func `the first signal ends, a second one kills, a hang-up does not`() {
    let start = MonotonicTime(nanoseconds: 0)
    let later = start + EndingRule.echo
    let received = { (rule: inout EndingRule, number: Int32, now: MonotonicTime) in
      rule.received(number, at: now)
    }
    var rule = EndingRule()
    let steps = [
      received(&rule, 28, start),  // SIGWINCH
      received(&rule, 2, start), received(&rule, 1, later), received(&rule, 15, later),
    ]
    #expect(steps == [.nothing, .end, .nothing, .die])
    rule = EndingRule()
    #expect([received(&rule, 1, start), received(&rule, 2, later)] == [.end, .die])
    rule = EndingRule()
    #expect(received(&rule, 3, start) == .die)  // SIGQUIT
  }

  @Test func `signals within a second are one wish`() {
    let start = MonotonicTime(nanoseconds: 0)
    var rule = EndingRule()
    let steps = [(15, 0), (15, 999), (2, 999), (15, 1000)].map {
      rule.received($0, at: start + .milliseconds($1))
    }
    #expect(steps == [.end, .nothing, .nothing, .die])
  }
}
