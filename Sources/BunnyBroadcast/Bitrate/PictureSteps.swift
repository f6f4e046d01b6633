package import BunnySystem

/// Which frame rate and size suit a bit rate that the network leaves: below a third of the quality's half the
/// frames, then a smaller picture, rather than mud. A value, which reads no clock.
package struct PictureSteps: Sendable {
  /// Shares of the quality's bit rate; below each it goes one step down.
  private static let shares = [1.0 / 3, 0.25, 0.18]
  /// By how much the share must be exceeded to go back.
  private static let margin = 1.25
  /// Nanoseconds that a bit rate must last for a step down; from any step to the next one up.
  private static let patience = (down: Int64.seconds(1), up: Int64.seconds(10))

  /// 0: whole.
  package private(set) var step = 0
  private var lastStep: MonotonicTime?
  private var tooHighSince: MonotonicTime?

  package init() {}

  package var frameDivisor: Int { step > 0 ? 2 : 1 }
  package var size: EncodingPlan.Size { [.whole, .whole, .threeQuarters, .half][step] }

  /// - Parameter share: of the quality's bit rate.
  package mutating func take(share: Double, at now: MonotonicTime) {
    let wanted = Self.shares.count { share < $0 }
    guard wanted > step else {
      tooHighSince = nil
      return goUp(share, now)
    }
    let since = tooHighSince ?? now
    tooHighSince = since
    guard now - since >= Self.patience.down else { return }
    (step, lastStep, tooHighSince) = (wanted, now, nil)
  }

  private mutating func goUp(_ share: Double, _ now: MonotonicTime) {
    let higher = Self.shares.count { share < $0 * Self.margin }
    guard higher < step, lastStep.map({ now - $0 >= Self.patience.up }) ?? true else { return }
    (step, lastStep) = (higher, now)
  }
}
