package import BunnySystem

/// Tells when each sample of a sound card was captured, and how fast the card's clock is.
///
/// It learns from stamps: the moments at which the card had captured so many samples. A card's crystal
/// is off by up to some hundred parts per million, and wanders as it warms. Stamps come late, by
/// milliseconds at times; so of 32 of them one at the earliest quarter counts, and it pulls on time and
/// rate like a spring that takes ten seconds (a second-order loop, critically damped).
package struct MicrophoneClock: Sendable {
  /// Samples a second, as the card says.
  private let sampleRate: Double
  /// Where and when the estimate begins: all else is counted from here.
  private var origin: (position: Int64, time: Double) = (0, 0)
  /// How much longer a sample lasts than the card says, as a fraction.
  private var skew: Double
  /// How late each stamp of the present window came, nanoseconds.
  private var lateness: [Double] = []
  private var windows = 0
  /// Windows in a row that contradict all that came before.
  private var contradictions = 0

  /// Stamps to a window; the first one is shorter, since sound waits for it.
  private static let length = 32
  private static let firstLength = 8
  /// The spring, in radians a second.
  private static let stiffness = 0.1
  /// Nanoseconds: what is further off is no jitter.
  private static let plausible = 20e6
  /// So many windows in a row are believed, whatever they say: samples were lost.
  private static let persistence = 3
  private static let largestSkew = 1500e-6

  /// - Parameter partsPerMillion: how fast the card is, if that is known.
  package init(sampleRate: Int, partsPerMillion: Double = 0) {
    self.sampleRate = Double(sampleRate)
    skew = -partsPerMillion / 1e6
    lateness.reserveCapacity(Self.length)
  }

  /// It knows what time it is: some stamps have come.
  package var isSet: Bool { windows > 0 }

  /// How fast the card is: 100 means that it captures 48 004.8 samples a second instead of 48 000.
  package var partsPerMillion: Double { -skew * 1e6 }

  /// When sample `position` began. Only of use once ``isSet``.
  package func time(of position: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(nanoseconds(position).rounded()))
  }

  private func nanoseconds(_ position: Int64) -> Double {
    origin.time + Double(position - origin.position) * (1 + skew) * 1e9 / sampleRate
  }

  /// At `time` the card had captured `position` samples. In the order of their times.
  package mutating func observe(_ position: Int64, at time: MonotonicTime) {
    if windows == 0 && lateness.isEmpty { origin = (position, Double(time.nanoseconds)) }
    lateness.append(Double(time.nanoseconds) - nanoseconds(position))
    guard lateness.count == (isSet ? Self.length : Self.firstLength) else { return }
    lateness.sort()
    learn(from: lateness[lateness.count / 4], until: position)
    lateness.removeAll(keepingCapacity: true)
  }

  private mutating func learn(from error: Double, until position: Int64) {
    let isPlausible = abs(error) <= Self.plausible
    contradictions = isPlausible ? 0 : contradictions + 1
    let isStep = windows == 0 || contradictions == Self.persistence
    guard isPlausible || isStep else { return }
    contradictions = 0
    windows += 1
    let seconds = Double(position - origin.position) / sampleRate
    origin = (position, nanoseconds(position))
    if isStep {
      origin.time += error
    } else {
      // At first like the straight line through all windows (as if three had agreed before); the
      // spring takes over when it is the stronger.
      let count = Double(windows + 3)
      let pairs = count * (count + 1)
      let line = (time: (4 * count - 2) / pairs, rate: 6 / pairs)
      let pull = Self.stiffness * seconds
      origin.time += error * min(1, max(line.time, 2 * pull))
      skew += error * max(line.rate, min(1, pull * pull)) / (seconds * 1e9)
      skew = min(Self.largestSkew, max(-Self.largestSkew, skew))
    }
  }
}
