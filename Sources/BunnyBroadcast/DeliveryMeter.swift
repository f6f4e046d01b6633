package import BunnySystem

/// How fast a connection's bytes come through while something waits, and for how long it waits. A value,
/// which reads no clock.
///
/// Only while something waits is what arrives what the line can carry; else it is what there was to send.
package struct DeliveryMeter: Sendable {
  /// In nanoseconds: how late bytes are when they count as waiting; over how long is measured at least and
  /// at most; what is no pause between two confirmations yet.
  private static let late = Int64.milliseconds(60)
  private static let spans = (least: Int64.milliseconds(250), most: Int64.milliseconds(1500))
  private static let pause = Int64.milliseconds(400)
  /// The shortest way through is looked for over one to two of these, in nanoseconds.
  private static let idlePeriod = Int64.seconds(30)

  private struct Mark: Sendable {
    let at: MonotonicTime
    let confirmed: Int64
  }

  /// Nanoseconds that what is sent now will wait: here, in the kernel and at the bottleneck.
  package private(set) var queue: Int64 = 0
  /// Of a second or so, since something began to wait.
  private var marks: [Mark] = []
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
    let waited = last.map { mark.at - $0.at } ?? 0
    last = mark
    // A line that stood still is not slow; one that does so again and again is.
    let isPause = waited > max(Self.pause, 3 * idleDelay)
    if isPause, !hadPause {
      marks = []
      settlesAt = mark.at + max(.milliseconds(200), 4 * idleDelay)
    }
    hadPause = isPause
    guard mark.at >= settlesAt else { return }
    let isWaiting = queueAge > Self.late || pace.delay - idleDelay > Self.late
    marks = isWaiting ? marks + [mark] : [mark]
    if let first = marks.firstIndex(where: { mark.at - $0.at <= Self.spans.most }) {
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
  /// - Parameter span: nanoseconds at most, from the last confirmation back.
  /// - Returns: bytes a second, and over how many nanoseconds; nil: nothing waits, or not for long enough.
  package func rate(within span: Int64) -> (bytesPerSecond: Double, span: Int64)? {
    let least = max(Self.spans.least, min(3 * idleDelay, Self.spans.most / 2))
    guard let last = marks.last,
      let first = marks.first(where: { last.at - $0.at <= max(span, least + .milliseconds(200)) }),
      last.at - first.at >= least
    else { return nil }
    let seconds = Double(last.at - first.at) / 1e9
    return (Double(last.confirmed - first.confirmed) / seconds, last.at - first.at)
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
