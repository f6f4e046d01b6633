import BunnyMedia
import Glibc

/// Finds where the test tone's 1 kHz beeps begin, to a fraction of a millisecond.
///
/// The sound is correlated with 1 kHz over one period (48 samples), four times a period: that is
/// the beep's envelope. A beep begins where the envelope passes half of what it settles at; being a
/// mean over one period of an edge that is one period long, it does so one period after.
struct BeepFinder {
  /// Seconds.
  private(set) var onsets: [Double] = []

  private static let period = broadcastSampleRate / 1000
  private static let chunk = period / 4
  private static let chunkSeconds = Double(chunk) / Double(broadcastSampleRate)
  /// Where a beep may begin: -34 dBFS.
  private static let trigger: Float = 0.02

  /// Chunks that are kept: 20 ms before the trigger and 60 ms after. AAC smears up to 20 ms of a
  /// beep to before it, so that only the last 30 ms are sure to be settled.
  private static let before = 80
  private static let after = 240
  private static let settled = 120

  private var phase = 0
  private var sum = Chunk()
  private var recent: [Chunk] = []  // the last four: one period
  private var envelope: [Float] = []
  private var powers: [Float] = []
  private var quietChunks = 0
  private var chunksToGo: Int?
  private var expected: Double?

  private struct Chunk {
    var real: Float = 0
    var imaginary: Float = 0
    var power: Float = 0
  }

  mutating func add(_ samples: UnsafeBufferPointer<Float>, at time: Double) {
    if let expected, abs(time - expected) > 0.003 { forget() }
    for index in samples.indices {
      let sample = samples[index]
      sum.real += sample * Self.cosines[phase]
      sum.imaginary += sample * Self.sines[phase]
      sum.power += sample * sample
      phase += 1
      if phase % Self.chunk == 0 {
        if phase == Self.period { phase = 0 }
        close(at: time + Double(index + 1) / Double(broadcastSampleRate))
      }
    }
    expected = time + Double(samples.count) / Double(broadcastSampleRate)
  }

  private mutating func forget() {
    recent = []
    envelope = []
    powers = []
    sum = Chunk()
    phase = 0
    quietChunks = 0
    chunksToGo = nil
  }

  private mutating func close(at end: Double) {
    recent.append(sum)
    sum = Chunk()
    guard recent.count == 4 else { return }
    let real = recent.reduce(0) { $0 + $1.real }
    let imaginary = recent.reduce(0) { $0 + $1.imaginary }
    let magnitude = 2 * (real * real + imaginary * imaginary).squareRoot() / Float(Self.period)
    envelope.append(magnitude)
    powers.append(recent.reduce(0) { $0 + $1.power } / Float(Self.period))
    recent.removeFirst()
    if envelope.count > 4 * (Self.before + Self.after) { trim() }
    advance(magnitude, end)
  }

  private mutating func trim() {
    envelope.removeFirst(envelope.count - Self.before - Self.after)
    powers.removeFirst(powers.count - Self.before - Self.after)
  }

  /// Waits for quiet, then for the tone, then until it has settled.
  private mutating func advance(_ magnitude: Float, _ end: Double) {
    if let left = chunksToGo {
      chunksToGo = left > 1 ? left - 1 : nil
      if left == 1 { measure(end) }
    } else if magnitude < Self.trigger {
      quietChunks += 1
    } else {
      // 0.2 s of quiet before it; the envelope's ripple in an encoded edge is not a second beep.
      if quietChunks > 800 { chunksToGo = Self.after }
      quietChunks = 0
    }
  }

  private mutating func measure(_ end: Double) {
    let level = envelope.suffix(Self.settled).reduce(0, +) / Float(Self.settled)
    let power = powers.suffix(Self.settled).reduce(0, +) / Float(Self.settled)
    guard level > Self.trigger, level * level / 2 > 0.8 * power else { return }  // 1 kHz, and only
    let first = max(1, envelope.count - Self.before - Self.after)
    guard
      let index = (first..<envelope.count).first(where: {
        envelope[$0] >= level / 2 && envelope[$0 - 1] < level / 2
      })
    else { return }
    let (low, high) = (envelope[index - 1], envelope[index])
    let fraction = Double((level / 2 - low) / (high - low))
    // Each entry is of the period that ends there; the beep began where that period did.
    let chunksAgo = Double(envelope.count - index) - fraction
    onsets.append(end - (chunksAgo + 4) * Self.chunkSeconds)
  }

  private static let cosines = (0..<period).map { Float(cos(angle($0))) }
  private static let sines = (0..<period).map { Float(sin(angle($0))) }
  private static func angle(_ index: Int) -> Double { 2 * .pi * Double(index) / Double(period) }
}
