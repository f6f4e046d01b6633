import BunnySystem

/// What the picture is to be encoded to, so that the network carries it. A value, which reads no clock and
/// does no I/O; it is told every 100 to 250 ms how one connection does.
///
/// Down at once, to what has been seen to arrive while something waited, less what has piled up. Up by trying:
/// fast where nothing is known to fail, and hardly ever near what did. A burst, such as a keyframe, that came
/// through faster than what failed shows that the line is another one now.
package struct BitrateRule: Sendable {
  /// Of what the line carries, what it is asked to: the rest lets bursts pass.
  static let share = 0.94
  /// In nanoseconds: in how long what has piled up is to be gone; how much may have been piled up by
  /// something else than the bit rate, and for how long.
  static let drain = Int64.milliseconds(800)
  /// How long the encoder takes to follow.
  static let reaction = Int64.milliseconds(300)
  static let mostPiledUp = Int64.milliseconds(700)
  /// Nanoseconds that have piled up which no picture could be bad enough for to be gone soon.
  static let much = Int64.milliseconds(2500)
  /// Nanoseconds of a connection's beginning; and of the parts that are looked at then, later, and before what
  /// was measured is corrected.
  static let beginning = Int64.seconds(3)
  static let parts = (
    first: Int64.milliseconds(70), later: Int64.milliseconds(140), sure: Int64.milliseconds(320)
  )
  static let piledUpLong = (growing: Int64.seconds(2), shrinking: Int64.seconds(10))
  /// Nanoseconds that are little of what has piled up: at once, and after a second.
  static let little = (
    atOnce: (here: Int64.milliseconds(60), inAll: Int64.milliseconds(400)),
    later: (here: Int64.milliseconds(300), inAll: Int64.seconds(1))
  )

  /// What share of what the line is given is so little that half of the trouble is enough.
  static let farBelow = 0.62
  /// By what share less must come through, of a picture that uses its bit rate and of one that does not.
  static let margin = (used: 0.06, unused: 0.3)
  /// By what share the target rises in a second where nothing is known to fail.
  static let pace = (used: 0.4, unused: 0.1)

  package let limits: Limits
  /// Bit/s for the picture, now.
  package private(set) var target: Double
  /// The same, once what has piled up is gone.
  package private(set) var settled: Double
  package private(set) var reason: Reason?
  /// What it is for longer than a moment.
  package var lasting: Double { drainsLong ? target : settled }
  package private(set) var steps = PictureSteps()
  /// The line carries less than the least that it is encoded to, and media piles up.
  package private(set) var isTooLittle = false

  var meter = DeliveryMeter()
  var usage = UsageMeter()
  private var connection: Int?
  private var beginsUntil = MonotonicTime(nanoseconds: 0)
  /// What has piled up is being worked off; why.
  private var draining: Draining?
  private var ceiling = RateCeiling()
  private var drainsSince: MonotonicTime?
  /// Since when more waits than is calm.
  private var piledUpSince: MonotonicTime?
  private var lastRise: MonotonicTime?

  /// Far less came through than was given; less did, as when a try fails; something else piled up.
  private enum Draining { case fell, failed, piledUp }
  /// Nothing waits here any more, only in the kernel and on the line.
  private var isAlmostDrained = false
  /// So much had piled up that to be rid of it fast would cost the picture for long.
  private var drainsLong = false

  package init(_ limits: Limits) {
    self.limits = limits
    (target, settled) = (limits.most, limits.most)
  }

  package mutating func take(_ sample: Sample) {
    if sample.connection != connection { forget(sample.connection, at: sample.time) }
    usage.note(made: sample.made, at: sample.time)
    if let figures = sample.figures {
      meter.note(
        queueAge: sample.queueAge, confirmed: sample.confirmed, pace: figures, at: sample.time)
      if let burst = sample.burst { ceiling.note(burst) }
      if draining != .fell { fall(at: sample.time) }
      if draining != nil { drain(sample) } else { rise(at: sample.time) }
    }
    if settled <= limits.least, meter.queue > Self.much { isTooLittle = true }
    if meter.queue < trouble { isTooLittle = false }
    steps.take(share: lasting / limits.most, at: sample.time)
  }

  private mutating func forget(_ connection: Int, at now: MonotonicTime) {
    self.connection = connection
    beginsUntil = now + Self.beginning
    (meter, ceiling, draining, lastRise) = (DeliveryMeter(), RateCeiling(), nil, nil)
    piledUpSince = nil
    (isAlmostDrained, drainsLong) = (false, false)
    target = settled
    if settled >= limits.most { reason = nil }
  }
}

// Down.
extension BitrateRule {
  /// Nanoseconds of waiting that are no reason to do anything, and those that are.
  private var calm: Int64 { .milliseconds(80) + meter.idleDelay / 4 }
  private var trouble: Int64 { .milliseconds(200) + meter.idleDelay / 2 }

  /// In so long parts is looked at what comes through: three are longer than TCP holds back by itself, which
  /// it hardly does at first.
  private func part(at now: MonotonicTime) -> Int64 {
    max(
      now < beginsUntil ? Self.parts.first : Self.parts.later,
      min(meter.idleDelay * 5 / 4, .milliseconds(300)))
  }

  private mutating func fall(at now: MonotonicTime) {
    if meter.queue > Self.mostPiledUp { piledUpSince = piledUpSince ?? now }
    if meter.queue < Self.mostPiledUp * 2 / 3 { piledUpSince = nil }
    guard meter.queue > trouble / 2 else { return }
    let isUsed = usage.share(of: target + limits.sound, within: .seconds(2)) >= 0.8
    let piledUp = piledUpSince.map { now - $0 } ?? 0
    if let (why, carried) = shortfall(isUsed, piledUp, part: part(at: now)),
      why == .fell || draining != .failed
    {
      settled = clamped(Self.share * carried - limits.sound)
      ceiling.failed(at: carried, wasUsed: isUsed, now: now)
      (draining, drainsSince) = (why, now)
    } else if draining == nil, piledUp > Self.piledUpLong.shrinking {
      (draining, drainsSince) = (.piledUp, now)
    }
  }

  /// Bit/s that come through; nil: as much as there is, or it has not been little for long enough.
  private mutating func shortfall(
    _ isUsed: Bool, _ piledUp: Int64, part: Int64
  ) -> (Draining, carried: Double)? {
    let input = target + limits.sound
    // An easy picture gives less: what comes through of it is little, on a line that answers late too.
    func given(_ span: Int64) -> Double {
      isUsed ? input : min(input, usage.share(of: 1, within: span))
    }
    if let most = meter.most(in: part), most * 8 < Self.farBelow * given(.milliseconds(500)) {
      return (.fell, carried(within: .milliseconds(500)) ?? most * 8)
    }
    if meter.queue > trouble, let most = meter.most(in: 2 * part, sinceItWaits: true),
      most * 8 < (1 - (isUsed ? Self.margin.used : Self.margin.unused)) * given(.seconds(1))
    {
      // What TCP held back by itself meanwhile is no lack of the line's.
      return carried(within: .seconds(1)).map { (.failed, max($0, most * 8)) }
    }
    guard piledUp > Self.piledUpLong.growing, let rate = meter.rate(within: .milliseconds(1500))
    else { return nil }
    let isMore = rate * 8 > usage.share(of: 1, within: .milliseconds(1500))
    return isMore ? nil : (.failed, rate * 8)
  }

  /// What lies before is another capacity's.
  private mutating func carried(within span: Int64) -> Double? {
    defer { meter.forget(before: span) }
    return meter.rate(within: span).map { $0 * 8 }
  }

  private mutating func drain(_ sample: Sample) {
    let rate = paceWhileDraining
    guard meter.queue > calm + rushing(at: rate) else {
      draining = nil
      target = settled
      reason = settled < limits.most ? ceiling.rate.map { .carries($0) } ?? reason : nil
      (lastRise, isAlmostDrained, drainsLong) = (sample.time, false, false)
      return
    }
    if meter.queue > Self.much { drainsLong = true }
    guard let rate else { return }
    let fitting = clamped(Self.share * rate - limits.sound)
    if draining != .piledUp, fitting > 1.03 * settled || isLessAllTheTime(fitting, sample.time) {
      settled = fitting
      ceiling.measured(rate)
    }
    noteWhereItWaits(sample)
    // Less for a moment shows in what piles up. Of a fall it is not known yet how deep it is.
    let carried = draining == .failed ? max(rate, (settled + limits.sound) / Self.share) : rate
    let left = (Self.share - drainage) * carried - limits.sound
    let wanted = max(limits.leastForAMoment, min(settled, left))
    // Up again only where little is left, or long before: an encoder needs time for each change.
    let isMore = isAlmostDrained && wanted > 1.05 * target || drainsLong && wanted > 1.25 * target
    if wanted < 0.92 * target || isMore { target = wanted }
    reason =
      draining == .piledUp
      ? .catchingUp(meter.queue / .milliseconds(1)) : .carries(ceiling.rate ?? rate)
  }

  /// What TCP holds back by itself touches two of three such parts at most; a fall is rather found at once.
  private func isLessAllTheTime(_ fitting: Double, _ now: MonotonicTime) -> Bool {
    guard fitting < 0.97 * settled else { return false }
    let known = (settled + limits.sound) / Self.share
    let part = draining == .fell ? part(at: now) : max(2 * part(at: now), Self.parts.sure)
    return meter.most(in: part, sinceItWaits: true).map { $0 * 8 < 0.97 * known }
      ?? (draining == .fell)
  }

  /// Bit/s. A line that slows down once more is not measured by what it carried before.
  private var paceWhileDraining: Double? {
    mutating get {
      guard let rate = meter.rate(within: .seconds(1)) else { return nil }
      guard let newest = meter.rate(within: .milliseconds(500)), newest < 0.7 * rate else {
        return rate * 8
      }
      return carried(within: .milliseconds(500))
    }
  }

  /// Hard as long as much waits here, then gently: the kernel and the bottleneck hold some tenths of a second.
  private mutating func noteWhereItWaits(_ sample: Sample) {
    let isLong = drainsSince.map { sample.time - $0 > .seconds(1) } ?? false
    let most = isLong ? Self.little.later : Self.little.atOnce
    if sample.queueAge < most.here, meter.queue < most.inAll + meter.idleDelay {
      isAlmostDrained = true
    } else if sample.queueAge > .milliseconds(500) {
      isAlmostDrained = false  // it has become slower meanwhile
    }
  }

  /// What share of what the line carries is left to what has piled up.
  private var drainage: Double {
    if isAlmostDrained { return 0.02 }
    let drainage = Double(meter.queue - calm) / Double(Self.drain)
    return draining == .piledUp ? min(0.5, drainage) : min(drainage, drainsLong ? 0.6 : 1)
  }

  /// Nanoseconds that the queue will have lost when the encoder has taken a new target.
  private func rushing(at carried: Double?) -> Int64 {
    guard let carried, carried > target + limits.sound else { return 0 }
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
    if let rate = meter.rate(within: .milliseconds(1500), atLeast: .seconds(1)) {
      ceiling.carried(rate * 8)
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
