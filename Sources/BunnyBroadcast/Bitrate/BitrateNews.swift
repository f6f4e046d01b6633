package import BunnySystem

/// Which changes of the bit rate are worth an event: great ones at once, small ones now and then, and none
/// that pass by themselves. A value, which reads no clock.
package struct BitrateNews: Sendable {
  package struct Change: Equatable, Sendable {
    package let from: Int
    package let to: Int
    package let reason: String
  }

  /// What share of change is worth telling, and how many nanoseconds after the last one.
  private static let great = (share: 0.2, after: Int64.seconds(2))
  private static let small = (share: 0.05, after: Int64.seconds(10))
  /// Nanoseconds until a fall is told: what a line carries is known better then. A climb is told of at its end,
  /// when it has been so for as long, or after ten seconds of it.
  private static let pause = Int64.seconds(1)
  private static let longestClimb = Int64.seconds(10)

  private let most: Double
  private var told: Double
  private var toldSteps = 0
  private var toldAt: MonotonicTime?
  private var differsSince: MonotonicTime?
  private var steady: (bitrate: Double, since: MonotonicTime)?

  package init(_ limits: BitrateRule.Limits) { (most, told) = (limits.most, limits.most) }

  package mutating func take(_ rule: BitrateRule, at now: MonotonicTime) -> Change? {
    if abs(rule.lasting - (steady?.bitrate ?? 0)) > 0.03 * rule.lasting {
      steady = (rule.lasting, now)
    }
    let share = abs(rule.lasting - told) / told
    let isBack = rule.lasting == most && told < most
    guard share >= Self.small.share || isBack || toldSteps != rule.steps.step else {
      differsSince = nil
      return nil
    }
    let since = differsSince ?? now
    differsSince = since
    let climbed = steady.map { now - $0.since >= Self.pause } ?? false
    let isDue = rule.lasting < told ? now - since >= Self.pause : climbed
    let after = toldAt.map { now - $0 } ?? .max
    let isGreat = share >= Self.great.share || toldSteps != rule.steps.step
    guard isDue || now - since >= Self.longestClimb,
      after >= (isGreat ? Self.great.after : Self.small.after)
    else { return nil }
    defer { (told, toldSteps, toldAt, differsSince) = (rule.lasting, rule.steps.step, now, nil) }
    return Change(from: Int(told), to: Int(rule.lasting), reason: reason(rule))
  }

  private func reason(_ rule: BitrateRule) -> String {
    let why = rule.reason?.description ?? "the network takes all of it"
    let still = rule.reason == nil ? "for now still at" : "at"
    switch (rule.steps.frameDivisor, rule.steps.size) {
    case (1, _): return toldSteps > 0 ? "\(why); all pictures again, and whole" : why
    case (_, .whole): return "\(why); \(still) half the frame rate"
    case (_, .threeQuarters):
      return "\(why); \(still) half the frame rate and three quarters of the size"
    case (_, .half): return "\(why); \(still) half the frame rate and half the size"
    }
  }

  /// `850 kbit/s`, `2.48 Mbit/s`.
  static func text(_ bitrate: Double) -> String {
    let kilobits = Int((bitrate / 1000).rounded())
    guard kilobits >= 1000 else { return "\(kilobits) kbit/s" }
    let hundredths = Int((bitrate / 10_000).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Mbit/s"
  }
}

extension BitrateRule.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .carries(let bitrate): "the network takes \(BitrateNews.text(bitrate))"
    case .catchingUp(let milliseconds):
      "\(milliseconds) ms of media have piled up, and are caught up with"
    case .trying: "trying whether the network takes more"
    }
  }
}
