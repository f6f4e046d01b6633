import BunnyCapture
import BunnySystem
import Foundation
import Support
import Testing

/// A sound card that is simulated: what it captures, and when it says so.
private struct Card {
  let rate = 48_000
  /// Parts per million by which it is fast, after so many seconds.
  var speed: (Double) -> Double
  /// Nanoseconds by which a stamp is late.
  var jitter: (inout Dice) -> Double = { _ in 0 }
  var dice = Dice(seed: 7)
  private(set) var position: Int64 = 0
  /// The truth, in nanoseconds, of when it had captured ``position`` samples.
  private(set) var time = 1e12

  init(speed: @escaping (Double) -> Double, jitter: @escaping (inout Dice) -> Double = { _ in 0 }) {
    self.speed = speed
    self.jitter = jitter
  }

  var seconds: Double { (time - 1e12) / 1e9 }

  /// Captures `count` samples; those of them that are `lost` are never told of.
  mutating func capture(_ count: Int64 = 480, lost: Int64 = 0) -> MonotonicTime {
    position += count - lost
    time += Double(count) / Double(rate) / (1 + speed(seconds) / 1e6) * 1e9
    return MonotonicTime(nanoseconds: Int64(time + jitter(&dice)))
  }
}

/// Half a millisecond usually; one stamp in a thousand is late by up to 60 ms, alone or not.
private func usualJitter(_ dice: inout Dice) -> Double {
  let usual = Double(dice.next() % 1_000_000)
  return dice.next() % 1000 == 0 ? usual + Double(5_000_000 + dice.next() % 55_000_000) : usual
}

@Suite struct MicrophoneClockTests {
  /// Nanoseconds by which `clock` is off the truth.
  private func error(_ clock: MicrophoneClock, _ card: Card) -> Double {
    Double(clock.time(of: card.position).nanoseconds) - card.time
  }

  @Test func `a day of jitter, of a crystal that wanders and of holes leaves it within 2 ms`() {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: { 80 + 40 * sin($0 / 600) + 30 * sin($0 / 7000) }, jitter: usualJitter)
    var worst = 0.0
    var worstRate = 0.0
    for stamp in 1...8_640_000 {
      // Now and then 200 ms are missing, which the card tells.
      let time = card.capture(stamp % 120_000 == 0 ? 9600 : 480)
      clock.observe(card.position, at: time)
      guard clock.isSet else { continue }
      worst = max(worst, abs(error(clock, card)))
      guard card.seconds > 60 else { continue }
      worstRate = max(worstRate, abs(clock.partsPerMillion - card.speed(card.seconds)))
    }
    #expect(worst < 2e6, "nanoseconds")
    #expect(worstRate < 30, "parts per million")
  }
}
