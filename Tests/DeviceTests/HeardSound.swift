import BunnyCapture
import BunnyMedia
import BunnySystem

/// What a microphone has delivered: where its beeps begin, and whether anything is missing.
struct HeardSound {
  /// Milliseconds after the nearest whole second.
  private(set) var beeps: [(time: MonotonicTime, offset: Double)] = []
  /// Nanoseconds between two runs where there should be none.
  private(set) var holes: [Int64] = []
  private(set) var samples = 0
  private(set) var peaks: [Float] = [0, 0]
  private var quiet = 0
  private var end: MonotonicTime?

  /// Takes what `microphone` delivers in the next `seconds`.
  mutating func listen(to microphone: any SampleSource, seconds: Double) throws {
    let last = MonotonicTime.now + .seconds(seconds)
    while MonotonicTime.now < last, let run = try microphone.next() { add(run) }
  }

  private mutating func add(_ run: Samples) {
    precondition(run.sampleRate == 48_000 && run.channels == 2)
    if let end, abs(run.time - end) > 1000 { holes.append(run.time - end) }
    end = run.time + Int64(run.count) * 1_000_000_000 / 48_000
    samples += run.count
    let right = run.withChannel(1) { Array($0) }
    peaks[1] = right.reduce(peaks[1]) { max($0, abs($1)) }
    let left = run.withChannel(0) { Array($0) }
    for (index, sample) in left.enumerated() {
      peaks[0] = max(peaks[0], abs(sample))
      if abs(sample) < 0.02 {
        quiet += 1
      } else {
        if quiet > 20_000 { beep(at: run.time + Int64(index) * 1_000_000_000 / 48_000) }
        quiet = 0
      }
    }
  }

  private mutating func beep(at time: MonotonicTime) {
    let second = (time.nanoseconds + 500_000_000) / 1_000_000_000 * 1_000_000_000
    beeps.append((time, Double(time.nanoseconds - second) / 1e6))
  }
}
