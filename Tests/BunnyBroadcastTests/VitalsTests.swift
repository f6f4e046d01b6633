import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Testing

@Suite struct PictureVitalsTests {
  private static let black = PictureColour(y: 16, u: 128, v: 128)
  private static let blue = PictureColour(y: 32, u: 240, v: 118)

  private static var limits: VitalLimits {
    var limits = VitalLimits()
    (limits.frozenAfter, limits.blackAfter) = (.seconds(3), .seconds(2))
    return limits
  }

  /// What each look leads to, half a second after the one before it.
  private func changes(
    _ looks: [(isSame: Bool, colour: PictureColour?)], _ limits: VitalLimits = Self.limits
  ) -> [[PictureVitals.Change]] {
    var vitals = PictureVitals(limits)
    return looks.enumerated().map { number, look in
      let time = MonotonicTime(nanoseconds: Int64(number) * .milliseconds(500))
      return vitals.saw(isSame: look.isSame, colour: look.colour, at: time)
    }
  }

  @Test func `one that stays the same is frozen once, until it moves`() {
    let still = [Bool](repeating: true, count: 9)
    let looks: [Bool] = [false] + still + [false, false] + still
    let said = changes(looks.map { ($0, nil) })
    #expect(said[..<6].allSatisfy(\.isEmpty) && said[6] == [.frozen])
    #expect(said[7...9].allSatisfy(\.isEmpty) && said[10] == [.moves])
    #expect(said[11...16].allSatisfy(\.isEmpty) && said[17] == [.frozen])
  }

  @Test func `one that moves now and then is not frozen`() {
    let looks = (0..<60).map { (isSame: $0 % 6 != 0, colour: nil as PictureColour?) }
    #expect(changes(looks).allSatisfy { $0.isEmpty })
  }

  @Test func `one colour is told of once, whatever others follow`() {
    let blue = [PictureColour?](repeating: Self.blue, count: 5)
    let colours: [PictureColour?] = [nil] + blue + [Self.black, nil, nil]
    let said = changes(colours.map { (false, $0) })
    #expect(said[5] == [.oneColoured(Self.blue)] && said[7] == [.varied])
    #expect(said.joined().count == 2)
  }

  @Test func `both may be so at once`() {
    var looks = (0..<9).map { (isSame: $0 > 0, colour: Self.black as PictureColour?) }
    looks.append((false, nil))
    let said = changes(looks)
    #expect(said[4] == [.oneColoured(Self.black)] && said[6] == [.frozen])
    #expect(said[9] == [.moves, .varied])
  }

  @Test func `what nobody saw, as nothing came, does not count`() {
    var vitals = PictureVitals(Self.limits)
    func saw(_ second: Double, _ isSame: Bool) -> [PictureVitals.Change] {
      vitals.saw(
        isSame: isSame, colour: Self.black, at: MonotonicTime(nanoseconds: .seconds(second)))
    }
    #expect(saw(0, false) == [] && saw(0.5, true) == [])
    #expect(saw(600, true) == [])
    #expect(saw(600.5, true) == [.oneColoured(Self.black)])
    #expect(saw(601.5, true) == [.frozen])
  }

  @Test func `what is off is never said`() {
    var limits = Self.limits
    (limits.frozenAfter, limits.blackAfter) = (nil, nil)
    let looks = (0..<60).map { _ in (isSame: true, colour: Self.black as PictureColour?) }
    #expect(changes(looks, limits).allSatisfy { $0.isEmpty })
  }
}

@Suite struct SoundVitalsTests {
  private static func vitals(
    after limit: Duration? = .seconds(4), below level: Double = -70
  ) -> SoundVitals {
    var limits = VitalLimits()
    (limits.silentAfter, limits.silentBelow) = (limit, level)
    return SoundVitals(limits)
  }

  private func changes(
    _ levels: [Double], _ vitals: SoundVitals = Self.vitals()
  ) -> [SoundVitals.Change?] {
    var vitals = vitals
    return levels.map { vitals.heard($0, for: .seconds(1)) }
  }

  @Test func `silence is told of once, a second after it was suspected`() {
    #expect(
      changes([-20, -71, -80, -120, -120, -120, -120, -69, -20, -120, -120, -120, -120])
        == [nil, nil, nil, .suspicious, .silent, nil, nil, .heard, nil]
        + [nil, nil, .suspicious, .silent])
  }

  @Test func `what is heard in time is no silence`() {
    #expect(changes([-120, -120, -120, -40, -120]) == [nil, nil, .suspicious, nil, nil])
    #expect(changes(Array(repeating: -70, count: 100)).allSatisfy { $0 == nil })
  }

  @Test func `the limits are settings`() {
    let levels = Array(repeating: -45.0, count: 5)
    #expect(
      changes(levels, Self.vitals(after: .seconds(2), below: -40))
        == [.suspicious, .silent, nil, nil, nil])
    #expect(changes(levels, Self.vitals(after: nil, below: -40)).allSatisfy { $0 == nil })
  }

  @Test func `loudness is told of either side`() {
    var loudness = Loudness()
    #expect(loudness.left == nil && loudness.right == nil)
    loudness.add(Self.sine(0.5, 0))
    #expect(abs(loudness.left!.peak + 6.02) < 0.01 && abs(loudness.left!.rms + 9.03) < 0.01)
    #expect(loudness.right == SoundLevel(peak: -120, rms: -120))
    loudness.add(Self.sine(0, 1))
    #expect(abs(loudness.left!.rms + 12.04) < 0.01 && abs(loudness.right!.rms + 6.02) < 0.01)
    #expect(abs(loudness.right!.peak) < 0.01 && loudness.count == 96_000)
  }

  /// A second of 1 kHz.
  private static func sine(_ left: Float, _ right: Float) -> Samples {
    Samples(time: .now, count: 48_000) { first, second in
      for index in 0..<48_000 {
        let value = Float(sin(2 * .pi * Double(index) / 48))
        (first[index], second[index]) = (left * value, right * value)
      }
    }
  }

  @Test func `while the broadcast is muted silence does not run, and levels go on`() throws {
    var said: [SoundVitals.Change] = []
    var limits = VitalLimits()
    limits.silentAfter = .seconds(3)
    let telemetry = Telemetry(lanes: 1)
    var watch = SoundWatch(limits, telemetry) { said.append($0) }
    let silence = Self.sine(0, 0)
    for _ in 0..<2 { watch.hear(silence, isMuted: false) }
    for _ in 0..<10 { watch.hear(silence, isMuted: true) }
    #expect(said == [.suspicious])
    watch.hear(silence, isMuted: false)
    #expect(said == [.suspicious, .silent])
    watch.hear(Self.sine(1, 1), isMuted: true)
    #expect(said.count == 2)
    let peak = telemetry.statistics(at: .now, endsPeriod: true).left?.peak
    #expect(abs(try #require(peak)) < 0.01)
    #expect(telemetry.statistics(at: .now, endsPeriod: true).left == nil)
  }
}
