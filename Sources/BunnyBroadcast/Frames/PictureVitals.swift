package import BunnyMedia
package import BunnySystem

/// Whether a picture that flows is alive. Decides only: ``PictureWatch`` looks.
package struct PictureVitals {
  package enum Change: Equatable, Sendable {
    case frozen
    /// It is not frozen any more.
    case moves
    case oneColoured(PictureColour)
    /// It has several colours again.
    case varied
  }

  private var still: Spell
  private var plain: Spell
  private var last: (time: MonotonicTime, isPlain: Bool)?

  /// What nobody looked at for longer, because nothing came, does not count.
  private static let longestStep: Int64 = .seconds(1)

  package init(_ limits: VitalLimits) {
    still = Spell(limit: limits.frozenAfter)
    plain = Spell(limit: limits.blackAfter)
  }

  /// - Parameters:
  ///   - isSame: it is what was seen the last time, to the bit.
  ///   - colour: its only one.
  package mutating func saw(
    isSame: Bool, colour: PictureColour?, at now: MonotonicTime
  ) -> [Change] {
    let step = last.map { min(now - $0.time, Self.longestStep) } ?? 0
    let wasPlain = last?.isPlain ?? false
    last = (now, colour != nil)
    var changes: [Change] = []
    switch still.note(isSame, after: step) {
    case .begins: changes.append(.frozen)
    case .ends: changes.append(.moves)
    case nil: break
    }
    switch (plain.note(wasPlain && colour != nil, after: step), colour) {
    case (.begins, let colour?): changes.append(.oneColoured(colour))
    case (.ends, _): changes.append(.varied)
    default: break
    }
    return changes
  }
}

/// Looks at the pictures of a source now and then. Belongs to one thread.
///
/// A look is some thousand points; only where these are what they were is the whole picture compared.
package struct PictureWatch {
  /// Not in step with what blinks twice a second.
  package static let period: Int64 = .milliseconds(420)

  private var vitals: PictureVitals
  private let telemetry: Telemetry
  private let tell: (PictureVitals.Change) -> Void
  /// Else no picture is kept.
  private let comparesWhole: Bool
  private var last: (picture: Picture?, look: PictureLook, time: MonotonicTime)?

  package init(
    _ limits: VitalLimits, _ telemetry: Telemetry,
    _ tell: @escaping (PictureVitals.Change) -> Void
  ) {
    vitals = PictureVitals(limits)
    comparesWhole = limits.frozenAfter != nil
    (self.telemetry, self.tell) = (telemetry, tell)
  }

  /// - Parameters:
  ///   - picture: in the broadcast's own form; what the source delivered, no slate and no repetition.
  ///   - area: where in it the source's picture is.
  ///   - isOfSensor: else it may stand still, and only its brightness is of interest.
  package mutating func see(
    _ picture: Picture, in area: PictureFit.Rectangle, isOfSensor: Bool, at now: MonotonicTime
  ) {
    if let last, now - last.time < Self.period { return }
    let look = PictureLook(picture, in: area)
    if let before = last?.picture, before.width != picture.width || before.height != picture.height
    {
      last = (picture, look, now)  // the broadcast's size has changed, which says nothing
      return
    }
    let before = last?.look == look ? last?.picture : nil
    let isSame = before?.isIdentical(to: picture) ?? false
    last = (comparesWhole && isOfSensor ? picture : nil, look, now)
    telemetry.saw(brightness: look.brightness)
    vitals.saw(isSame: isSame, colour: isOfSensor ? look.colour : nil, at: now).forEach(tell)
  }
}
