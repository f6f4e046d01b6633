/// When what flows counts as dead all the same. Cameras, microphones and `av:` devices are watched; files,
/// the test picture and screens are not: those may well be still, black or silent.
public struct VitalLimits: Equatable, Sendable {
  /// For how long a picture stays the same, to the bit, before it is frozen; nil: that is not looked for.
  /// 2 s to an hour, as of the others.
  public var frozenAfter: Duration? = .seconds(30)
  /// For how long it is black, or of one colour.
  public var blackAfter: Duration? = .seconds(30)
  /// For how long sound is below ``silentBelow``. Does not run while the broadcast is muted.
  public var silentAfter: Duration? = .seconds(30)
  /// dBFS: the mean power over a second, of the louder side.
  public var silentBelow = -70.0

  /// The limits above.
  public init() {}

  /// What is never dead.
  static var none: VitalLimits {
    var limits = VitalLimits()
    (limits.frozenAfter, limits.blackAfter, limits.silentAfter) = (nil, nil, nil)
    return limits
  }
}

/// How long something has lasted, as far as anybody looked.
struct Spell {
  enum Turn { case begins, ends }

  /// From when on it counts; nil: never.
  let limit: Int64?
  private(set) var lasted: Int64 = 0
  private var counts = false

  init(limit: Duration?) { self.limit = limit?.nanoseconds }

  /// - Parameters:
  ///   - holds: whether it is so now.
  ///   - step: nanoseconds since that was last asked.
  mutating func note(_ holds: Bool, after step: Int64) -> Turn? {
    lasted = holds ? lasted + step : 0
    let before = counts
    counts = limit.map { lasted >= $0 } ?? false
    return counts == before ? nil : counts ? .begins : .ends
  }
}
