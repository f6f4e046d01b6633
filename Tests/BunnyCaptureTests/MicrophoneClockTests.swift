import BunnyCapture
import BunnySystem
import Foundation
import Support
import Testing

/// A sound card that is simulated: what it captures, when, and when it says so.
private struct Card {
  /// Parts per million by which it is fast, after so many seconds.
  var speed: (Double) -> Double
  /// Nanoseconds by which a stamp is late.
  var jitter: (inout Dice) -> Double = { _ in 0 }
  private var dice = Dice(seed: 7)
  /// Samples that it has counted.
  private(set) var position: Int64 = 0
  /// When it had captured them, in nanoseconds.
  private(set) var time = 1e12

  init(speed: @escaping (Double) -> Double, jitter: @escaping (inout Dice) -> Double = { _ in 0 }) {
    self.speed = speed
    self.jitter = jitter
  }

  var seconds: Double { (time - 1e12) / 1e9 }

  /// Captures `count` samples, of which it does not count those that are `lost`.
  ///
  /// - Returns: Its stamp.
  mutating func capture(_ count: Int64 = 480, lost: Int64 = 0) -> MonotonicTime {
    position += count - lost
    time += Double(count) / 48_000 / (1 + speed(seconds) / 1e6) * 1e9
    return MonotonicTime(nanoseconds: Int64(time + jitter(&dice)))
  }

  /// Nanoseconds by which `clock` is off the truth.
  func error(of clock: MicrophoneClock) -> Double {
    abs(Double(clock.time(of: position).nanoseconds) - time)
  }
}

/// Up to a millisecond; and one stamp in a thousand is late by 5 to 60 ms more.
private func usualJitter(_ dice: inout Dice) -> Double {
  let usual = Double(dice.next() % 1_000_000)
  return dice.next() % 1000 == 0 ? usual + Double(5_000_000 + dice.next() % 55_000_000) : usual
}

/// A crystal that wanders between -30 and 150 parts per million.
private func wandering(_ seconds: Double) -> Double {
  60 + 50 * sin(seconds / 600) + 40 * sin(seconds / 7000)
}

@Suite struct MicrophoneClockTests {
  @Test func `a day of jitter, wandering and holes leaves it within a millisecond`() {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: wandering, jitter: usualJitter)
    var worst = 0.0
    var worstRate = 0.0
    for stamp in 1...8_640_000 {
      // Every twenty minutes samples are missing: more each time, up to some seconds.
      let time = card.capture(stamp % 120_000 == 0 ? Int64(480 * (stamp / 30_000)) : 480)
      clock.observe(card.position, at: time)
      guard clock.isSet else { continue }
      worst = max(worst, card.error(of: clock))
      guard card.seconds > 60 else { continue }
      worstRate = max(worstRate, abs(clock.partsPerMillion - card.speed(card.seconds)))
    }
    #expect(card.seconds > 86_400)
    #expect(worst < 1e6, "nanoseconds")
    #expect(worstRate < 10, "parts per million")
  }

  @Test(arguments: [-1000.0, -300, -100, 0, 100, 300, 1000])
  func `it knows a card's rate within twenty seconds, and was never far off`(speed: Double) {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: { _ in speed }, jitter: usualJitter)
    var worst = 0.0
    while card.seconds < 120 {
      let time = card.capture()
      clock.observe(card.position, at: time)
      guard clock.isSet else { continue }
      worst = max(worst, card.error(of: clock))
      if card.seconds > 20 { #expect(abs(clock.partsPerMillion - speed) < 10) }
    }
    #expect(worst < 2e6, "nanoseconds")
  }

  @Test func `a rate that changes all at once is learnt within a minute, at less than 5 ms`() {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: { $0 < 100 ? -300 : 300 }, jitter: usualJitter)
    var worst = 0.0
    while card.seconds < 300 {
      let time = card.capture()
      clock.observe(card.position, at: time)
      guard clock.isSet else { continue }
      worst = max(worst, card.error(of: clock))
      if card.seconds > 160 { #expect(abs(clock.partsPerMillion - 300) < 20) }
    }
    #expect(worst < 5e6, "nanoseconds")
  }

  @Test func `samples that were lost unsaid are noticed within a second and a half`() {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: { _ in 50 }, jitter: usualJitter)
    while card.seconds < 100 {
      let time = card.capture()
      clock.observe(card.position, at: time)
    }
    let time = card.capture(9600, lost: 9120)
    clock.observe(card.position, at: time)
    let loss = card.seconds
    while card.seconds < loss + 60 {
      let time = card.capture()
      clock.observe(card.position, at: time)
      if card.seconds > loss + 1.5 { #expect(card.error(of: clock) < 2e6) }
      #expect(abs(clock.partsPerMillion - 50) < 20)
    }
  }

  @Test func `stamps that come late for half a second mean nothing`() {
    var late = false
    var clock = MicrophoneClock(sampleRate: 48_000)
    var card = Card(speed: { _ in 50 })
    while card.seconds < 60 {
      late = (30..<30.5).contains(card.seconds)
      let time = card.capture() + (late ? .milliseconds(90) : 0)
      clock.observe(card.position, at: time)
      if clock.isSet { #expect(card.error(of: clock) < 1e6) }
    }
  }

  @Test func `it is set by eight stamps, of which one in four may be right`() {
    var clock = MicrophoneClock(sampleRate: 44_100)
    let start = MonotonicTime(nanoseconds: 5_000_000_000)
    for stamp in Int64(1)...8 {
      #expect(!clock.isSet)
      clock.observe(441 * stamp, at: start + .milliseconds(10 * stamp + (stamp % 3 == 1 ? 0 : 40)))
    }
    #expect(clock.isSet)
    #expect(abs(clock.time(of: 0) - start) < 1000)
    #expect(abs(clock.time(of: 44_100) - (start + .seconds(1))) < 1000)
  }
}

@Suite struct MicrophonePaceTests {
  /// Hands on what `card` captures, as a microphone does.
  ///
  /// - Parameter body: is told how far, in nanoseconds, what was handed on is off when it was captured.
  private func play(
    _ card: inout Card, seconds: Double, withHoles: Bool = false,
    _ body: (_ off: Double, _ partsPerMillion: Double) -> Void
  ) {
    var clock = MicrophoneClock(sampleRate: 48_000)
    var pace = MicrophonePace()
    var made = 0.0
    var stamp = 0
    while card.seconds < seconds {
      stamp += 1
      // Every twenty minutes, longer each time.
      let missing = withHoles && stamp % 120_000 == 0 ? Int64(stamp / 100) : 0
      if missing > 0 { clock.observe(card.position + missing, at: card.capture(missing)) }
      let (start, time) = (card.position, card.time)
      clock.observe(start + 480, at: card.capture())
      guard clock.isSet else { continue }
      made += 480 * (1 + pace.partsPerMillion / 1e6)
      let count = made.rounded(.down)
      made -= count
      let place = pace.place(
        Int(count), captured: clock.time(of: start), clock: clock.partsPerMillion,
        afterHole: missing > 0)
      body(Double(place.nanoseconds) - time, pace.partsPerMillion)
    }
  }

  @Test func `for a day sound is where it belongs, within two milliseconds`() {
    var card = Card(speed: wandering, jitter: usualJitter)
    var worst = 0.0
    var steepest = 0.0
    var last: Double?
    play(&card, seconds: 86_400, withHoles: true) { off, rate in
      worst = max(worst, abs(off))
      steepest = max(steepest, last.map { abs(rate - $0) } ?? 0)
      last = rate
    }
    #expect(worst < 2e6, "nanoseconds")
    #expect(steepest < 100, "parts per million from one run to the next")
  }

  @Test(arguments: [-1000.0, -300, 300, 900])
  func `any card is in step within five milliseconds, and all the time`(speed: Double) {
    var card = Card(speed: { _ in speed }, jitter: usualJitter)
    play(&card, seconds: 300) { off, rate in
      #expect(abs(off) < 5e6)
      #expect(abs(rate) <= MicrophonePace.most)
    }
  }

  @Test func `an error up to 200 ms is worked off, a larger one jumped over`() {
    let start = MonotonicTime(nanoseconds: 7_000_000_000)
    var pace = MicrophonePace()
    let first = pace.place(480, captured: start, clock: 0, afterHole: true)
    #expect(first == start)
    let off = start + .milliseconds(10 + 199)
    let second = pace.place(480, captured: off, clock: 0, afterHole: false)
    #expect(second == start + .milliseconds(10))
    #expect(pace.partsPerMillion == 1000 && pace.error == .milliseconds(199))
    let far = start + .milliseconds(20 + 201)
    let third = pace.place(480, captured: far, clock: 0, afterHole: false)
    #expect(third == far)
    #expect(pace.partsPerMillion == 0)
    let early = far + .milliseconds(10 - 150)
    let fourth = pace.place(480, captured: early, clock: 0, afterHole: false)
    #expect(fourth == far + .milliseconds(10))
    #expect(pace.partsPerMillion == -1000)
  }

  @Test func `after a hundred days sound is still counted to the sample`() {
    let start = MonotonicTime(nanoseconds: 7_000_000_000)
    var pace = MicrophonePace()
    let day = 86_400 * 48_000
    for passed in Int64(0)..<100 {
      let truth = start + passed * .seconds(86_400)
      #expect(pace.place(day, captured: truth, clock: 0, afterHole: false) == truth)
    }
  }

  @Test func `a hole is left as long as it is, but for one of two milliseconds`() {
    let start = MonotonicTime(nanoseconds: 7_000_000_000)
    var pace = MicrophonePace()
    _ = pace.place(480, captured: start, clock: 0, afterHole: true)
    let small = start + .milliseconds(11)
    let second = pace.place(480, captured: small, clock: 0, afterHole: true)
    #expect(second == start + .milliseconds(10))
    let large = start + .milliseconds(25)
    let third = pace.place(480, captured: large, clock: 0, afterHole: true)
    #expect(third == large)
  }

  @Test func `a card's own rate is made up for before there is an error`() {
    var pace = MicrophonePace()
    _ = pace.place(480, captured: .now, clock: 250, afterHole: true)
    #expect(pace.partsPerMillion == -250)
  }
}
