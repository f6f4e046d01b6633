import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

/// What the controller makes of each command and report.
struct ControllerRulesTests {
  typealias Rules = ControllerRules
  static let primary = try! Ingest("rtmp://a/app/SECRET")
  static let backup = try! Ingest("rtmp://b/app/SECRET")
  private static let now = MonotonicTime(nanoseconds: 7)

  private var rules = Rules(Rules.Setting(cameras: ["one", "two"]))

  private static func found(resumes: Bool) -> BunnyBroadcastEvent {
    .streamFound(title: nil, status: resumes ? .running : .created, resumes: resumes)
  }

  /// Reports, one after the other; returns what came of the last.
  @discardableResult
  private mutating func report(_ events: BunnyBroadcastEvent...) -> [Rules.Order] {
    var orders: [Rules.Order] = []
    for event in events { orders = rules.take(report: event, at: Self.now) }
    return orders
  }

  private mutating func goLive() {
    _ = rules.take(.start)
    report(
      Self.found(resumes: true), .preparing, .connection(Self.primary, .connecting),
      .started(Self.primary))
  }

  @Test mutating func `it is started only once viewers can see it`() {
    #expect(rules.state == .idle && !rules.state.isBroadcasting)
    #expect(rules.take(.start) == [.run(1), .mute(false)])
    #expect(rules.state == .waiting(reason: "Bunny's API is asked for the stream", until: nil))
    report(.askingAgain(after: .seconds(1), reason: "down"))
    #expect(rules.state == .waiting(reason: "down", until: nil))
    report(Self.found(resumes: false))
    #expect(report(.preparing) == [.tell(.preparing)])
    #expect(rules.state == .preparing && !rules.isAttached)
    report(.connection(Self.primary, .connecting))
    #expect(rules.state == .connecting(Self.primary))
    #expect(rules.isAttached && rules.clock == Self.now)
    #expect(report(.published(Self.primary)) == [.tell(.published(Self.primary))])
    #expect(rules.state == .preview(Self.primary))
    #expect(
      report(.running)
        == [.tell(.running), .tell(.started(Self.primary)), .answer(.start, nil)])
    #expect(rules.state == .live(Self.primary))
    #expect(rules.take(.start) == [.answer(.start, nil)])
  }

  @Test mutating func `a start that is refused for good is said, and waited for no longer`() {
    _ = rules.take(.start)
    report(
      Self.found(resumes: false), .preparing, .connection(Self.primary, .connecting),
      .published(Self.primary))
    #expect(
      report(.startRefused(reason: "no"))
        == [.tell(.startRefused(reason: "no")), .answer(.start, .failed(message: "no"))])
    #expect(rules.state == .preview(Self.primary))
    #expect(report(.running).contains(.tell(.started(Self.primary))))
  }

  @Test mutating func `what runs already is seen when an ingest has it`() {
    _ = rules.take(.start)
    report(Self.found(resumes: true), .preparing)
    #expect(
      report(.started(Self.primary)) == [.tell(.started(Self.primary)), .answer(.start, nil)])
    #expect(rules.state == .live(Self.primary))
  }

  @Test mutating func `a stream that was shown while no ingest had it is started when one does`() {
    _ = rules.take(.start)
    report(Self.found(resumes: false), .published(Self.primary), .lost(Self.primary, reason: "x"))
    #expect(rules.state == .reconnecting(attempt: 1, usingBackup: false, reason: "x"))
    #expect(report(.running) == [.tell(.running)])
    #expect(
      report(.reconnected(Self.primary))
        == [
          .tell(.reconnected(Self.primary)), .tell(.started(Self.primary)), .answer(.start, nil),
        ])
  }

  @Test func `where somebody else shows the stream, the ingest's word is all that is waited for`() {
    var setting = Rules.Setting(cameras: ["one"])
    setting.startsStream = false
    var rules = Rules(setting)
    _ = rules.take(.start)
    let published = BunnyBroadcastEvent.published(Self.primary)
    #expect(
      rules.take(report: published, at: Self.now) == [.tell(published), .answer(.start, nil)])
    #expect(rules.state == .preview(Self.primary))
  }

  @Test func `to an ingest alone there is nothing to ask for, to show or to leave`() {
    var setting = Rules.Setting(cameras: ["one"])
    setting.hasStream = false
    var rules = Rules(setting, isMuted: true)
    #expect(rules.take(.start) == [.run(1), .mute(true)])
    #expect(rules.state == .preparing)
    #expect(
      rules.take(report: .started(Self.primary), at: Self.now)
        == [.tell(.started(Self.primary)), .answer(.start, nil)])
    #expect(rules.take(.stop) == [.end] && rules.state == .stopping(endsStream: false))
    _ = rules.take(report: .ended(BroadcastTotals(), reason: "asked"), at: Self.now)
    #expect(rules.over().contains(.answer(.stop, nil)))
    #expect(rules.state == .ended(reason: "asked"))
  }

  @Test mutating func `going over to the other ingest is said once, before what is tried there`() {
    goLive()
    report(.lost(Self.primary, reason: "x"))
    let trying = BunnyBroadcastEvent.reconnecting(
      attempt: 1, usingBackup: true, after: .zero, reason: "x")
    #expect(report(trying) == [.tell(.failedOver(usingBackup: true)), .tell(trying)])
    #expect(rules.state == .reconnecting(attempt: 1, usingBackup: true, reason: "x"))
    #expect(report(trying) == [.tell(trying)])
    #expect(report(.reconnected(Self.backup)) == [.tell(.reconnected(Self.backup))])
    #expect(rules.state == .live(Self.backup))
    #expect(
      report(.reconnected(Self.primary))
        == [.tell(.failedOver(usingBackup: false)), .tell(.reconnected(Self.primary))])
  }

  @Test func `of two that carry the stream, one that is lost is no loss`() {
    var setting = Rules.Setting(cameras: ["one"])
    (setting.hasStream, setting.isDual) = (false, true)
    var rules = Rules(setting)
    _ = rules.take(.start)
    for event in [
      BunnyBroadcastEvent.started(Self.primary), .reconnected(Self.backup),
      .lost(Self.primary, reason: "x"),
    ] {
      _ = rules.take(report: event, at: Self.now)
    }
    #expect(rules.state == .live(Self.backup))
    _ = rules.take(report: .lost(Self.backup, reason: "y"), at: Self.now)
    #expect(rules.state == .reconnecting(attempt: 1, usingBackup: true, reason: "y"))
  }

  @Test mutating func `stop is sent once, and leaving wins`() {
    #expect(rules.take(.stop) == [.answer(.stop, .notBroadcasting)])
    #expect(rules.take(.leave) == [.answer(.leave, nil)])
    goLive()
    #expect(rules.take(.stop) == [.end] && rules.state == .stopping(endsStream: true))
    #expect(rules.take(.stop) == [])
    #expect(rules.take(.leave) == [.leave] && rules.state == .stopping(endsStream: false))
    #expect(rules.take(.leave) == [] && rules.take(.stop) == [])
    report(.left(reason: "asked to leave"))
    #expect(rules.over().contains(.answer(.stop, .left)))
    #expect(rules.state == .left(reason: "asked to leave"))
  }

  @Test mutating func `a start that was asked for while it ends begins when it has ended`() {
    goLive()
    _ = rules.take(.stop)
    #expect(rules.take(.start) == [])
    report(.streamEnded)
    let orders = rules.over()
    #expect(orders.contains(.answer(.stop, nil)) && orders.suffix(2) == [.run(2), .mute(false)])
    #expect(!orders.contains { if case .answer(.start, _) = $0 { true } else { false } })
    _ = rules.take(.leave)
    _ = rules.take(.start)
    #expect(rules.take(.stop) == [.answer(.start, .endedBefore)])
    #expect(!rules.over().contains(.run(3)))
  }

  @Test mutating func `whoever waits for a start that is called off is told at once`() {
    _ = rules.take(.start)
    #expect(rules.take(.leave) == [.leave, .answer(.start, .endedBefore)])
  }

  @Test mutating func `the end: trying was given up, stopped, failed, and ended last`() {
    goLive()
    report(.ingestStatusChanged(primaryLive: true, backupLive: nil))
    #expect(rules.primaryLive == true && rules.backupLive == nil)
    #expect(report(.failed(message: "x"), .stopped) == [])
    var totals = BroadcastTotals()
    totals.connections = 3
    #expect(report(.ended(totals, reason: "x")) == [])
    let failure = BroadcastError.ingest(RTMPError(.stalled(seconds: 1), at: Self.primary))
    let words = failure.description
    #expect(
      rules.over(failure)
        == [
          .tell(.reconnectFailed), .tell(.stopped), .tell(.failed(message: words)),
          .tell(.ended(totals, reason: words)), .finish,
          .answer(.stop, .failed(message: words)), .answer(.leave, nil),
          .answer(.rotate, .notBroadcasting),
        ])
    #expect(rules.state == .failed(message: words) && rules.primaryLive == nil)
    #expect(!rules.isAttached && rules.over() == [])
    #expect(report(.preparing) == [], "of one that is over nothing is told")
  }

  @Test
  mutating func `a stream that was ended elsewhere has ended; one that never was on air failed`() {
    goLive()
    _ = rules.over(.streamOver("s", .ended))
    #expect(rules.state.name == "ended")
    _ = rules.take(.start)
    let orders = rules.over(.streamOver("s", .ended))
    #expect(rules.state.name == "failed")
    #expect(orders.contains { if case .answer(.start, .failed) = $0 { true } else { false } })
    goLive()
    _ = rules.over(.streamOver("s", .error))
    #expect(rules.state.name == "failed")
    goLive()
    _ = rules.over(.streamDeleted("s"))
    #expect(rules.state.name == "ended")
  }

  @Test mutating func `a stream that is over and waited for is a broadcast that begins anew`() {
    goLive()
    _ = report(.streamOver(reason: "over"))
    #expect(rules.state == .waiting(reason: "over", until: nil))
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    _ = report(.awaitingStart(at: date, after: .seconds(60)))
    #expect(rules.state == .waiting(reason: "the stream's scheduled time", until: date))
  }

  @Test mutating func `an ingest's word alone is told as such, and the engine's start as one`() {
    _ = rules.take(.start)
    report(Self.found(resumes: false), .preparing)
    #expect(report(.published(Self.primary)) == [.tell(.published(Self.primary))])
    #expect(rules.state == .preview(Self.primary))
    _ = report(.running)
    #expect(report(.started(Self.primary)) == [], "it was told with running")
    #expect(rules.state == .live(Self.primary))
  }

  @Test mutating func `what somebody else has started, or is found running late, is live`() {
    _ = rules.take(.start)
    report(Self.found(resumes: false), .preparing, .published(Self.primary))
    #expect(
      report(.started(Self.primary)) == [.tell(.started(Self.primary)), .answer(.start, nil)])
    #expect(rules.state == .live(Self.primary))
    _ = rules.over()
    _ = rules.take(.start)
    report(.preparing, .published(Self.primary))
    let found = Self.found(resumes: true)
    #expect(
      report(found) == [.tell(found), .tell(.started(Self.primary)), .answer(.start, nil)])
  }

  @Test mutating func `muting works in any state and stays`() {
    #expect(rules.take(.toggleMute) == [] && rules.isMuted)
    #expect(rules.take(.start) == [.run(1), .mute(true)])
    #expect(rules.take(.toggleMute) == [.mute(false)] && !rules.isMuted)
  }

  @Test mutating func `the next camera: only where there is one, and while sources are open`() {
    let early = rules.take(.rotateCamera)
    #expect(early.last == .answer(.rotate, .notBroadcasting))
    goLive()
    #expect(rules.take(.rotateCamera) == [.rotate] && rules.cameraPosition == .back)
    #expect(
      report(.cameraChanged(source: "two"))
        == [.tell(.cameraChanged(source: "two")), .answer(.rotate, nil)])
    #expect(rules.cameraPosition == .front)
    #expect(
      report(.cameraNotChanged(source: "one", reason: "busy"))
        .contains(.answer(.rotate, .failed(message: "busy"))))
    report(.cameraChanged(source: "one"))
    #expect(rules.cameraPosition == .back)
    var single = Rules(Rules.Setting(cameras: ["one"]))
    let orders = single.take(.rotateCamera)
    let reason = "there is one camera only; configure others in otherVideos"
    #expect(
      orders == [
        .tell(.cameraNotChanged(source: "the next camera", reason: reason)),
        .answer(.rotate, .unavailable(.rotateCamera, reason: reason)),
      ])
  }
}
