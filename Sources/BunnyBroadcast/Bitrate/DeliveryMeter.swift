package import BunnySystem

/// How fast a connection's bytes come through while something waits, and for how long it waits. A value,
/// which reads no clock.
///
/// Only while something waits is what arrives what the line can carry; else it is what there was to send.
package struct DeliveryMeter: Sendable {
  /// In nanoseconds: how late bytes are when they count as waiting; over how long is measured at least and
  /// at most; what is no pause between two confirmations yet: a packet that a full bottleneck has dropped
  /// holds up all behind it for half a second.
  private static let late = Int64.milliseconds(60)
  private static let spans = (least: Int64.milliseconds(250), most: Int64.milliseconds(1500))
  private static let pause = Int64.milliseconds(700)
  /// Three parts of 600 ms and a little are looked back at.
  private static let kept = Int64.seconds(2)
  /// The shortest way through is looked for over one to two of these, in nanoseconds.
  private static let idlePeriod = Int64.seconds(30)

  private struct Mark: Sendable {
    let at: MonotonicTime
    let confirmed: Int64
  }

  /// Nanoseconds that what is sent now will wait: here, in the kernel and at the bottleneck.
  package private(set) var queue: Int64 = 0
  /// Of a second or so.
  private var marks: [Mark] = []
  /// Since when something waits.
  private var waitsSince: MonotonicTime?
  private var last: Mark?
  private var idle: (before: Int64, now: Int64, since: MonotonicTime)?
  private var hadPause = false
  /// After a pause TCP finds its pace anew.
  private var settlesAt = MonotonicTime(nanoseconds: 0)

  package init() {}

  /// Nanoseconds from the kernel to a confirmation when nothing waits.
  package var idleDelay: Int64 { idle.map { min($0.before, $0.now) } ?? 0 }

  /// - Parameters:
  ///   - queueAge: nanoseconds that the oldest unsent tag has waited.
  ///   - confirmed: bytes, of one connection all the time.
  ///   - pace: of that connection.
  package mutating func note(
    queueAge: Int64, confirmed: Int64, pace: DeliveryFigures, at now: MonotonicTime
  ) {
    let isNew = last.map { pace.confirmedAt > $0.at } ?? true
    if isNew { noteIdle(min(pace.delay, pace.roundTrip ?? .max), at: now) }
    queue = queueAge + max(0, pace.delay - idleDelay)
    guard isNew else { return }
    let mark = Mark(at: pace.confirmedAt, confirmed: confirmed)
    // A long line's pace is found in some round trips.
    if last == nil { settlesAt = mark.at + max(0, 5 * idleDelay - .milliseconds(200)) }
    let waited = last.map { mark.at - $0.at } ?? 0
    last = mark
    // A line that stood still is not slow; one that does so again and again is.
    let isPause = waited > max(Self.pause, 3 * idleDelay)
    if isPause, !hadPause {
      (marks, waitsSince) = ([], nil)
      settlesAt = mark.at + max(.milliseconds(200), 4 * idleDelay)
    }
    hadPause = isPause
    guard mark.at >= settlesAt else { return }
    let isWaiting = queueAge > Self.late || pace.delay - idleDelay > Self.late
    if !isWaiting { waitsSince = mark.at }
    marks.append(mark)
    if let first = marks.firstIndex(where: { mark.at - $0.at <= Self.kept }) {
      marks.removeFirst(first)
    }
  }

  private mutating func noteIdle(_ delay: Int64, at now: MonotonicTime) {
    var known = idle ?? (delay, delay, now)
    if now - known.since > Self.idlePeriod { known = (known.now, delay, now) }
    known.now = min(known.now, delay)
    idle = known
  }

  /// What came through while something waited.
  ///
  /// - Parameters:
  ///   - span: nanoseconds at most, from the last confirmation back.
  ///   - least: nanoseconds at least.
  /// - Returns: bytes a second; nil: nothing waits, or not for long enough.
  package func rate(within span: Int64, atLeast least: Int64? = nil) -> Double? {
    let usual = max(Self.spans.least, min(3 * idleDelay, Self.spans.most / 2))
    let most = max(span, usual + .milliseconds(200))
    guard let last = marks.last,
      let first = marks.first(where: { last.at - $0.at <= most && $0.at >= waitsSince ?? $0.at }),
      last.at - first.at >= least ?? usual
    else { return nil }
    return Self.rate(first, last)
  }

  private static func rate(_ first: Mark, _ last: Mark) -> Double {
    Double(last.confirmed - first.confirmed) * 1e9 / Double(last.at - first.at)
  }

  /// The most that came through in any of the last three parts of so many nanoseconds. A line that has become
  /// slower is so all the time; but TCP holds back by itself for a quarter of a second now and then: after a
  /// loss, or, as BBR does every ten seconds, to see how short the way is.
  ///
  /// - Parameter sinceItWaits: only that.
  /// - Returns: bytes a second; nil: nothing is known of so long.
  package func most(in part: Int64, sinceItWaits: Bool = false) -> Double? {
    let marks = marks.drop { sinceItWaits && $0.at < waitsSince ?? $0.at }
    guard var end = marks.last else { return nil }
    var most = 0.0
    for _ in 0..<3 {
      guard let begin = marks.last(where: { end.at - $0.at >= part }) else { return nil }
      most = max(most, Self.rate(begin, end))
      end = begin
    }
    return most
  }

  /// What lies before the last `span` nanoseconds was another capacity's.
  package mutating func forget(before span: Int64) {
    guard let last = marks.last else { return }
    marks.removeAll { last.at - $0.at > span }
  }
}

/// How the newest byte that is known to have arrived came through.
package struct DeliveryFigures: Sendable {
  /// When that became known.
  package var confirmedAt: MonotonicTime
  /// Nanoseconds since the kernel had taken it.
  package var delay: Int64
  /// Nanoseconds that a ping took the last time: the first one finds an idle line.
  package var roundTrip: Int64?

  package init(confirmedAt: MonotonicTime, delay: Int64, roundTrip: Int64? = nil) {
    (self.confirmedAt, self.delay, self.roundTrip) = (confirmedAt, delay, roundTrip)
  }
}
