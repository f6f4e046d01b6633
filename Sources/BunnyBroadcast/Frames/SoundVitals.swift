package import BunnyMedia
import BunnySystem
import Glibc

/// Whether sound that flows is alive. Decides only: ``SoundWatch`` listens.
package struct SoundVitals {
  package enum Change: Equatable, Sendable {
    /// It is silent with the next block, if that is like the last ones: time to find out why.
    case suspicious
    case silent
    /// It is not silent any more.
    case heard
  }

  private var quiet: Spell
  private let threshold: Double

  package init(_ limits: VitalLimits) {
    quiet = Spell(limit: limits.silentAfter)
    threshold = limits.silentBelow
  }

  /// - Parameters:
  ///   - level: the mean power of one block, dBFS.
  ///   - length: how long each block lasts, nanoseconds.
  package mutating func heard(_ level: Double, for length: Int64) -> Change? {
    let before = quiet.lasted
    switch quiet.note(level < threshold, after: length) {
    case .begins: return .silent
    case .ends: return .heard
    case nil: break
    }
    guard let limit = quiet.limit else { return nil }
    let suspicion = limit - length
    return before < suspicion && quiet.lasted >= suspicion ? .suspicious : nil
  }
}

/// How loud some sound is.
package struct Loudness: Sendable {
  private struct Side {
    var peak: Float = 0
    var power = 0.0

    func level(of count: Int) -> SoundLevel {
      SoundLevel(
        peak: SoundLevel.decibels(Double(peak)),
        rms: SoundLevel.decibels((power / Double(count)).squareRoot()))
    }
  }

  private var sides = (Side(), Side())
  /// Samples a side.
  package private(set) var count = 0

  package init() {}

  /// - Parameter run: in the broadcast's own form.
  package mutating func add(_ run: Samples) {
    Self.add(run, 0, to: &sides.0)
    Self.add(run, 1, to: &sides.1)
    count += run.count
  }

  private static func add(_ run: Samples, _ channel: Int, to side: inout Side) {
    let (peak, power) = run.withChannel(channel) { samples in
      var (peak, power) = (Float(0), 0.0)
      for sample in samples {
        peak = max(peak, abs(sample))
        power += Double(sample * sample)
      }
      return (peak, power)
    }
    side.peak = max(side.peak, peak)
    side.power += power
  }

  mutating func add(_ other: Loudness) {
    sides.0.peak = max(sides.0.peak, other.sides.0.peak)
    sides.1.peak = max(sides.1.peak, other.sides.1.peak)
    sides.0.power += other.sides.0.power
    sides.1.power += other.sides.1.power
    count += other.count
  }

  /// nil: there was no sound.
  package var left: SoundLevel? { count > 0 ? sides.0.level(of: count) : nil }
  package var right: SoundLevel? { count > 0 ? sides.1.level(of: count) : nil }
}

/// Listens to what a source delivers. Belongs to one thread.
package struct SoundWatch {
  /// Each block lasts a second.
  private static let block = broadcastSampleRate

  private var vitals: SoundVitals
  private let telemetry: Telemetry
  private let tell: (SoundVitals.Change) -> Void
  private var loudness = Loudness()

  package init(
    _ limits: VitalLimits, _ telemetry: Telemetry, _ tell: @escaping (SoundVitals.Change) -> Void
  ) {
    vitals = SoundVitals(limits)
    (self.telemetry, self.tell) = (telemetry, tell)
  }

  /// - Parameters:
  ///   - run: in the broadcast's own form; what the source delivered, no silence that fills a gap.
  ///   - isMuted: nobody is to hear it, so nobody misses it.
  package mutating func hear(_ run: Samples, isMuted: Bool) {
    loudness.add(run)
    guard loudness.count >= Self.block, let left = loudness.left, let right = loudness.right else {
      return
    }
    telemetry.heard(loudness)
    let length = Int64(loudness.count) * 1_000_000_000 / Int64(broadcastSampleRate)
    loudness = Loudness()
    guard !isMuted else { return }
    vitals.heard(max(left.rms, right.rms), for: length).map(tell)
  }
}
