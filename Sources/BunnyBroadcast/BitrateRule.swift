package import BunnySystem

/// What the picture is to be encoded to, so that the network carries it. A value, which reads no clock and
/// does no I/O; it is told every 100 to 250 ms how one connection does.
///
/// Down at once, to what has been seen to arrive while something waited, less what has piled up. Up by trying:
/// fast where nothing is known to fail, and hardly ever near what did. A burst, such as a keyframe, that came
/// through faster than what failed shows that the line is another one now.
package struct BitrateRule: Sendable {
  /// What a connection does.
  package struct Sample: Sendable {
    package var time: MonotonicTime
    /// Of the connection: with another one nothing is known.
    package var connection: Int
    /// Nanoseconds that the oldest unsent tag has waited.
    package var queueAge: Int64
    /// Bytes of this connection that are known to have arrived.
    package var confirmed: Int64
    /// nil: none are.
    package var figures: DeliveryFigures?
    /// The last burst.
    package var burst: Burst?
    /// Bytes that the encoders have made so far.
    package var made: Int64

    package init(
      time: MonotonicTime, connection: Int, queueAge: Int64, confirmed: Int64,
      figures: DeliveryFigures?, burst: Burst? = nil, made: Int64
    ) {
      (self.time, self.connection, self.queueAge) = (time, connection, queueAge)
      (self.confirmed, self.figures, self.burst) = (confirmed, figures, burst)
      self.made = made
    }
  }

  /// What went to the kernel at once came through at this pace.
  package struct Burst: Sendable {
    package let bytesPerSecond: Double
    package let at: MonotonicTime

    package init(bytesPerSecond: Double, at: MonotonicTime) {
      (self.bytesPerSecond, self.at) = (bytesPerSecond, at)
    }
  }

  /// Why the target is what it is.
  package enum Reason: Equatable, Sendable {
    /// Bit/s that the network has been seen to carry.
    case carries(Double)
    /// Milliseconds of media wait.
    case catchingUp(Int64)
    case trying
  }

  package struct Limits: Sendable {
    /// Bit/s of the picture: the quality's.
    package let most: Double
    package let least: Double
    /// Bit/s of the sound.
    package let sound: Double

    package init(picture: Int, sound: Int) {
      most = Double(picture)
      least = min(most, max(0.15 * most, 300_000))
      self.sound = Double(sound)
    }
  }

  /// Of what the line carries, what it is asked to: the rest lets bursts pass.
  static let share = 0.94
  /// In nanoseconds: in how long what has piled up is to be gone; how much may have been piled up by
  /// something else than the bit rate.
  static let drain = Int64.milliseconds(800)
  /// How long the encoder takes to follow.
  static let reaction = Int64.milliseconds(300)
  static let mostPiledUp = Int64.milliseconds(700)

  /// What share of what the line is given is so little that half of the trouble is enough.
  static let farBelow = 0.55
  /// By what share less must come through of a picture that does not use its bit rate.
  static let unusedMargin = 0.3
  /// By what share the target rises in a second where nothing is known to fail.
  static let pace = (used: 0.4, unused: 0.1)

  package let limits: Limits
  /// Bit/s for the picture, now.
  package private(set) var target: Double
  /// The same, once what has piled up is gone.
  package private(set) var settled: Double
  package private(set) var reason: Reason?
  package private(set) var steps = PictureSteps()

  var meter = DeliveryMeter()
  var usage = UsageMeter()
  private var connection: Int?
  /// What has piled up is being worked off; why.
  private var draining: Draining?
  private var ceiling = RateCeiling()
  private var lastRise: MonotonicTime?

  private enum Draining { case failed, piledUp }
  /// Nothing waits here any more, only in the kernel and on the line.
  private var isAlmostDrained = false

  package init(_ limits: Limits) {
    self.limits = limits
    (target, settled) = (limits.most, limits.most)
  }

  package mutating func take(_ sample: Sample) {
    if sample.connection != connection { forget(sample.connection) }
    usage.note(made: sample.made, at: sample.time)
    if let figures = sample.figures {
      meter.note(
        queueAge: sample.queueAge, confirmed: sample.confirmed, pace: figures, at: sample.time)
      if let burst = sample.burst { ceiling.note(burst) }
      if draining == nil { fall(at: sample.time) }
      if draining != nil { drain(sample) } else { rise(at: sample.time) }
    }
    steps.take(share: settled / limits.most, at: sample.time)
  }

  private mutating func forget(_ connection: Int) {
    self.connection = connection
    (meter, ceiling, draining, lastRise) = (DeliveryMeter(), RateCeiling(), nil, nil)
    isAlmostDrained = false
    target = settled
    if settled >= limits.most { reason = nil }
  }
}

// Down.
extension BitrateRule {
  /// Nanoseconds of waiting that are no reason to do anything, and those that are.
  private var calm: Int64 { .milliseconds(80) + meter.idleDelay / 4 }
  private var trouble: Int64 { .milliseconds(200) + meter.idleDelay / 2 }

  private mutating func fall(at now: MonotonicTime) {
    guard meter.queue > trouble / 2 else { return }
    let input = target + limits.sound
    let isUsed = usage.share(of: input, within: .seconds(2)) >= 0.8
    // The shorter it was measured, the surer it must be.
    for span in [Int64.milliseconds(500), .milliseconds(1500)] {
      guard let rate = meter.rate(within: span) else { continue }
      let margin = isUsed ? 0.06 / (Double(rate.span) / 1e9) : Self.unusedMargin
      // An easy picture gives less: what comes through of it is little, on a line that answers late too.
      let given = isUsed ? input : min(input, usage.share(of: 1, within: span))
      let isFarBelow = rate.bytesPerSecond * 8 < Self.farBelow * given
      guard rate.bytesPerSecond * 8 < given * (1 - margin), isFarBelow || meter.queue > trouble
      else { continue }
      meter.forget(before: span)
      ceiling.failed(at: rate.bytesPerSecond * 8, wasUsed: isUsed, now: now)
      draining = .failed
      return
    }
    if meter.queue > Self.mostPiledUp, meter.rate(within: .milliseconds(1500)) != nil {
      draining = .piledUp
    }
  }

  private mutating func drain(_ sample: Sample) {
    let rate = paceWhileDraining
    guard meter.queue > calm + rushing(at: rate?.bytesPerSecond) else {
      draining = nil
      target = settled
      reason = settled < limits.most ? ceiling.rate.map { .carries($0) } ?? reason : nil
      (lastRise, isAlmostDrained) = (sample.time, false)
      return
    }
    guard let rate else { return }
    let carried = rate.bytesPerSecond * 8
    let fitting = clamped(Self.share * carried - limits.sound)
    if draining == .failed {
      ceiling.measured(carried)
      if abs(fitting - settled) > 0.03 * settled { settled = fitting }
    }
    noteWhereItWaits(sample)
    let wanted = clamped(min(settled, fitting) - drainage * carried)
    // Up again only where little is left: fewer changes, each of which the encoder needs time for.
    if wanted < 0.92 * target || isAlmostDrained && wanted > 1.05 * target { target = wanted }
    reason =
      draining == .failed ? .carries(carried) : .catchingUp(meter.queue / .milliseconds(1))
  }

  /// A line that slows down once more is not measured by what it carried before.
  private var paceWhileDraining: (bytesPerSecond: Double, span: Int64)? {
    mutating get {
      let rate = meter.rate(within: .seconds(1))
      guard let rate, let newest = meter.rate(within: .milliseconds(500)),
        newest.bytesPerSecond < 0.7 * rate.bytesPerSecond
      else { return rate }
      meter.forget(before: .milliseconds(500))
      return newest
    }
  }

  private mutating func noteWhereItWaits(_ sample: Sample) {
    if sample.queueAge < .milliseconds(60), meter.queue < .milliseconds(400) + meter.idleDelay {
      isAlmostDrained = true
    } else if sample.queueAge > .milliseconds(200) || meter.queue > Self.mostPiledUp {
      isAlmostDrained = false  // it has become slower meanwhile
    }
  }

  /// What share of what the line carries is left to what has piled up.
  private var drainage: Double {
    isAlmostDrained ? 0.02 : Double(meter.queue - calm) / Double(Self.drain)
  }

  /// Nanoseconds that the queue will have lost when the encoder has taken a new target.
  private func rushing(at bytesPerSecond: Double?) -> Int64 {
    guard let carried = bytesPerSecond.map({ $0 * 8 }), carried > target + limits.sound else {
      return 0
    }
    return Int64(Double(Self.reaction) * (1 - (target + limits.sound) / carried))
  }

  private func clamped(_ bitrate: Double) -> Double {
    min(limits.most, max(limits.least, bitrate))
  }
}

// Up.
extension BitrateRule {
  private mutating func rise(at now: MonotonicTime) {
    let since = lastRise ?? now
    lastRise = lastRise ?? now
    if let rate = meter.rate(within: .milliseconds(1500)), rate.span >= .seconds(1) {
      ceiling.carried(rate.bytesPerSecond * 8)
    }
    let input = target + limits.sound
    let isUsed = usage.share(of: input, within: .seconds(2)) >= 0.8
    switch ceiling.take(isUsed: isUsed, isCalm: meter.queue < trouble, at: now) {
    case .hold(let most):
      let fitting = clamped(Self.share * most - limits.sound)
      lastRise = now
      guard fitting > 1.05 * target, meter.queue < trouble else { return }
      set(fitting, .carries(most))
    case .tries(let most):
      let fitting = clamped(most - limits.sound)
      lastRise = now
      if fitting > target { set(fitting, .trying) }
    case .rises:
      guard target < limits.most, meter.queue < .milliseconds(60) + meter.idleDelay / 4 else {
        lastRise = now
        return
      }
      guard now - since >= .milliseconds(250) else { return }
      lastRise = now
      // An encoder that does not follow, or need not, shows nothing.
      let pace =
        usage.share(of: input, within: .seconds(1)) >= 0.65 ? Self.pace.used : Self.pace.unused
      set(target * (1 + pace * Double(min(now - since, .milliseconds(500))) / 1e9), .trying)
    }
  }

  private mutating func set(_ bitrate: Double, _ why: Reason) {
    target = clamped(bitrate)
    settled = target
    reason = target < limits.most ? why : nil
  }
}
