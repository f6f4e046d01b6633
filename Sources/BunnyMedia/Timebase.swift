import BunnySystem
import CBunnyFFmpeg

/// A fraction: the unit that timestamps count in (seconds a tick), or a frame rate (frames a second).
public struct Timebase: Hashable, Sendable, CustomStringConvertible {
  public let numerator: Int32
  public let denominator: Int32

  /// - Precondition: `denominator` is positive.
  public init(_ numerator: Int32, _ denominator: Int32) {
    precondition(denominator > 0, "a timebase of \(numerator)/\(denominator)")
    self.numerator = numerator
    self.denominator = denominator
  }

  /// One tick is a millisecond: FLV's and RTMP's unit.
  public static let milliseconds = Timebase(1, 1000)
  /// One tick is a nanosecond: `CLOCK_MONOTONIC`'s unit.
  public static let nanoseconds = Timebase(1, 1_000_000_000)

  /// The timebase whose tick is one frame of a rate, and the other way round.
  ///
  /// - Precondition: not zero.
  public var reciprocal: Timebase { Timebase(denominator, numerator) }
  public var value: Double { Double(numerator) / Double(denominator) }
  public var description: String { "\(numerator)/\(denominator)" }

  /// `ticks` of this timebase in ticks of `other`, rounded to the nearest, in 64 bits without
  /// overflow on the way.
  public func convert(_ ticks: Int64, to other: Timebase) -> Int64 {
    av_rescale_q(ticks, raw, other.raw)
  }

  /// `ticks` of this timebase in nanoseconds; nil where that is further than 73 years (2^61) from
  /// zero. No clock says so, only broken files do, and sums of what is left cannot overflow.
  public func nanoseconds(_ ticks: Int64) -> Int64? {
    let nanoseconds = convert(ticks, to: .nanoseconds)
    return (-1 << 61...1 << 61).contains(nanoseconds) ? nanoseconds : nil
  }

  /// The nearest fraction to a frame rate: 29.97 is 30000/1001, as film and television mean it.
  public static func frameRate(_ framesPerSecond: Double) -> Timebase {
    let thousandAndFirst = (framesPerSecond * 1001).rounded()
    let isTelevision =
      framesPerSecond != framesPerSecond.rounded()
      && abs(thousandAndFirst / 1000 - thousandAndFirst.rounded() / 1000) < 1e-9
      && Int64(thousandAndFirst) % 1000 == 0
    if isTelevision { return Timebase(Int32(thousandAndFirst), 1001) }
    let nearest = av_d2q(framesPerSecond, 100_000)
    return Timebase(nearest.num, nearest.den)
  }

  var raw: AVRational { av_make_q(numerator, denominator) }
  init(_ raw: AVRational) { self.init(raw.num, raw.den) }
}
