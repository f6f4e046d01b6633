import BunnySystem
import Glibc

/// `--events json`: lines on standard output. A reader that stalls loses some, and is told how many.
final class EventFeed: Sendable {
  private let writer: LineWriter

  /// Writes the first line at once, so that an output that cannot be written is known before
  /// anything begins.
  ///
  /// - Parameter attention: signalled when writing fails later on.
  init(first line: EventLine, attention: WakeEvent) throws(CommandError) {
    let text = line.text(at: .now)
    var poll = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    // A pipe that is ready takes at least 4 KiB. One that a stalled reader has left full does not
    // keep the broadcast waiting: the line is queued like those that follow.
    let isReady = Glibc.poll(&poll, 1, 1000) > 0
    if isReady { try printOut(text) }
    writer = LineWriter(to: STDOUT_FILENO, name: "events", attention: attention)
    if !isReady { writer.write(text) }
  }

  var failure: LineWriter.Failure? { writer.failure }

  /// - Parameter line: is made of how many lines are lost by then; nil: none is written.
  func write(_ line: (Int) -> EventLine?) {
    let now = Moment.now
    writer.write { lost in line(lost)?.text(at: now) }
  }
  func finish() { writer.finish() }
}
