import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Testing

struct ToneTests {
  private let second = MonotonicTime(nanoseconds: 41_000_000_000)

  @Test func `a beep of a tenth of a second starts at each whole second`() {
    let sound = sound(from: second + -.milliseconds(500), runs: 100)
    #expect(sound.count == 96_000)
    #expect(sound[..<24_000].allSatisfy { $0 == 0 })
    #expect(sound[28_800..<72_000].allSatisfy { $0 == 0 })
    #expect(sound[76_800...].allSatisfy { $0 == 0 })
    #expect(Array(sound[24_000..<28_800]) == Array(sound[72_000..<76_800]))
  }

  @Test func `it is 1 kHz at -12 dBFS, but for a millisecond at its edges`() {
    let beep = sound(from: second, runs: 5)
    let amplitude = pow(10, -12.0 / 20)
    for index in 48..<(4800 - 49) {
      let wave = amplitude * sin(2 * .pi * Double(index) / 48)
      #expect(abs(Double(beep[index]) - wave) < 0.0001)
    }
    #expect(beep.first == 0)
    #expect(zip(beep, beep.dropFirst()).allSatisfy { abs($0 - $1) < 0.04 }, "a click")
  }

  @Test func `both channels are the same`() {
    let run = Tone.samples(at: second)
    #expect(run.count == 960 && run.sampleRate == 48_000 && run.channels == 2)
    #expect(run.withChannel(0) { Array($0) } == run.withChannel(1) { Array($0) })
  }

  @Test func `runs follow each other exactly, each when it is complete`() {
    let tone = Tone()
    let start = MonotonicTime.now
    let runs = (0..<4).compactMap { _ in tone.next() }
    let end = MonotonicTime.now
    #expect(runs.count == 4)
    #expect(runs[0].time.nanoseconds % .milliseconds(20) == 0)
    #expect(start - runs[0].time >= .milliseconds(20))
    #expect(start - runs[0].time < .milliseconds(40) + (end - start))
    for (earlier, later) in zip(runs, runs.dropFirst()) {
      #expect(later.time - earlier.time == .milliseconds(20))
    }
    #expect(end - runs[3].time >= .milliseconds(20))
  }

  @Test func `a cancelled tone ends`() {
    let tone = Tone()
    #expect(tone.next() != nil)
    tone.cancel()
    #expect(tone.next() == nil)
  }

  private func sound(from start: MonotonicTime, runs: Int) -> [Float] {
    (0..<runs).flatMap { run in
      Tone.samples(at: start + .milliseconds(20 * Int64(run))).withChannel(0) { Array($0) }
    }
  }
}
