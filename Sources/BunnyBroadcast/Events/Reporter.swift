import BunnySystem

/// Sends a `statistics` event every three seconds, from a thread of its own.
final class Reporter: Sendable {
  private static let period: Int64 = .seconds(3)
  /// Nanoseconds late that are no busy machine's any more.
  private static let heldUp: Int64 = .seconds(3)

  private let telemetry: Telemetry
  private let line: Line
  private let events: EventHub
  private let isOver = Flag()
  private let wake = WakeEvent()

  init(telemetry: Telemetry, line: Line, events: EventHub) {
    self.telemetry = telemetry
    self.line = line
    self.events = events
  }

  func start() {
    startThread("report") { [self] in
      var next = MonotonicTime.now + Self.period
      while !isOver.isSet {
        if wake.wait(until: next) { continue }
        let late = MonotonicTime.now - next
        if late > Self.heldUp {
          let seconds = late / .seconds(1)
          events.send(
            .notice(
              message: "this program stood still for \(seconds) s, and so did the broadcast: it "
                + "was stopped, or the machine had no time for it"))
        }
        telemetry.moved(line.moved)
        events.send(.statistics(telemetry.statistics(at: .now, endsPeriod: true)))
        next = max(next + Self.period, .now)  // after being held up, no burst
      }
    }
  }

  func stop() {
    isOver.isSet = true
    wake.signal()
  }
}
