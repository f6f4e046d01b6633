package import BunnyMedia
package import BunnySystem

/// The moments at which a test source's frames or runs begin: evenly spaced from a whole second of
/// ``MonotonicTime`` on, so that picture and sound agree on where a second starts.
package struct SourceGrid: Sendable {
  /// Where moment 0 lies: a whole second.
  package let start: MonotonicTime
  /// Seconds from one moment to the next.
  package let period: Timebase

  /// - Parameters:
  ///   - now: the grid starts at the last whole second before.
  ///   - rate: moments a second.
  package init(before now: MonotonicTime, rate: Timebase) {
    start = MonotonicTime(nanoseconds: now.wholeSecond * oneSecond)
    period = rate.reciprocal
  }

  package func time(of index: Int64) -> MonotonicTime {
    start + period.convert(index, to: .nanoseconds)
  }

  /// The moment nearest to `time`.
  package func nearest(to time: MonotonicTime) -> Int64 {
    Timebase.nanoseconds.convert(time - start, to: period)
  }

  /// The last moment that is not after `time`.
  package func last(before time: MonotonicTime) -> Int64 {
    let index = nearest(to: time)
    return self.time(of: index) > time ? index - 1 : index
  }

  /// Which moment follows the one delivered last: usually the next, but the present one when
  /// delivery is more than a second behind (the machine was suspended, or the reader held up).
  package func next(after index: Int64?, now: MonotonicTime) -> Int64 {
    let present = last(before: now)
    guard let index else { return present }
    return now - time(of: index + 1) > oneSecond ? present : index + 1
  }
}

let oneSecond: Int64 = 1_000_000_000

extension MonotonicTime {
  /// Whole seconds up to this moment.
  var wholeSecond: Int64 { nanoseconds / oneSecond }
}
