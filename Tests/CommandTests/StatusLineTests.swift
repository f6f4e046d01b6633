import BunnyBroadcast
import BunnyCommand
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

struct StatusLineTests {
  private let full =
    "live 00:01:05  rtmp://host/app/•••  30.0 fps  2.48 Mbit/s  queue 12 ms  drops 3"

  private func view() throws -> BroadcastView {
    var configuration = BroadcastConfiguration(ingest: try Ingest("rtmp://host/app/SECRET"))
    configuration.backup = try Ingest("rtmp://spare/app/SECRET")
    return BroadcastView(configuration)
  }

  private func statistics() -> BroadcastStatistics {
    var statistics = BroadcastStatistics()
    statistics.state = "live"
    statistics.elapsedSeconds = 65.9
    statistics.framesPerSecond = 29.98
    statistics.bitrate = 2_480_400
    statistics.queueAgeMs = 12.4
    statistics.totals.droppedFrames = 3
    return statistics
  }

  @Test func `a line that fits is shown whole`() throws {
    #expect(StatusLine.text(statistics(), try view(), width: 200) == full)
    #expect(StatusLine.text(statistics(), try view(), width: full.count + 1) == full)
  }

  @Test func `what the picture is encoded to is shown while it is less than the quality's`() throws
  {
    var statistics = statistics()
    statistics.targetBitrate = 1_250_000
    statistics.targetReason = "the network takes 1.50 Mbit/s"
    #expect(
      StatusLine.text(statistics, try view(), width: 200)
        == full.replacing("  queue", with: "  target 1.25 Mbit/s  queue"))
  }

  @Test func `what is waited for stands in place of figures that there are none of`() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let waiting = Waiting("its time", until: (date, MonotonicTime(nanoseconds: .seconds(3600))))
    let begun = MonotonicTime(nanoseconds: 0)
    var view = try view()
    view.apply(.lost(view.ingest!, reason: "x"))
    view.hasKeys = true
    let line = StatusLine.text(
      waiting.statistics(since: begun, at: .init(nanoseconds: .seconds(48))), view, width: 200)
    #expect(
      line == "waiting 00:00:48  begins in 00:59:12, at 2027-01-15T08:00:00Z  [q end, m mute]")
    let other = Waiting("Bunny's API").statistics(since: begun, at: begun)
    #expect(
      StatusLine.text(other, view, width: 200)
        == "waiting 00:00:00  for Bunny's API  [q end, m mute]")
  }

  @Test func `there is something to be ended from when a stream was found to when it is over`()
    throws
  {
    var view = BroadcastView(waitingFor: "asking", isMuted: false)
    #expect(!view.hasStream)
    view.apply(.streamFound(title: nil, status: .created, resumes: false))
    #expect(view.hasStream)
    view.apply(.streamOver(reason: "over"))
    #expect(!view.hasStream)
    view.apply(.published(try Ingest("rtmp://host/app/SECRET")))
    #expect(view.hasStream)
  }

  @Test func `what does not fit is taken from the address, down to a few characters`() throws {
    let cut = StatusLine.text(statistics(), try view(), width: full.count)
    #expect(cut == full.replacing("rtmp://host/app/•••", with: "rtmp://host/app/•…"))
    let shortest = full.replacing("rtmp://host/app/•••", with: "rtmp://host/…")
    #expect(StatusLine.text(statistics(), try view(), width: shortest.count + 1) == shortest)
    let none = full.replacing("  rtmp://host/app/•••", with: "")
    #expect(StatusLine.text(statistics(), try view(), width: shortest.count) == none)
  }

  @Test(arguments: [0, 1, 2, 20, 40])
  func `a line that does not fit without is cut before the last column`(_ width: Int) throws {
    let none = full.replacing("  rtmp://host/app/•••", with: "")
    #expect(
      StatusLine.text(statistics(), try view(), width: width)
        == String(none.prefix(max(0, width - 1))))
  }

  @Test func `what is drawn is as long as it was cut, and keeps the host`() throws {
    let ingest = try Ingest("rtmp://127.0.0.1:17559/live/SECRET")
    let view = BroadcastView(BroadcastConfiguration(ingest: ingest))
    let style = ConsoleStyle(isTerminal: true, environment: ["TERM": "xterm"])
    for width in 40...130 {
      var console = ConsoleText(style)
      let drawn = console.draw(StatusLine.text(statistics(), view, width: width)) ?? ""
      let line = drawn.drop { $0 == "\r" }.prefix { $0 != "\u{1B}" }
      #expect(line.count < width, "\(width): \(line)")
      #expect(!line.contains("rtmp://") || line.contains("rtmp://127.0"), "\(width): \(line)")
    }
  }

  @Test func `keys are hinted at`() throws {
    var view = try view()
    view.hasKeys = true
    let line = full + "  [q end, m mute]"
    #expect(StatusLine.text(statistics(), view, width: line.count + 1) == line)
    #expect(StatusLine.text(statistics(), view, width: 80).hasSuffix("drops 3  [q end, m mute]"))
    view.isMuted = true
    #expect(
      StatusLine.text(statistics(), view, width: 120)
        == full.replacing("  rtmp:", with: "  muted  rtmp:") + "  [q end, m unmute]")
    view.hasCameras = true
    #expect(
      StatusLine.text(statistics(), view, width: 120)
        == full.replacing("  rtmp:", with: "  muted  rtmp:") + "  [q end, m unmute, c camera]")
  }

  @Test func `the state and the ingest follow the events`() throws {
    var view = try view()
    let statistics = statistics()
    #expect(view.state(statistics) == "live")
    view.apply(.lost(view.ingest!, reason: "x"))
    #expect(view.state(statistics) == "retrying")
    view.apply(.reconnecting(attempt: 1, usingBackup: true, after: .zero, reason: "x"))
    #expect(view.target == "rtmp://spare/app/•••")
    view.apply(.reconnecting(attempt: 2, usingBackup: false, after: .zero, reason: "x"))
    #expect(view.target == "rtmp://host/app/•••")
    view.apply(.reconnected(try Ingest("rtmp://spare/app/SECRET")))
    #expect(view.target == "rtmp://spare/app/•••")
    #expect(view.state(statistics) == "live")
    view.apply(.connection(try Ingest("rtmp://host/app/SECRET"), .ready))  // a standby
    #expect(view.target == "rtmp://spare/app/•••")
    view.apply(.uplinkLost)
    #expect(view.state(statistics) == "uplink down")
    view.apply(.uplinkBack)
    #expect(view.state(statistics) == "live")
    view.isEnding = true
    #expect(view.state(statistics) == "ending")
  }

  @Test(arguments: [
    (0.0, "00:00:00"), (59.99, "00:00:59"), (3600, "01:00:00"), (359_999, "99:59:59"),
    (360_000, "100:00:00"), (-1, "00:00:00"), (.nan, "00:00:00"), (.infinity, "00:00:00"),
  ])
  func `hours are not wrapped`(_ seconds: Double, _ text: String) {
    #expect(Wording.clock(seconds) == text)
  }

  @Test(arguments: [
    (0.0, "0 kbit/s"), (850_400, "850 kbit/s"), (999_499, "999 kbit/s"), (999_500, "1.00 Mbit/s"),
    (6_000_000, "6.00 Mbit/s"), (.nan, "- Mbit/s"),
  ])
  func `bit rates have three digits or so`(_ bitrate: Double, _ text: String) {
    #expect(Wording.bitrate(bitrate) == text)
  }

  @Test func `statistics are worth a line every 30 s`() {
    var pace = StatisticsPace()
    let due = (1...21).filter {
      pace.isDue(at: MonotonicTime(nanoseconds: .seconds(Double($0) * 3)))
    }
    #expect(due == [1, 11, 21])
  }
}
