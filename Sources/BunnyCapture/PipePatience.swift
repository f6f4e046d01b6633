package import BunnySystem

/// When what another program delivers counts as lost. Reads nothing.
package struct PipePatience {
  private let isFIFO: Bool
  /// Since when it is waited for.
  private var began: MonotonicTime
  private var lastBytes: MonotonicTime?
  private var lastPicture: MonotonicTime?
  /// From the last picture but one to the last, nanoseconds.
  private var interval: Int64 = 0
  /// It counts as lost, and is waited for without an end.
  private var isLost = false

  /// How long it may take to begin.
  package static let beginning: Int64 = .seconds(3)
  /// How long bytes may come without a picture: the next keyframe may be far.
  package static let leastSearch: Int64 = .seconds(5)

  /// - Parameter isFIFO: somebody may open it who has not yet.
  package init(at now: MonotonicTime, isFIFO: Bool) { (began, self.isFIFO) = (now, isFIFO) }

  /// It is opened anew.
  package mutating func begin(at now: MonotonicTime) {
    let wasLost = isLost
    self = Self(at: now, isFIFO: isFIFO)
    isLost = wasLost
  }

  package mutating func bytesCame(at now: MonotonicTime) { lastBytes = now }

  package mutating func pictureCame(at now: MonotonicTime) {
    interval = lastPicture.map { min(now - $0, .seconds(2)) } ?? 0
    (lastPicture, isLost) = (now, false)
  }

  /// Somebody was told that it is lost.
  package mutating func lost() { isLost = true }

  private var silenceLimit: Int64 {
    if isFIFO && lastBytes == nil { return Lateness.least }  // nobody writes to it
    return lastPicture == nil ? Self.beginning : Lateness.limit(interval: interval)
  }
  private var searchLimit: Int64 { max(Self.leastSearch, 3 * interval) }

  /// When to look at the clock again.
  package var deadline: MonotonicTime {
    if isLost { return .distantFuture }
    return min((lastBytes ?? began) + silenceLimit, (lastPicture ?? began) + searchLimit)
  }

  /// Why it is lost by now; nil: it is not.
  package func problem(at now: MonotonicTime) -> PipeProblem? {
    guard now >= deadline else { return nil }
    guard let lastBytes else {
      return isFIFO ? .noWriter : .silent(milliseconds: Self.milliseconds(now - began))
    }
    return now - lastBytes >= silenceLimit
      ? .silent(milliseconds: Self.milliseconds(now - lastBytes))
      : .noPicture(milliseconds: Self.milliseconds(now - (lastPicture ?? began)))
  }

  private static func milliseconds(_ time: Int64) -> Int { Int(time / .milliseconds(1)) }
}
