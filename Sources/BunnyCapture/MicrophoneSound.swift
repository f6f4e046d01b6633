package import BunnyMedia
package import BunnySystem

/// Makes what a card captured into the broadcast's own form, in step with ``MonotonicTime``.
///
/// Belongs to one thread. What it hands out follows without a gap, but for holes in what was captured.
package struct MicrophoneSound {
  private let converter = SampleConverter(isElastic: true)
  private var clock: MicrophoneClock
  private var pace = MicrophonePace()
  private let sampleRate: Int
  /// Where the card's positions count from, by its own clock.
  private var origin = MonotonicTime(nanoseconds: 0)
  /// Where the next run begins by the card's own clock, if nothing is missing.
  private var expected: MonotonicTime?
  /// What waits for the clock.
  private var waiting: [Samples] = []
  private var converted: [Samples] = []  // kept for its memory

  package init(sampleRate: Int) {
    self.sampleRate = sampleRate
    clock = MicrophoneClock(sampleRate: sampleRate)
  }

  /// How fast the card is.
  package var partsPerMillion: Double { clock.partsPerMillion }

  /// The card's positions begin anew, at a moment that is not known yet.
  package mutating func beginAnew(_ hand: (Samples) -> Void) throws(AVFailure) {
    waiting.removeAll(keepingCapacity: true)
    if clock.isSet { for run in try converter.finish() { hand(place(run)) } }
    clock = MicrophoneClock(sampleRate: sampleRate, partsPerMillion: clock.partsPerMillion)
    expected = nil
  }

  /// Takes one run.
  ///
  /// - Parameters:
  ///   - samples: their time counts from `origin` on, as if the card's clock were right.
  ///   - stamp: at this moment the card had captured so many samples.
  ///   - hand: is handed what came out, in order.
  package mutating func take(
    _ samples: Samples, countedFrom origin: MonotonicTime,
    stamp: (position: Int64, time: MonotonicTime), _ hand: (Samples) -> Void
  ) throws(AVFailure) {
    self.origin = origin
    clock.observe(stamp.position, at: stamp.time)
    waiting.append(samples)
    guard clock.isSet else { return }
    defer {
      waiting.removeAll(keepingCapacity: true)
      converted.removeAll(keepingCapacity: true)
    }
    for samples in waiting {
      converter.stretch(partsPerMillion: pace.partsPerMillion)
      try converter.convert(samples) { converted.append($0) }
    }
    for run in converted { hand(place(run)) }
  }

  private mutating func place(_ run: Samples) -> Samples {
    let position = Timebase.nanoseconds.convert(
      run.time - origin, to: Timebase(1, Int32(sampleRate)))
    let isHole = expected.map { abs(run.time - $0) > .milliseconds(1) } ?? true
    expected = run.time + Int64(run.count) * 1_000_000_000 / Int64(broadcastSampleRate)
    let time = pace.place(
      run.count, captured: clock.time(of: position), clock: clock.partsPerMillion,
      afterHole: isHole)
    run.stamp(time)  // the converter's own
    return run
  }
}
