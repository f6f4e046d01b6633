import BunnyMedia
import BunnySystem

/// What the decoded sound holds: gaps, silence, and the test tone's beeps.
struct SoundCheck {
  private(set) var gaps = 0
  /// Milliseconds.
  private(set) var largestGap = 0.0
  private(set) var drift = 0.0
  private(set) var beeps = BeepFinder()

  private var silence = StretchFinder(shortest: 1)
  private var level = LevelMeter()
  private var expected: Double?  // where the next run begins if nothing is missing
  private var start: Double?
  private var sampleSeconds = 0.0

  /// A run as decoded, before any conversion: what its time says against its sample count.
  mutating func addDecoded(_ samples: Samples) {
    let time = Double(samples.time.nanoseconds) / 1e9
    if let expected {
      let step = (time - expected) * 1000
      if abs(step) > 5 { gaps += 1 }
      if abs(step) > abs(largestGap) { largestGap = step }
    }
    let origin = start ?? time
    start = origin
    drift = (time - origin - sampleSeconds) * 1000
    let length = Double(samples.count) / Double(samples.sampleRate)
    sampleSeconds += length
    expected = time + length
  }

  /// The same sound in the broadcast's own form.
  mutating func addConverted(_ samples: Samples) {
    let time = Double(samples.time.nanoseconds) / 1e9
    samples.withChannel(0) { left in
      samples.withChannel(1) { right in
        level.add(left, right, at: time) { isSilent, start, end in
          silence.add(isSilent, from: start, to: end)
        }
      }
      beeps.add(left, at: time)
    }
  }

  func silentStretches() -> [Stretch] {
    var silence = silence
    silence.close()
    return silence.stretches
  }
}

/// Tells for each 10 ms whether they are quieter than -60 dBFS (RMS, of the louder channel).
private struct LevelMeter {
  private static let window = broadcastSampleRate / 100
  private var left: Float = 0
  private var right: Float = 0
  private var count = 0
  private var start = 0.0

  mutating func add(
    _ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>, at time: Double,
    _ body: (_ isSilent: Bool, _ start: Double, _ end: Double) -> Void
  ) {
    let rate = Double(broadcastSampleRate)
    for index in left.indices {
      if count == 0 { start = time + Double(index) / rate }
      self.left += left[index] * left[index]
      self.right += right[index] * right[index]
      count += 1
      guard count == Self.window else { continue }
      let power = max(self.left, self.right) / Float(count)
      body(power < 1e-6, start, time + Double(index + 1) / rate)
      (self.left, self.right, count) = (0, 0, 0)
    }
  }
}
