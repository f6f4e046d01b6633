import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Testing

/// What a simulated card captures of a sine of 1 kHz, and what becomes of it.
@Suite struct MicrophoneSoundTests {
  private let start = MonotonicTime(nanoseconds: 9_000_000_000)

  /// One channel of 16 bits, as a card with that rate captures it.
  ///
  /// - Parameter speed: parts per million by which the card's clock is fast.
  private func capture(
    _ position: Int64, rate: Int, speed: Double = 0, origin: MonotonicTime
  ) -> (samples: Samples, stamp: (Int64, MonotonicTime)) {
    let trueRate = Double(rate) * (1 + speed / 1e6)
    let count = Int64(rate / 100)
    let values = (position..<position + count).map { index in
      Int16(16_000 * sin(2 * .pi * 1000 * Double(index) / trueRate))
    }
    let samples = values.withUnsafeBytes {
      Samples(
        $0, .int16, sampleRate: rate, channels: 1,
        time: origin + Timebase(1, Int32(rate)).convert(position, to: .nanoseconds))
    }
    let end = start + Int64(Double(position + count) / trueRate * 1e9)
    return (samples, (position + count, end))
  }

  @Test(arguments: [(48_000, 0.0), (48_000, 300), (44_100, -300), (16_000, 700), (8000, 100)])
  func `it follows without a gap or a click, at the right pitch and in time`(
    rate: Int, speed: Double
  ) throws {
    var sound = MicrophoneSound(sampleRate: rate)
    var runs: [Samples] = []
    for block in 0..<4000 {
      let (samples, stamp) = capture(
        Int64(block * rate / 100), rate: rate, speed: speed, origin: start)
      try sound.take(samples, countedFrom: start, stamp: stamp) { runs.append($0) }
    }
    for (run, next) in zip(runs, runs.dropFirst()) {
      #expect(abs(next.time - run.time - Int64(run.count) * 1_000_000_000 / 48_000) <= 1)
    }
    #expect(abs(sound.partsPerMillion - speed) < 3)
    let left = runs.flatMap { $0.withChannel(0) { Array($0) } }
    let first = Double(try #require(runs.first).time - start) / 1e9
    // The sine that sounded then; 0.1 ms out of step would be off by 0.3.
    let settled = (left.count - 240_000)..<left.count
    let worst = settled.reduce(0) { worst, index in
      let seconds = first + Double(index) / 48_000
      let wave = 16_000.0 / 32_768 * sin(2 * .pi * 1000 * seconds)
      return max(worst, abs(Double(left[index]) - wave))
    }
    #expect(worst < 0.15)
    #expect(roughness(left.dropFirst(2000)) < 0.003)
  }

  /// How far a sample is off what its neighbours say of a sine of 1 kHz, at most: a click.
  private func roughness(_ samples: ArraySlice<Float>) -> Float {
    let factor = Float(2 * cos(2 * .pi * 1000 / 48_000.0))
    return samples.indices.dropFirst().dropLast().reduce(0) {
      max($0, abs(samples[$1 + 1] + samples[$1 - 1] - factor * samples[$1]))
    }
  }

  @Test func `what is missing is a gap of that length, exactly`() throws {
    var sound = MicrophoneSound(sampleRate: 48_000)
    var runs: [Samples] = []
    var position: Int64 = 0
    for block in 0..<200 {
      if block == 100 { position += 12_345 }
      let (samples, stamp) = capture(position, rate: 48_000, origin: start)
      try sound.take(samples, countedFrom: start, stamp: stamp) { runs.append($0) }
      position += 480
    }
    let gaps = zip(runs, runs.dropFirst()).map { run, next in
      next.time - run.time - Int64(run.count) * 1_000_000_000 / 48_000
    }
    let holes = gaps.filter { abs($0) > 1 }
    #expect(holes.count == 1)
    #expect(abs(holes[0] - 12_345 * 1_000_000_000 / 48_000) < 21_000, "a sample")
  }

  @Test(arguments: [8000, 48_000, 192_000])
  func `a card that has captured for a hundred days is still in step`(rate: Int) throws {
    var sound = MicrophoneSound(sampleRate: rate)
    let past = Int64(100 * 86_400 * rate)
    var runs: [Samples] = []
    for block in 0..<500 {
      let (samples, stamp) = capture(past + Int64(block * rate / 100), rate: rate, origin: start)
      try sound.take(samples, countedFrom: start, stamp: stamp) { runs.append($0) }
    }
    let first = start + .seconds(100 * 86_400)
    #expect(abs(try #require(runs.first).time - first) < .milliseconds(2))
    let last = try #require(runs.last)
    #expect(abs(last.time - first - .milliseconds(4990)) < .milliseconds(20))
  }

  @Test func `where counting begins anew, the moment says how much is missing`() throws {
    var sound = MicrophoneSound(sampleRate: 48_000)
    var runs: [Samples] = []
    for block in 0..<100 {
      let (samples, stamp) = capture(Int64(block * 480), rate: 48_000, origin: start)
      try sound.take(samples, countedFrom: start, stamp: stamp) { runs.append($0) }
    }
    try sound.beginAnew { runs.append($0) }
    let origin = start + .seconds(1) + .milliseconds(321)
    for block in 0..<100 {
      let (samples, _) = capture(Int64(block * 480), rate: 48_000, origin: origin)
      let stamp = (Int64(block * 480 + 480), origin + .milliseconds(Int64(block + 1) * 10))
      try sound.take(samples, countedFrom: origin, stamp: stamp) { runs.append($0) }
    }
    let gaps = zip(runs, runs.dropFirst()).map { run, next in
      next.time - run.time - Int64(run.count) * 1_000_000_000 / 48_000
    }
    let holes = gaps.filter { abs($0) > 1 }
    #expect(holes.count == 1)
    #expect(abs(holes[0] - .milliseconds(321)) < .milliseconds(1))
  }

  @Test func `every form of sample means the same`() throws {
    let values: [(SampleFormat, [UInt8])] = [
      (.int16, [0x00, 0x40]), (.int32, [0, 0, 0, 0x40]), (.int24, [0, 0, 0x40, 0xFF]),
      (.int24Packed, [0, 0, 0x40]), (.float, [0, 0, 0, 0x3F]),
    ]
    for (format, bytes) in values {
      let converter = SampleConverter()
      let stereo = (0..<9600).flatMap { _ in bytes }
      let samples = stereo.withUnsafeBytes {
        Samples($0, format, sampleRate: 48_000, channels: 2, time: start)
      }
      #expect(samples.count == 4800)
      let run = try #require(try converter.convert(samples).first)
      for channel in 0..<2 {
        run.withChannel(channel) { #expect(abs($0[2000] - 0.5) < 1e-6, "\(format)") }
      }
    }
  }
}
